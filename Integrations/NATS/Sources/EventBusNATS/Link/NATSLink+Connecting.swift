internal import CNATS

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif
private import Synchronization

/// A connection and its JetStream context, on the way to their owner.
@safe
struct ConnectionPair: @unchecked Sendable {  // Reason: passed on once.
  let connection: OpaquePointer
  let streams: OpaquePointer
}

extension NATSLink {
  /// Connects; waits for the server.
  static func connect(
    _ urls: [String],
    _ options: NATSConnection.Options,
    _ events: ConnectionEvents
  ) -> Result<ConnectionPair, NATSError> {
    do throws(NATSError) {
      return .success(try open(urls, options, events))
    } catch {
      return .failure(error)
    }
  }

  private static func open(
    _ urls: [String],
    _ options: NATSConnection.Options,
    _ events: ConnectionEvents
  ) throws(NATSError) -> ConnectionPair {
    let settings = try ClientOptions(urls, options)
    // Reason: the client calls back until the closed callback, which releases it.
    let closure = unsafe Unmanaged.passRetained(events).toOpaque()
    var connection: OpaquePointer?
    var status = unsafe settings.set(closure)
    if status == NATS_OK { status = unsafe natsConnection_Connect(&connection, settings.handle) }
    guard status == NATS_OK, let connection = unsafe connection else {
      unsafe Unmanaged<ConnectionEvents>.fromOpaque(closure).release()  // Reason: never called.
      throw error(status, urls)
    }
    var streams: OpaquePointer?
    status = unsafe natsConnection_JetStream(&streams, connection, nil)  // Reason: it is alive.
    guard status == NATS_OK, let streams = unsafe streams else {
      unsafe natsConnection_Destroy(connection)  // Reason: not used any more.
      throw error(status, urls)
    }
    return unsafe ConnectionPair(connection: connection, streams: streams)
  }

  private static func error(_ status: natsStatus, _ urls: [String]) -> NATSError {
    var detail = "Cannot connect to \(urls.joined(separator: ", ")): \(text(status))"
    var ignored = NATS_OK
    if let last = unsafe nats_GetLastError(&ignored) {  // Reason: valid until the next call.
      let words = unsafe String(cString: last)
      if !words.isEmpty { detail += " (\(words))" }
    }
    let code: NATSError.Code =
      switch status {
      case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: .notAuthorized
      case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_WANTED, NATS_SECURE_CONNECTION_REQUIRED:
        .notSecure
      case NATS_INVALID_ARG, NATS_ADDRESS_MISSING: .invalidOption
      default: .notConnected
      }
    return NATSError(code, detail)
  }
}

/// The options of the client, which it copies when it connects.
@safe
private final class ClientOptions {
  let handle: OpaquePointer

