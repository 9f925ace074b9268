internal import CNATS

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// The options of the client, which it copies when it connects.
@safe
final class ClientOptions {
  let handle: OpaquePointer

  init(_ urls: [String], _ options: NATSConnection.Configuration) throws(NATSError) {
    var made: OpaquePointer?
    guard unsafe natsOptions_Create(&made) == NATS_OK, let made = unsafe made else {
      throw NATSError(.invalidOption, "Out of memory")
    }
    unsafe handle = made  // Reason: destroyed by deinit.
    guard !urls.isEmpty else { throw NATSError(.invalidOption, "No address was given") }
    let status = unsafe urls.withCStrings { strings in
      var list = unsafe strings
      return unsafe natsOptions_SetServers(made, &list, Int32(list.count))  // Reason: it copies.
    }
    try check(status, "The addresses")
    try setPrefixes(options)
    try setTimes(options)
    if let tls = options.tls { try set(tls) }
    if let credentials = options.credentials { try set(credentials) }
  }

  deinit { unsafe natsOptions_Destroy(handle) }  // Reason: owned.

  private func setPrefixes(_ options: NATSConnection.Configuration) throws(NATSError) {
    if options.domain != nil, options.apiPrefix != nil {
      let words = "The JetStream domain is a part of the prefix of the API: set one of them"
      throw NATSError(.invalidOption, words)
    }
    let domain = options.domain.flatMap { Subject.problem($0, of: "JetStream domain") }
    let prefixes = [(options.api, "prefix of the API"), (options.inboxPrefix, "prefix of inboxes")]
    let problem = domain ?? prefixes.lazy.compactMap { Subject.problem($0, ofPrefix: $1) }.first
    if let problem { throw NATSError(.invalidOption, problem) }
    try check(
      unsafe natsOptions_SetCustomInboxPrefix(handle, options.inboxPrefix),
      "The prefix of inboxes"
    )
  }

  private func setTimes(_ options: NATSConnection.Configuration) throws(NATSError) {
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
    // The bridge has its own buffer, which counts.
    try check(unsafe natsOptions_SetReconnectBufSize(handle, 1), "The buffer")
    // An inbox for each request: a common one that the server has denied for a while would stay deaf.
    try check(unsafe natsOptions_UseOldRequestStyle(handle, true), "The inboxes")
  }

  private func set(_ tls: NATSConnection.Configuration.TLS) throws(NATSError) {
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

  private func set(_ credentials: NATSConnection.Configuration.Credentials) throws(NATSError) {
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
    case .renewed: throw NATSError(.invalidOption, "The credentials were not renewed")
    }
  }

  /// Sets the callbacks, which keep the events of the connection until the last of them.
  func setCallbacks(_ closure: UnsafeMutableRawPointer) -> natsStatus {
    // Reason for all: the closed callback, which comes last, releases the object.
    var status = unsafe natsOptions_SetDisconnectedCB(
      handle,
      { _, closure in unsafe ClientOptions.events(closure)?.takeUnretainedValue().disconnected() },
      closure
    )
    guard status == NATS_OK else { return status }
    status = unsafe natsOptions_SetReconnectedCB(
      handle,
      { _, closure in unsafe ClientOptions.events(closure)?.takeUnretainedValue().reconnected() },
      closure
    )
    guard status == NATS_OK else { return status }
    status = unsafe natsOptions_SetErrorHandler(
      handle,
      { _, _, error, closure in
        // The client gives the words of the server to this thread alone, for this call.
        let words = NATSLink.lastWords
        unsafe ClientOptions.events(closure)?.takeUnretainedValue()
          .failed(
            words.isEmpty ? NATSLink.text(error) : words,
            isOfCredentials: error == NATS_CONNECTION_AUTH_FAILED
          )
      },
      closure
    )
    guard status == NATS_OK else { return status }
    return unsafe natsOptions_SetClosedCB(
      handle,
      { _, closure in unsafe ClientOptions.events(closure)?.takeRetainedValue().clientClosed() },
      closure
    )
  }

  /// The events of the connection, which every callback gets.
  private static func events(
    _ closure: UnsafeMutableRawPointer?
  ) -> Unmanaged<ConnectionEvents>? {
    unsafe closure.map { unsafe Unmanaged.fromOpaque($0) }  // Reason: set with the callbacks.
  }

  /// Checks a file that the client reads when it connects: its own error does not name the file.
  private func checkFile(_ file: String) throws(NATSError) {
    guard !FileManager.default.isReadableFile(atPath: file) else { return }
    throw NATSError(.invalidOption, "The file \(file) does not exist or cannot be read")
  }

  private func check(_ status: natsStatus, _ what: String) throws(NATSError) {
    guard status != NATS_OK else { return }
    throw NATSError(.invalidOption, "\(what) cannot be used: \(NATSLink.text(status))")
  }
}
