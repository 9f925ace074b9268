internal import EventBus
private import _EventBusLocks

/// The parts of a bridge, which its lanes use for as long as the bridge lives.
final class BridgeCore: Sendable {
  private struct State {
    var outgoing: [EventNames: AnyOutgoingLane] = [:]
    /// The lanes that send durable events, by the number in the subject of the answers.
    var senders: [Int: DurableSender] = [:]
    var deadLetters: [String: DurableSender] = [:]
    var incoming: [ObjectIdentifier: AnyIncomingLane] = [:]
    var answers: [OutgoingMessage] = []
    var inbox: (any LinkSubscription)?
    /// Whether the answers of the server are needed.
    var isListening = false
    /// Why there are none.
    var inboxDenial: NATSError?
    var nextNumber = 1
    /// The last sequences of the events that were carried out and are no longer, or in another way.
    var sequences: [EventNames: UInt64] = [:]
    /// The type of the payloads of each event.
    var types: [String: ObjectIdentifier] = [:]
    var isStopped = false
    /// Whether the connection was closed for good.
    var isLinkClosed = false
  }

  let bus: EventBus
  let link: any Link
  let node: String
  let prefix: String
  let incarnation: UInt64
  let configuration: EventBridge.Configuration
  let tally: Tally
  /// The events of this bridge that may come back to its bus.
  let localPosts: LocalPosts
  /// What is prepared at the server.
  let preparations: Preparations
  private let state = Locked(State())
  private let pump: LazyPump
  private let inboxPump: LazyPump
  private let neighbours: LazyReference<Neighbours>
  private let connection = TokenBag()
  private let localCache = Locked(LocalAnswer())

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
    tally = Tally(configuration.onReport)
    localPosts = LocalPosts(limit: configuration.durableLimit)
    preparations = Preparations(tally)
    pump = LazyPump("EventBusNATS.sending")
    inboxPump = LazyPump("EventBusNATS.answers")
    neighbours = LazyReference()
    LocalBridges.add(self)
  }

  deinit { LocalBridges.remove(incarnation) }

  /// Begins to work.
  func start() {
    pump.work = { [weak self] in self?.flush() }
    inboxPump.work = { [weak self] in self?.takeAnswers() }
    neighbours.set(Neighbours(self))
    link.onChange { [weak self] isConnected in
      if isConnected { self?.reconnected() } else { self?.closeWithLink() }
    }.store(in: connection)
    link.onRefusal { [weak self] in self?.refused($0) }.store(in: connection)
    greet()
    closeWithLink()
    tick()
  }

  /// After the connection was closed for good: gives up what waits, and says so to those who wait.
  private func closeWithLink() {
    guard link.isClosed else { return }
    let lanes = state.withLock { state in
      defer { state.isLinkClosed = true }
      return state.isLinkClosed
        ? nil : (Array(state.outgoing.values), Array(state.deadLetters.values))
    }
    guard let lanes else { return }
    for lane in lanes.0 { lane.close(nil) }
    for sender in lanes.1 { sender.close() }
    neighbours.object?.closed()
  }

  /// Listens for the other nodes.
  private func greet() {
    try? neighbours.object?.subscribe(self)  // Reason: it is tried again, and a failure reported.
    preparations.add(
      "_node",
      isVital: false,
      isDenied: { [weak self] in
        self?.neighbours.object?.drop($0) ?? false
      }
    ) { [weak self] () async throws(LinkFailure) in
      if let self { try await self.neighbours.object?.start(self) }
    }.store(in: connection)
  }

  // MARK: Answers

  /// Listens for the answers of the server to durable messages, from the first sender on.
  private func listen() {
    let isFirst = state.withLock { state in
      defer { state.isListening = true }
      return !state.isListening
    }
    guard isFirst else { return }
    try? subscribeInbox()  // Reason: as above.
    preparations.add("_inbox") { [weak self] in
      self?.inboxFailed($0)
    } isDenied: { [weak self] in
      self?.dropInbox($0) ?? false
    } body: { [weak self] () async throws(LinkFailure) in
      try await self?.startInbox()
    }.store(in: connection)
  }

  /// Where the server answers to durable messages; number and serial follow.
  private var inboxPrefix: String { "\(link.inbox).\(String(incarnation, radix: 16))." }
  private var inboxSubject: String { inboxPrefix + "*.*" }

  private func startInbox() async throws(LinkFailure) {
    try subscribeInbox()
    do throws(LinkFailure) {
      let limit = configuration.requestTimeout
      try await state.withLock(\.inbox)?.confirm(within: limit)
    } catch {
      if case .notAuthorized = error { _ = dropInbox(inboxSubject) }
      throw error
    }
    let senders = state.withLock { state in
      state.inboxDenial = nil
      return Array(state.senders.values)
    }
    for sender in senders { sender.permit(.answers) }
  }

  /// Without answers no durable event is known to be stored.
  private func inboxFailed(_ failure: LinkFailure) {
    let error = NATSError(.notAuthorized, "The answers of the server: \(failure)")
    let senders = state.withLock { state in
      state.inboxDenial = error
      return Array(state.senders.values)
    }
    for sender in senders { sender.deny(.answers, error) }
  }

  private func subscribeInbox() throws(LinkFailure) {
    let isNeeded = state.withLock { $0.inbox == nil && !$0.isStopped }
    guard isNeeded else { return }
    let made = try link.subscribe(
      inboxSubject,
      group: nil,
      limit: .max,
      sizeLimit: .max,
      wake: { [inboxPump] in inboxPump.wake() }
    )
    state.withLock { $0.inbox = made }
  }

  private func dropInbox(_ subject: String) -> Bool {
    guard subject == inboxSubject else { return false }
    let dropped = state.withLock { $0.inbox.take() }
    dropped?.cancel()
    return true
  }

  /// Has what waits sent soon.
  func wake() { pump.wake() }

  /// Sends a message of the bridge itself soon.
  func answer(_ message: OutgoingMessage) {
    state.withLock { $0.answers.append(message) }
    wake()
  }

  private func flush() {
    let (answers, lanes, letters) = state.withLock { state in
      defer { state.answers = [] }
      return (state.answers, Array(state.outgoing.values), Array(state.deadLetters.values))
    }
    for answer in answers {
      // An answer that is lost is asked for again, and so is a heartbeat.
      do throws(LinkFailure) { try link.send(answer) } catch { continue }
    }
    for lane in lanes { lane.flush(self) }
    for sender in letters { sender.flush(self) }
  }

  private func tick() {
    guard !state.withLock({ $0.isStopped || $0.isLinkClosed }) else { return }
    let now = ContinuousClock.now
    let lanes = state.withLock { Array($0.incoming.values) }
    for lane in lanes { lane.tick(now) }
    neighbours.object?.tick(now)
    wake()
    pump.enqueue(after: configuration.tick) { [weak self] in self?.tick() }
  }

  private func reconnected() {
    let (lanes, letters) = state.withLock { state in
      (Array(state.outgoing.values), Array(state.deadLetters.values))
    }
    for lane in lanes { lane.reconnected() }
    for sender in letters { sender.reconnected() }
    preparations.reconnected()
    neighbours.object?.reconnected()
    wake()
  }

  /// Notes what the server has refused, some time after it was sent.
  private func refused(_ refusal: LinkRefusal) {
    switch refusal {
    case .other(let text): tally.report(BridgeReport(.notPrepared, "_connection", text))
    case .denied(let denial) where denial.action == .subscribe: preparations.denied(denial)
    case .denied(let denial): notSent(denial)
    }
  }

  /// Notes that a message was not accepted.
  private func notSent(_ denial: Denial) {
    let (lanes, letters) = state.withLock { state in
      (Array(state.outgoing.values), state.deadLetters)
    }
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

  private func takeAnswers() {
    while let inbox = state.withLock({ $0.inbox }) {
      let messages = inbox.take(512).messages
      if messages.isEmpty { break }
      for message in messages {
        // <inbox>.<incarnation>.<number>.<serial>
        let tokens = message.subject.utf8.split(separator: UInt8(ascii: ".")).suffix(2)
        guard tokens.count == 2, let first = tokens.first, let last = tokens.last,
          let lane = number(first, radix: 10).flatMap(Int.init(exactly:)),
          let serial = number(last, radix: 10)
        else { continue }
        state.withLock { $0.senders[lane] }?.answer(serial, message, self)
      }
    }
    wake()
  }

  // MARK: Lanes

  /// A sender of durable messages.
  func makeSender(_ event: String, stream: String) -> (number: Int, sender: DurableSender) {
    let number = nextNumber()
    let sender = DurableSender(
      self,
      event: event,
      stream: stream,
      number: number,
      replyPrefix: inboxPrefix + "\(number)."
    )
    let (isClosed, denial) = state.withLock { state in
      state.senders[number] = sender
      return (state.isLinkClosed || state.isStopped, state.inboxDenial)
    }
    if let denial { sender.deny(.answers, denial) }
    if isClosed { sender.close() }
    listen()
    return (number, sender)
  }

  /// Notes the type of an event's payloads.
  ///
  /// - Precondition: It is the same for all names with the same string.
  func claim(_ event: String, _ type: Any.Type) {
    let isSame = state.withLock { state in
      let known = state.types[event] ?? ObjectIdentifier(type)
      state.types[event] = known
      return known == ObjectIdentifier(type)
    }
    precondition(
      isSame,
      "The event \"\(event)\" is carried with two types of payload, which would share a subject: "
        + "give one of them another name"
    )
  }

  /// Whether the bridge has ended.
  var isStopped: Bool { state.withLock(\.isStopped) }

  func nextNumber() -> Int {
    state.withLock { state in
      defer { state.nextNumber += 1 }
      return state.nextNumber
    }
  }

  func add(_ lane: AnyOutgoingLane, _ name: EventNames) {
    let (former, isClosed) = state.withLock { state in
      let isClosed = state.isLinkClosed || state.isStopped
      return (state.outgoing.updateValue(lane, forKey: name), isClosed)
    }
    withExtendedLifetime(former) {}
    if isClosed { lane.close(nil) }
  }

  /// The last sequence that earlier lanes of an event gave.
  func sequence(_ name: EventNames) -> UInt64 { state.withLock { $0.sequences[name, default: 0] } }

  /// Removes a lane, whose successor goes on counting.
  func remove(_ lane: AnyOutgoingLane, _ name: EventNames) {
    let last = lane.lastSequence
    let removed = state.withLock { state in
      state.sequences[name] = max(last, state.sequences[name, default: 0])
      let sender = lane.sender.flatMap { state.senders.removeValue(forKey: $0.number) }
      let isCurrent = state.outgoing[name] === lane
      return (sender, isCurrent ? state.outgoing.removeValue(forKey: name) : nil)
    }
    withExtendedLifetime(removed) {}
  }

  func lane(_ name: EventNames) -> AnyOutgoingLane? { state.withLock { $0.outgoing[name] } }

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
    completion: @escaping @Sendable (Result<Receipt, NATSError>) -> Void
  ) -> NATSError? {
    let sender =
      state.withLock { $0.deadLetters[event] }
      ?? {
        let (_, made) = makeSender(event, stream: stream)
        made.prepared()
        return state.withLock { state in
          if let known = state.deadLetters[event] { return known }
          state.deadLetters[event] = made
          return made
        }
      }()
    let refusal = sender.append(Letter(message: { _ in message }, completion: completion))
    wake()
    return refusal
  }

  // MARK: Preparing

  func prepareStream(_ stream: String, for event: String) async throws(LinkFailure) {
    if let problem = Subject.problem(stream, of: "stream") { throw .invalid(problem) }
    try await link.prepareStream(
      stream,
      subjects: [
        Subject.event(event, prefix: prefix), Subject.deadLetters(event, prefix: prefix),
      ],
      replicas: configuration.replicas,
      within: configuration.requestTimeout
    )
  }

  // MARK: Nodes

  func node(_ name: String, isAsked: Bool = false) -> EventBridge.Node {
    neighbours.object?.node(name, isAsked: isAsked) ?? EventBridge.Node(name)
  }

  var presentNodes: [EventBridge.Node] { neighbours.object?.present ?? [] }

  /// Whether an event was sent by a bridge of the same bus, where it was posted.
  func isLocal(_ incarnation: UInt64) -> Bool {
    if incarnation == self.incarnation { return true }
    let known = localCache.withLock { $0 }
    if known.incarnation == incarnation { return known.isLocal }
    let isLocal = LocalBridges.core(incarnation)?.bus === bus
    localCache.withLock { $0 = LocalAnswer(incarnation: incarnation, isLocal: isLocal) }
    return isLocal
  }

  /// What has become of an event on this bus, if it was posted here.
  func localPost(_ header: WireHeader, _ event: String) -> LocalPost? {
    guard isLocal(header.incarnation) else { return nil }
    return LocalBridges.core(header.incarnation)?.localPosts.post(event, header.sequence)
  }

  fileprivate struct LocalAnswer {
    /// Zero is the incarnation of no bridge.
    var incarnation: UInt64 = 0
    var isLocal = false
  }

  // MARK: Ending

  /// Waits until everything posted so far was sent, or is stored, and has reached the server.
  func waitUntilFlushed() async {
    let lanes = state.withLock { Array($0.outgoing.values) }
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
        // Away: asked again when there may be a connection.
        do { try await Task.sleep(for: configuration.tick) } catch { return }
      }
    }
  }

  /// Stops receiving, and waits for running handlers.
  func stopReceiving() async {
    // Every post so far has its number then, by which it is known when it comes back.
    await pump.finish()
    let lanes = state.withLock { Array($0.incoming.values) }
    await withDiscardingTaskGroup { group in
      for lane in lanes { group.addTask { await lane.stop() } }
    }
    for lane in lanes { remove(lane) }
  }

  /// Says goodbye.
  func leave() async { await neighbours.object?.stop() }

  /// Stops everything at once.
  func stop() {
    let (lanes, letters, inbox, incoming) = state.withLock { state in
      state.isStopped = true
      defer {
        (state.outgoing, state.senders, state.deadLetters) = ([:], [:], [:])
        state.incoming = [:]
      }
      return (
        Array(state.outgoing.values), Array(state.deadLetters.values), state.inbox.take(),
        state.incoming
      )
    }
    inbox?.cancel()
    for lane in lanes { lane.close(nil) }
    for sender in letters { sender.close() }
    connection.end()
    preparations.stop()
    for lane in incoming.values { Task { await lane.stop() } }
  }
}
