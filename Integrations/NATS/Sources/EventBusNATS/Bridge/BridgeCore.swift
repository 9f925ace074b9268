internal import EventBus
private import _EventBusLocks

/// The parts of a bridge, which its lanes use for the life of the bridge.
final class BridgeCore: Sendable {
  private struct State {
    var outgoing: [AnyEventName: AnyOutgoingLane] = [:]
    /// The senders of dead letters, by event.
    var deadLetters: [String: DurableSender] = [:]
    var incoming: [ObjectIdentifier: AnyIncomingLane] = [:]
    /// The messages of the bridge itself, which wait to be sent.
    var answers: [OutgoingMessage] = []
    var nextNumber = 1
    /// The last sequences of former lanes, by event.
    var sequences: [AnyEventName: UInt64] = [:]
    /// The type of the payloads of each event.
    var types: [String: ObjectIdentifier] = [:]
    /// The time at which everything at the server is looked for again.
    var nextLook: ContinuousClock.Instant?
    var isStopped = false
    /// Whether the connection was closed for good.
    var isLinkClosed = false

    var lanes: [AnyOutgoingLane] { Array(outgoing.values) }
    var letters: [DurableSender] { Array(deadLetters.values) }
  }

  let bus: EventBus
  let link: any Link
  let node: String
  let prefix: String
  let incarnation: UInt64
  let configuration: EventBridge.Configuration
  let tally: Tally
  /// The posts of this bridge that may come back to its bus.
  let localPosts: LocalPosts
  /// The bridges of this bus.
  let localSenders: LocalSenders
  let backlog: Backlog
  /// The streams, consumers and subscriptions at the server.
  let preparations: Preparations
  /// The answers of the server to durable messages.
  private let inbox: AnswerInbox
  private let state = Locked(State())
  private let pump: LazyPump
  private let neighbors: LazyReference<Neighbors>
  private let connection = TokenBag()
  private let connectionReports: ConnectionReports

  init(
    _ bus: EventBus,
    _ link: any Link,
    _ node: String,
    _ configuration: EventBridge.Configuration
  ) {
    self.bus = bus
    self.link = link
    self.node = node
    prefix = Subject.encode(configuration.prefix)
    incarnation = .random(in: 1 ... .max)
    self.configuration = configuration
    tally = Tally(node, configuration.onReport)
    localPosts = LocalPosts(limit: configuration.durableLimit)
    preparations = Preparations(tally)
    pump = LazyPump("EventBusNATS.sending")
    inbox = AnswerInbox(link, incarnation)
    localSenders = LocalSenders(ObjectIdentifier(bus))
    backlog = Backlog(mark: configuration.waitingMark)
    connectionReports = ConnectionReports(link, tally)
    neighbors = LazyReference()
    LocalBridges.add(incarnation, LocalBridge(bus: ObjectIdentifier(bus), posts: localPosts))
  }

  deinit { LocalBridges.remove(incarnation) }

  /// Begins to work: connects the parts, which refer to this object.
  func start() {
    pump.work = { [weak self] in self?.flush() }
    inbox.start(self)
    neighbors.set(Neighbors(self))
    link.onChange { [weak self] isConnected in
      self?.connectionReports.note(isConnected)
      if isConnected { self?.reconnected() } else { self?.closeWithLink() }
    }.store(in: connection)
    link.onRefusal { [weak self] in self?.refused($0) }.store(in: connection)
    connectionReports.start()
    greet()
    closeWithLink()
    tick()
  }

  /// If the connection was closed for good, gives up all waiting events, and ends the waits for them.
  private func closeWithLink() {
    guard link.isClosed else { return }
    let (lanes, letters, isFirst) = state.withLock { state in
      defer { state.isLinkClosed = true }
      return (state.lanes, state.letters, !state.isLinkClosed)
    }
    guard isFirst else { return }
    for lane in lanes { lane.close(.connection) }
    for sender in letters { sender.close(.connection) }
    neighbors.object?.closed()
    backlog.note(waitingCount)
  }

  /// Listens for the other nodes.
  private func greet() {
    try? neighbors.object?.subscribe(self)  // Reason: the preparation repeats it.
    preparations.add(
      "_node",
      isVital: false,
      isDenied: { [weak self] in
        self?.neighbors.object?.drop($0) ?? false
      }
    ) { [weak self] () async throws(LinkFailure) in
      if let self { try await self.neighbors.object?.start(self) }
    }.store(in: connection)
  }

  // MARK: Sending

  /// Sends all waiting messages soon.
  func wake() { pump.wake() }

  /// Sends a message of the bridge itself soon.
  func answer(_ message: OutgoingMessage) {
    state.withLock { $0.answers.append(message) }
    wake()
  }

  private func flush() {
    let (answers, lanes, letters) = state.withLock { state in
      defer { state.answers = [] }
      return (state.answers, state.lanes, state.letters)
    }
    for answer in answers {
      // The server delivers an unanswered event again, and the next heartbeat follows.
      do throws(LinkFailure) { try link.send(answer) } catch { continue }
    }
    for lane in lanes { lane.flush(self) }
    for sender in letters { sender.flush(self) }
    backlog.note(waitingCount)
  }

