internal import CNATS
private import Dispatch
internal import EventBus
internal import Synchronization
internal import _EventBusLocks

/// The client of the server, as a link.
///
/// It owns the connection, which it replaces when the client gives up, and knows the subscriptions, which it makes again
/// then. The callbacks of the client only note changes and errors; their consequences run on a queue of the link.
final class NATSLink: Link {
  private struct State {
    /// The present connection; `nil` before the first one.
    var connection: ClientConnection?
    var subscriptions: [ObjectIdentifier: WeakSubscription] = [:]
    /// Whether another connection is being made.
    var isConnecting = false
    /// The task that makes it.
    var connecting: Task<Void, Never>?
  }

  private struct WeakSubscription {
    weak let object: NATSSubscription?
  }

  let urls: [String]
  let options: NATSConnection.Configuration
  let events: ConnectionEvents
  private let current: Locked<State>
  /// The queue of calls that wait for the server.
  private let waiting = DispatchQueue(label: "EventBusNATS.requests", attributes: .concurrent)
  let inbox: String

  init(urls: [String], options: NATSConnection.Configuration) async throws(NATSError) {
    let events = ConnectionEvents(urls, options)
    let made = try await Self.firstConnection(urls, options, events)
    current = Locked(State(connection: made))
    (self.urls, self.options, self.events) = (urls, options, events)
    inbox = "\(options.inboxPrefix).\(String(UInt64.random(in: 1 ... .max), radix: 36))"
    events.setSource(
      address: { [weak self] in self?.connection?.address ?? "" },
      connectAgain: { [weak self] in self?.connectAgain() }
    )
    guard let made else {
      connectAgain()
      return
    }
    events.opened()
    // It may have been closed before it was known.
    if made.isClosed { events.clientClosed() }
  }

  deinit {
    events.ended()
    current.withLock(\.connecting)?.cancel()
  }

  /// The present connection; `nil` before the first one.
  var connection: ClientConnection? { current.withLock { $0.connection } }

  var state: SharedObserved<NATSConnection.State> { events.state }
  var reconnectCount: Int { events.reconnectCount.load(ordering: .relaxed) }
  var isConnected: Bool { events.isConnected.load(ordering: .acquiring) }
  var isClosed: Bool { events.isClosed.load(ordering: .acquiring) }
  var refusedCredentials: String? { isConnected ? nil : events.refusedCredentials }
  var awaitedServer: String? { isClosed ? nil : events.awaitedServer }

  func onChange(_ body: @escaping @Sendable (Bool) -> Void) -> Token {
    events.didChange.observe(body)
  }

  /// Closes the connection; the object stays until it is released.
  func close() {
    guard events.beginClosing() else { return }
    let (connection, connecting) = current.withLock { ($0.connection, $0.connecting.take()) }
    connecting?.cancel()
    if let connection {
      unsafe natsConnection_Close(connection.handle)  // Reason: the connection is alive.
    }
    events.ended()
  }

  // MARK: Another connection

  /// Notes that another connection is being made; `false` if that is known.
  func beginConnecting() -> Bool {
    current.withLock { state in
      defer { state.isConnecting = true }
      return !state.isConnecting
    }
  }

  /// Keeps the task that makes another connection, or cancels it if the link was closed meanwhile.
  func setConnecting(_ task: Task<Void, Never>) {
    current.withLock { $0.connecting = task }
    if isClosed { task.cancel() }
  }

  /// Uses another connection, on which all subscriptions are made again.
  ///
  /// - Returns: Whether it can be used; `false` if the client has closed it meanwhile.
  func adopt(_ made: ClientConnection) -> Bool {
    let (former, subscriptions) = current.withLock { state in
      let former = state.connection
      state.connection = made
      return (former, state.subscriptions.values.compactMap(\.object))
    }
    withExtendedLifetime(former) {}
    for subscription in subscriptions { subscription.renew(made) }
    if isClosed {
      unsafe natsConnection_Close(made.handle)  // Reason: alive.
      return true
    }
    if made.isClosed { return false }
    current.withLock { $0.isConnecting = false }
    events.reconnected()
    // If it was closed in between, no other code makes the next one.
    if made.isClosed { connectAgain() }
    return true
  }

