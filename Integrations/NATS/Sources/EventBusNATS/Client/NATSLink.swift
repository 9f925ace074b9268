internal import CNATS
private import Dispatch
internal import EventBus
internal import Synchronization
internal import _EventBusLocks

/// The client of the server, as a link.
///
/// It owns the connection, the JetStream context and, through ``NATSSubscription``, the subscriptions. The
/// callbacks of the client only note changes and errors; their consequences run on a queue of the link.
@safe
final class NATSLink: Link, @unchecked Sendable {  // Reason: the client locks.
  private let handle: OpaquePointer
  private let streams: OpaquePointer
  private let events: ConnectionEvents
  /// The queue of calls that wait for the server.
  private let waiting = DispatchQueue(label: "EventBusNATS.requests", attributes: .concurrent)
  let inbox: String

  init(urls: [String], options: NATSConnection.Options) async throws(NATSError) {
    let events = ConnectionEvents()
    let made = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: NATSLink.connect(urls, options, events))
      }
    }
    let pair = try made.get()
    unsafe (handle, streams) = (pair.connection, pair.streams)  // Reason: owned from here on.
    self.events = events
    inbox = "_INBOX.\(String(UInt64.random(in: 1 ... .max), radix: 36))"
    events.setAddress { [weak self] in self?.address ?? "" }
    events.opened()
  }

  deinit {
    unsafe jsCtx_Destroy(streams)  // Reason: this object owns both, and is not used any more.
    unsafe natsConnection_Destroy(handle)
    events.ended()
  }

  var state: SharedObserved<NATSConnection.State> { events.state }
  var reconnectCount: Int { events.reconnectCount.load(ordering: .relaxed) }
  var isConnected: Bool { events.isConnected.load(ordering: .acquiring) }
  var isClosed: Bool { events.isClosed.load(ordering: .acquiring) }

  func onChange(_ body: @escaping @Sendable (Bool) -> Void) -> Token {
    events.didChange.observe(body)
  }

  /// Closes the connection; the object stays until it is released.
  func close() {
    guard events.beginClosing() else { return }
    unsafe natsConnection_Close(handle)  // Reason: the handle is alive.
    events.ended()
  }

  func send(_ message: OutgoingMessage) throws(LinkFailure) {
    guard isConnected else { throw isClosed ? .closed : .disconnected }
    var made: OpaquePointer?
    let size = Int32(clamping: message.payload.count)
    var status = unsafe message.payload.withUnsafeBytes { bytes in  // Reason: the client copies.
      unsafe natsMsg_Create(
        &made,
        message.subject,
        message.reply,
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        size
      )
    }
    guard status == NATS_OK, let handle = unsafe made else { throw Self.failure(status) }
    defer { unsafe natsMsg_Destroy(handle) }  // Reason: made above.
    if let header = message.header {
      // Reason: copied with room for the end, without an allocation.
      status = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: header.count + 1) {
        for index in header.indices { unsafe $0[index] = CChar(bitPattern: header[index]) }
        unsafe $0[header.count] = 0
        return unsafe natsMsgHeader_Set(handle, WireHeader.name, $0.baseAddress)
      }
    }
    if status == NATS_OK, let id = message.id {
      status = unsafe natsMsgHeader_Set(handle, "Nats-Msg-Id", id)  // Reason: the client copies.
    }
    if status == NATS_OK, let error = message.error {
      status = unsafe natsMsgHeader_Set(handle, WireHeader.errorName, error)  // Reason: as above.
    }
    for (name, value) in message.fields where status == NATS_OK {
      status = unsafe natsMsgHeader_Set(handle, name, value)  // Reason: as above.
    }
    if status == NATS_OK {
      status = unsafe natsConnection_PublishMsg(self.handle, handle)  // Reason: both are alive.
    }
    if status != NATS_OK { throw Self.failure(status) }
  }

  func subscribe(
    _ subject: String,
    group: String?,
    limit: Int,
    sizeLimit: Int,
    readsFields: Bool,
    wake: @escaping @Sendable () -> Void
  ) throws(LinkFailure) -> any LinkSubscription {
    if isClosed { throw .closed }
    // Reason: the handle is alive, and the subscription keeps this link.
    return try unsafe NATSSubscription(
      self,
      handle,
      subject,
      group: group,
      limit: limit,
      sizeLimit: sizeLimit,
      readsFields: readsFields,
      wake: wake
    )
  }

  func onRefusal(_ body: @escaping @Sendable (LinkRefusal) -> Void) -> Token {
    events.didRefuse.observe(body)
  }

  /// Waits until the server has a subscription.
  ///
  /// - Parameters:
  ///   - subject: The subject of the subscription.
  ///   - before: The number of denials before the subscription.
  ///   - limit: The longest wait.
  /// - Throws: `notAuthorized` if the server has denied it.
  func confirm(
    _ subject: String,
    after before: Int,
    within limit: Duration
  ) async throws(LinkFailure) {
    try await flush(within: limit)
    try await request { link in
      // The client has read the denial, if there is one, but may not have called back. Callbacks come in order.
      let deadline = ContinuousClock.now + .seconds(1)
      let last = link.lastDenial
      while let last, ContinuousClock.now < deadline,
        !link.events.denials.withLock({ $0.contains(last) })
      {
        nats_Sleep(1)
      }
      let denial = link.events.denials.withLock { $0.subscription(to: subject, after: before) }
      return denial.map { .failure(.notAuthorized($0.text)) } ?? .success(())
    }
  }

  /// The last error of the connection, if it is that of a permission.
  private var lastDenial: String? {
    var text: UnsafePointer<CChar>?
    let status = unsafe natsConnection_GetLastError(handle, &text)
    guard status == NATS_NOT_PERMITTED, let text = unsafe text else { return nil }
    let words = unsafe String(cString: text)  // Reason: the client keeps it in the connection.
    return Denial(words) == nil ? nil : words
  }

  func flush(within limit: Duration) async throws(LinkFailure) {
    try await request { link in
      // Reason: the link is alive during the call.
      let status = unsafe natsConnection_FlushTimeout(link.handle, limit.milliseconds)
      return status == NATS_OK ? .success(()) : .failure(Self.failure(status))
    }
  }

  /// Makes a call that waits for the server, on the queue of such calls.
  func request<Answer: Sendable>(
    _ body: @escaping @Sendable (NATSLink) -> Result<Answer, LinkFailure>
  ) async throws(LinkFailure) -> Answer {
    let result = await withCheckedContinuation { continuation in
      waiting.async { continuation.resume(returning: body(self)) }
    }
    return try result.get()
  }

  /// The number of denials so far.
  var denialCount: Int { events.denials.withLock(\.count) }

  /// The denial because of which the server does not answer a request about a stream, if there is one.
  func denial(about stream: String, after count: Int) -> Denial? {
    events.denials.withLock { $0.request(about: stream, after: count) }
  }

  /// Calls a closure with the connection and its JetStream context.
  func withHandles<Answer>(_ body: (OpaquePointer, OpaquePointer) -> Answer) -> Answer {
    unsafe body(handle, streams)  // Reason: alive as long as the link.
  }

  static func failure(_ status: natsStatus) -> LinkFailure {
    switch status {
    case NATS_MAX_PAYLOAD: .tooLarge
    case NATS_CONNECTION_CLOSED, NATS_DRAINING: .closed
    case NATS_INSUFFICIENT_BUFFER, NATS_CONNECTION_DISCONNECTED, NATS_IO_ERROR, NATS_TIMEOUT,
      NATS_STALE_CONNECTION, NATS_NOT_YET_CONNECTED, NATS_NO_RESPONDERS:
      .disconnected
    default: .other(text(status))
    }
  }

  static func text(_ status: natsStatus) -> String {
    unsafe String(cString: natsStatus_GetText(status))  // Reason: a constant of the client.
  }

  /// The address of the connected server.
  private var address: String {
    var buffer = [CChar](repeating: 0, count: 512)
    let size = buffer.count
    // Reason: the client writes at most this number of bytes.
    let status = unsafe natsConnection_GetConnectedUrl(handle, &buffer, size)
    guard status == NATS_OK else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