  private func tick() {
    guard !state.withLock({ $0.isStopped || $0.isLinkClosed }) else { return }
    let now = ContinuousClock.now
    let (lanes, isLook) = state.withLock { state in
      let isLook = state.nextLook.map { $0 <= now } ?? false
      if isLook || state.nextLook == nil { state.nextLook = now + configuration.lookInterval }
      return (Array(state.incoming.values), isLook)
    }
    for lane in lanes { lane.tick(now) }
    // The server does not announce that a stream or a consumer was deleted.
    if isLook, link.isConnected { preparations.again() }
    neighbors.object?.tick(now)
    wake()
    pump.enqueue(after: configuration.tick) { [weak self] in self?.tick() }
  }

  private func reconnected() {
    let (lanes, letters) = state.withLock { ($0.lanes, $0.letters) }
    for lane in lanes { lane.reconnected() }
    for sender in letters { sender.reconnected() }
    preparations.reconnected()
    neighbors.object?.reconnected()
    wake()
  }

  /// Notes a refusal by the server, some time after the message was sent.
  private func refused(_ refusal: LinkRefusal) {
    switch refusal {
    case .other(let text): tally.report(BridgeReport(.notPrepared, "_connection", text))
    case .unreachable(let words): tally.report(BridgeReport(.disconnected, "_connection", words))
    case .unauthenticated(let text):
      let failure = LinkFailure.unauthenticated(text)
      tally.report(BridgeReport(.notAuthorized, "_connection", "\(failure)"))
      // Nothing counts as prepared until the server accepts them.
      preparations.again()
    case .denied(let denial) where denial.action == .subscribe: preparations.denied(denial)
    case .denied(let denial): notSent(denial)
    }
  }

  /// Notes that a message was not accepted.
  private func notSent(_ denial: Denial) {
    let (lanes, letters) = state.withLock { ($0.lanes, $0.deadLetters) }
    for lane in lanes where lane.subject == denial.subject { lane.denied(denial, self) }
    for (event, sender) in letters
    where Subject.deadLetters(event, prefix: prefix) == denial.subject {
      sender.denied(denial.text)
    }
    let isOwnBeat = denial.subject == Subject.node(node, prefix: prefix)
    if isOwnBeat { tally.report(BridgeReport(.notAuthorized, "_node", denial.text)) }
    if denial.subject.hasPrefix("$JS.ACK.") {
      tally.report(BridgeReport(.notAuthorized, "_answers", denial.text))
    }
  }

  // MARK: Lanes

  /// Creates a sender of durable messages.
  func makeSender(_ event: String, stream: String) -> DurableSender {
    let number = nextNumber()
    let sender = DurableSender(
      self,
      event: event,
      stream: stream,
      number: number,
      replyPrefix: inbox.replyPrefix(number)
    )
    inbox.add(sender)
    if let reason = closeReason { sender.close(reason) }
    inbox.listen(self)?.store(in: connection)
    return sender
  }

  /// Notes the type of an event's payloads.
  ///
  /// - Precondition: It is the same for all names with the same string.
  func claim(_ event: String, _ type: Any.Type, _ fileID: StaticString, _ line: UInt) {
    let known = state.withLock { state in
      defer { state.types[event] = state.types[event] ?? ObjectIdentifier(type) }
      return state.types[event] ?? ObjectIdentifier(type)
    }
    if known == ObjectIdentifier(type) { return }
    trap(
      "The event \"\(event)\" is carried with two payload types, which would share a subject",
      remedy: "Give one of them another name",
      fileID: fileID,
      line: line
    )
  }

  /// The message about an event that is posted after the end of the bridge.
  static func ended(_ event: String) -> String {
    "The event \(event) was not sent, as the bridge has ended: post before it drains"
  }

  /// Whether the bridge has ended.
  var isStopped: Bool { state.withLock(\.isStopped) }

  func nextNumber() -> Int {
    state.withLock { state in
      defer { state.nextNumber += 1 }
      return state.nextNumber
    }
  }

  func add(_ lane: AnyOutgoingLane, _ name: AnyEventName) {
    let former = state.withLock { $0.outgoing.updateValue(lane, forKey: name) }
    withExtendedLifetime(former) {}
    if let reason = closeReason { lane.close(reason) }
  }

  /// The reason why nothing can be sent any more, if there is one.
  private var closeReason: CloseReason? {
    state.withLock { state in
      if state.isStopped { return .bridge(isConnected: true) }
      return state.isLinkClosed ? .connection : nil
    }
  }

  /// The last sequence of the earlier lanes of an event.
  func sequence(_ name: AnyEventName) -> UInt64 { state.withLock { $0.sequences[name] ?? 0 } }