  func remember(_ subscription: NATSSubscription) {
    let entry = WeakSubscription(object: subscription)
    current.withLock { $0.subscriptions[ObjectIdentifier(subscription)] = entry }
  }

  func forget(_ subscription: ObjectIdentifier) {
    current.withLock { _ = $0.subscriptions.removeValue(forKey: subscription) }
  }

  // MARK: Messages

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
    guard status == NATS_OK, let handle = unsafe made else { throw failure(status) }
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
      guard let connection else { throw .disconnected }
      // Reason: both are alive.
      status = unsafe natsConnection_PublishMsg(connection.handle, handle)
    }
    // For any reason why there is no connection, the message waits for one.
    if status != NATS_OK { throw isClosed ? .closed : Self.failure(status) }
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
    let subscription = try NATSSubscription(
      self,
      connection,
      subject,
      group: group,
      limit: limit,
      sizeLimit: sizeLimit,
      readsFields: readsFields,
      wake: wake
    )
    remember(subscription)
    // The connection may have been replaced meanwhile.
    if let connection { subscription.renew(connection) }
    return subscription
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
      let last = link.connection?.lastDenial
      while let last, ContinuousClock.now < deadline,
        !link.events.denials.withLock({ $0.contains(last) })
      {
        nats_Sleep(1)
      }
      let denial = link.events.denials.withLock { $0.subscription(to: subject, after: before) }
      return denial.map { .failure(.notAuthorized($0.text)) } ?? .success(())
    }
  }

  func flush(within limit: Duration) async throws(LinkFailure) {
    try await request { link -> Result<Void, LinkFailure> in
      guard let connection = link.connection else { return .failure(link.present(.disconnected)) }
      // Reason: the connection is alive during the call.
      let status = unsafe natsConnection_FlushTimeout(connection.handle, limit.milliseconds)
      return status == NATS_OK ? .success(()) : .failure(link.failure(status))
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

  /// The failure of a call.
  func failure(_ status: natsStatus) -> LinkFailure { present(Self.failure(status)) }

  /// A failure, with the reason why there is no connection.
  func present(_ failure: LinkFailure) -> LinkFailure {
    if isClosed { return .closed }
    guard failure == .disconnected else { return failure }
    if let words = refusedCredentials { return .unauthenticated(words) }
    return awaitedServer.map { .unreachable($0) } ?? failure
  }

  static func failure(_ status: natsStatus) -> LinkFailure {
    switch status {
    case NATS_MAX_PAYLOAD: .tooLarge
    case NATS_CONNECTION_CLOSED, NATS_DRAINING, NATS_INSUFFICIENT_BUFFER,
      NATS_CONNECTION_DISCONNECTED, NATS_IO_ERROR, NATS_TIMEOUT, NATS_STALE_CONNECTION,
      NATS_NOT_YET_CONNECTED, NATS_INVALID_SUBSCRIPTION:
      .disconnected
    case NATS_NO_RESPONDERS: .rejected(noStreams)
    default: .other(text(status))
    }
  }

  /// The reason why nothing answers requests about streams.
  static let noStreams =
    "the server has no JetStream, which durable events need: start it with nats-server -js"

  static func text(_ status: natsStatus) -> String {
    unsafe String(cString: natsStatus_GetText(status))  // Reason: a constant of the client.
  }

  /// The words of the last error on this thread, without the place in the source of the client.
  static var lastWords: String {
    var ignored = NATS_OK
    guard let last = unsafe nats_GetLastError(&ignored) else { return "" }
    let words = unsafe String(cString: last)  // Reason: valid until the next call.
    guard words.hasPrefix("("), let end = words.firstRange(of: "): ") else { return words }
    return String(words[end.upperBound...])
  }
}

extension NATSLink: CustomReflectable {
  /// A mirror without children, so that `dump` shows no secret of an address or of the options.
  var customMirror: Mirror { Mirror(self, children: []) }
}