  init(_ urls: [String], _ options: NATSConnection.Options) throws(NATSError) {
    var made: OpaquePointer?
    guard unsafe natsOptions_Create(&made) == NATS_OK, let made = unsafe made else {
      throw NATSError(.invalidOption, "Out of memory")
    }
    unsafe handle = made  // Reason: destroyed by deinit.
    guard !urls.isEmpty else { throw NATSError(.invalidOption, "No address was given") }
    var pointers = unsafe urls.map { text in
      // Reason: freed below; the client copies.
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.utf8.count + 1)
      for (index, byte) in text.utf8.enumerated() { unsafe copy[index] = CChar(bitPattern: byte) }
      unsafe copy[text.utf8.count] = 0
      return unsafe UnsafePointer(copy) as UnsafePointer<CChar>?
    }
    defer { unsafe pointers.forEach { unsafe $0?.deallocate() } }
    try check(unsafe natsOptions_SetServers(handle, &pointers, Int32(urls.count)), "The addresses")
    try setTimes(options)
    if let tls = options.tls { try set(tls) }
    if let credentials = options.credentials { try set(credentials) }
  }

  deinit { unsafe natsOptions_Destroy(handle) }  // Reason: owned.

  private func setTimes(_ options: NATSConnection.Options) throws(NATSError) {
    let handle = unsafe handle
    try check(unsafe natsOptions_SetName(handle, options.name), "The name")
    try check(
      unsafe natsOptions_SetTimeout(handle, options.connectTimeout.milliseconds),
      "The time to connect"
    )
    try check(
      unsafe natsOptions_SetPingInterval(handle, options.pingInterval.milliseconds),
      "The interval of checks"
    )
    try check(unsafe natsOptions_SetMaxPingsOut(handle, 2), "The number of checks")
    try check(
      unsafe natsOptions_SetWriteDeadline(handle, options.writeDeadline.milliseconds),
      "The deadline of writes"
    )
    try check(unsafe natsOptions_SetMaxReconnect(handle, -1), "The number of attempts")
    try check(
      unsafe natsOptions_SetReconnectWait(handle, options.reconnectPause.milliseconds),
      "The pause between attempts"
    )
    try check(unsafe natsOptions_SetReconnectJitter(handle, 20, 20), "The pause between attempts")
    // The bridge has a buffer of its own, which counts.
    try check(unsafe natsOptions_SetReconnectBufSize(handle, 1), "The buffer")
  }

  private func set(_ tls: NATSConnection.Options.TLS) throws(NATSError) {
    let handle = unsafe handle
    try check(unsafe natsOptions_SetSecure(handle, true), "Encryption")
    if let file = tls.authorities {
      try check(unsafe natsOptions_LoadCATrustedCertificates(handle, file), "The file \(file)")
    }
    if let certificate = tls.certificate, let key = tls.key {
      try check(
        unsafe natsOptions_LoadCertificatesChain(handle, certificate, key),
        "The files \(certificate) and \(key)"
      )
    }
    if let hostname = tls.hostname {
      try check(unsafe natsOptions_SetExpectedHostname(handle, hostname), "The name \(hostname)")
    }
  }

  private func set(_ credentials: NATSConnection.Options.Credentials) throws(NATSError) {
    let handle = unsafe handle
    switch credentials {
    case .user(let user, let password):
      try check(unsafe natsOptions_SetUserInfo(handle, user, password), "The user \(user)")
    case .token(let token): try check(unsafe natsOptions_SetToken(handle, token), "The token")
    case .file(let file):
      try checkFile(file)
      try check(
        unsafe natsOptions_SetUserCredentialsFromFiles(handle, file, nil),
        "The file \(file)"
      )
    case .nkey(let key, let file):
      try checkFile(file)
      try check(unsafe natsOptions_SetNKeyFromSeed(handle, key, file), "The file \(file)")
    }
  }

  /// Sets the callbacks, which keep the closure until the last of them.
  func set(_ closure: UnsafeMutableRawPointer) -> natsStatus {
    var status = unsafe natsOptions_SetDisconnectedCB(
      handle,
      { _, closure in
        // Reason: the closed callback, which comes last, releases it.
        unsafe closure.map { unsafe Unmanaged<ConnectionEvents>.fromOpaque($0) }?
          .takeUnretainedValue().disconnected()
      },
      closure
    )
    guard status == NATS_OK else { return status }
    status = unsafe natsOptions_SetReconnectedCB(
      handle,
      { _, closure in
        unsafe closure.map { unsafe Unmanaged<ConnectionEvents>.fromOpaque($0) }?
          .takeUnretainedValue().reconnected()
      },
      closure
    )
    guard status == NATS_OK else { return status }
    status = unsafe natsOptions_SetErrorHandler(
      handle,
      { _, _, error, closure in
        // The client gives the words of the server to this thread alone, for this call.
        var ignored = NATS_OK
        let words = unsafe nats_GetLastError(&ignored).map { unsafe String(cString: $0) } ?? ""
        unsafe closure.map { unsafe Unmanaged<ConnectionEvents>.fromOpaque($0) }?
          .takeUnretainedValue().failed(words.isEmpty ? NATSLink.text(error) : words)
      },
      closure
    )
    guard status == NATS_OK else { return status }
    return unsafe natsOptions_SetClosedCB(
      handle,
      { _, closure in
        unsafe closure.map { unsafe Unmanaged<ConnectionEvents>.fromOpaque($0) }?
          .takeRetainedValue().ended()
      },
      closure
    )
  }

  /// The client reads these files when it connects, and says no more than that it could not.
  private func checkFile(_ file: String) throws(NATSError) {
    guard !FileManager.default.isReadableFile(atPath: file) else { return }
    throw NATSError(.invalidOption, "The file \(file) does not exist or cannot be read")
  }

  private func check(_ status: natsStatus, _ what: String) throws(NATSError) {
    guard status != NATS_OK else { return }
    throw NATSError(.invalidOption, "\(what) cannot be used: \(NATSLink.text(status))")
  }
}