  /// Removes a lane, whose successor continues its sequence.
  func remove(_ lane: AnyOutgoingLane, _ name: AnyEventName) {
    let last = lane.lastSequence
    if let sender = lane.sender { inbox.remove(sender) }
    let removed = state.withLock { state in
      state.sequences[name] = max(last, state.sequences[name, default: 0])
      return state.outgoing[name] === lane ? state.outgoing.removeValue(forKey: name) : nil
    }
    withExtendedLifetime(removed) {}
  }

  /// What waits in the lanes.
  var levels: BridgeLevels {
    let (lanes, letters, incoming) = state.withLock { ($0.lanes, $0.letters, $0.incoming.values) }
    var levels = BridgeLevels()
    for waiting in lanes.map(\.waiting) + letters.map(\.waiting) {
      levels.waitingEvents += waiting.events
      levels.waitingBytes += waiting.bytes
    }
    for lane in incoming {
      if let lag = lane.lag { levels.lag[lag.event] = max(lag.count, levels.lag[lag.event] ?? 0) }
    }
    return levels
  }

  /// The number of events that have not reached the server.
  var waitingCount: Int {
    let (lanes, letters) = state.withLock { ($0.lanes, $0.letters) }
    return lanes.reduce(0) { $0 + $1.waiting.events } + letters.reduce(0) { $0 + $1.count }
  }

  func lane(_ name: AnyEventName) -> AnyOutgoingLane? { state.withLock { $0.outgoing[name] } }

  func add(_ lane: AnyIncomingLane) {
    state.withLock { $0.incoming[ObjectIdentifier(lane)] = lane }
  }

  func remove(_ lane: AnyIncomingLane) {
    let removed = state.withLock { $0.incoming.removeValue(forKey: ObjectIdentifier(lane)) }
    withExtendedLifetime(removed) {}
  }

  /// Publishes a dead letter.
  func bury(
    _ message: OutgoingMessage,
    stream: String,
    event: String,
    completion: @escaping @Sendable (Result<EventBridge.Receipt, NATSError>) -> Void
  ) -> NATSError? {
    let sender =
      state.withLock { $0.deadLetters[event] }
      ?? {
        let made = makeSender(event, stream: stream)
        made.prepared()
        let kept = state.withLock { state in
          let kept = state.deadLetters[event] ?? made
          state.deadLetters[event] = kept
          return kept
        }
        // Another thread has buried the first one at the same time.
        if kept !== made { inbox.remove(made) }
        return kept
      }()
    let refusal = sender.append(Letter(message: { _ in message }, completion: completion))
    wake()
    return refusal
  }

  // MARK: Nodes

  func node(_ name: String, isAsked: Bool = false) -> EventBridge.Node {
    neighbors.object?.node(name, isAsked: isAsked) ?? EventBridge.Node(name)
  }

  var presentNodes: [EventBridge.Node] { neighbors.object?.present ?? [] }

  // MARK: Ending

  /// Waits until all events posted so far have reached the server, and the durable ones are stored.
  ///
  /// - Parameter isEnding: Whether only durable events are worth a wait for a server that is not there yet.
  func waitUntilFlushed(isEnding: Bool = false) async {
    let (lanes, letters) = state.withLock { ($0.lanes, $0.letters) }
    let senders = lanes.compactMap(\.sender) + letters
    if isEnding, link.awaitedServer != nil, senders.allSatisfy({ $0.count == 0 }) { return }
    let promises = lanes.map { $0.allSoFar() }
    wake()
    for promise in promises {
      do throws(NATSError) { try await promise.value() } catch { return }
    }
    await pump.finish()
    while !Task.isCancelled, !link.isClosed, !isStopped {
      do throws(LinkFailure) {
        return try await link.flush(within: .seconds(2))
      } catch .closed {
        return
      } catch {
        // Disconnected: the next attempt follows when there may be a connection.
        do { try await Task.sleep(for: configuration.tick) } catch { return }
      }
    }
  }

  /// Stops receiving, and waits for running handlers.
  func stopReceiving() async {
    // Then every post so far has its number, by which it is recognized when it comes back.
    await pump.finish()
    let lanes = state.withLock { Array($0.incoming.values) }
    await withDiscardingTaskGroup { group in
      for lane in lanes { group.addTask { await lane.stop() } }
    }
    for lane in lanes { remove(lane) }
  }

  /// Announces the end of the node.
  func leave() async { await neighbors.object?.stop() }

  /// Stops all lanes at once.
  func stop() {
    let (lanes, letters, incoming) = state.withLock { state in
      state.isStopped = true
      defer { (state.outgoing, state.deadLetters, state.incoming) = ([:], [:], [:]) }
      return (state.lanes, state.letters, Array(state.incoming.values))
    }
    inbox.stop()
    let reason = CloseReason.bridge(isConnected: link.isConnected)
    for lane in lanes { lane.close(reason) }
    for sender in letters { sender.close(reason) }
    connection.end()
    preparations.stop()
    backlog.note(0)
    for lane in incoming { Task { await lane.stop() } }
  }
}
