internal import CNATS

/// A connection of the client and its JetStream context, which end with the last use of this object.
@safe
final class ClientConnection: @unchecked Sendable {  // Reason: the client locks.
  let handle: OpaquePointer
  let streams: OpaquePointer

  /// Connects; waits for the server.
  ///
  /// - Parameters:
  ///   - urls: The addresses.
  ///   - options: The options, with the credentials of this connection.
  ///   - events: The object that notes the changes of the connection.
  /// - Throws: ``NATSError``.
  init(
    _ urls: [String],
    _ options: NATSConnection.Configuration,
    _ events: ConnectionEvents
  ) throws(NATSError) {
    let settings = try ClientOptions(urls, options)
    // Reason: the client calls back until the closed callback, which releases it.
    let closure = unsafe Unmanaged.passRetained(events).toOpaque()
    var connection: OpaquePointer?
    var status = unsafe settings.setCallbacks(closure)
    if status == NATS_OK { status = unsafe natsConnection_Connect(&connection, settings.handle) }
    guard status == NATS_OK, let connection = unsafe connection else {
      unsafe Unmanaged<ConnectionEvents>.fromOpaque(closure).release()  // Reason: never called.
      throw Self.error(status, urls, options.credentials)
    }
    var streams: OpaquePointer?
    // Reason for all: the connection is alive, and the client copies the prefix.
    status = unsafe options.api.withCString { api in
      var settings = unsafe jsOptions()
      unsafe jsOptions_Init(&settings)
      unsafe settings.Prefix = api
      return unsafe natsConnection_JetStream(&streams, connection, &settings)
    }
    guard status == NATS_OK, let streams = unsafe streams else {
      unsafe natsConnection_Destroy(connection)  // Reason: not used any more.
      throw Self.error(status, urls, options.credentials)
    }
    unsafe (handle, self.streams) = (connection, streams)  // Reason: owned from here on.
  }

  deinit {
    unsafe jsCtx_Destroy(streams)  // Reason: this object owns both, and is not used any more.
    unsafe natsConnection_Destroy(handle)
  }

  /// Whether the client has closed the connection.
  var isClosed: Bool { unsafe natsConnection_IsClosed(handle) }  // Reason: alive.

  /// The address of the connected server, as it was given.
  var address: String {
    var buffer = [CChar](repeating: 0, count: 512)
    let size = buffer.count
    // Reason: the client writes at most this number of bytes.
    let status = unsafe natsConnection_GetConnectedUrl(handle, &buffer, size)
    guard status == NATS_OK else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The last error of the connection, if it is that of a permission.
  var lastDenial: String? {
    var text: UnsafePointer<CChar>?
    let status = unsafe natsConnection_GetLastError(handle, &text)
    guard status == NATS_NOT_PERMITTED, let text = unsafe text else { return nil }
    let words = unsafe String(cString: text)  // Reason: the client keeps it in the connection.
    return Denial(words) == nil ? nil : words
  }

  private static func error(
    _ status: natsStatus,
    _ urls: [String],
    _ credentials: NATSConnection.Configuration.Credentials?
  ) -> NATSError {
    let addresses = urls.map { Address.withoutCredentials($0) }.joined(separator: ", ")
    var detail = "Cannot connect to \(addresses): \(NATSLink.text(status))"
    let words = Address.withoutCredentials(in: NATSLink.lastWords, known: urls)
    if !words.isEmpty { detail += " (\(words))" }
    // The client has no separate status for a file without a usable key.
    switch credentials {
    case .file(let file) where status == NATS_ERR, .nkey(_, let file) where status == NATS_ERR:
      return NATSError(.invalidOption, "The file \(file) has no usable key: \(words)")
    default: break
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
