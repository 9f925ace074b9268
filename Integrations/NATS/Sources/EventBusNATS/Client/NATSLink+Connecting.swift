internal import CNATS

/// A connection and its JetStream context, before their owner has them.
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
    var status = unsafe settings.setCallbacks(closure)
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
