internal import EventBus
private import Synchronization

/// The parts of a bridge, which its lanes use for as long as the bridge lives.
final class BridgeCore: Sendable {
  private struct State {
    var outgoing: [EventNames: AnyOutgoingLane] = [:]
    /// The lanes that send durable events, by the number in the subject of the answers.
    var senders: [Int: DurableSender] = [:]
    var deadLetters: [String: DurableSender] = [:]
    var incoming: [ObjectIdentifier: AnyIncomingLane] = [:]
    /// What prepares an event again: its stream, its consumer.
    var preparations: [String: @Sendable () -> Void] = [:]
    var answers: [OutgoingMessage] = []
    var inbox: (any LinkSubscription)?
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
  private let state = Mutex(State())
  private let pump: LazyPump
  private let inboxPump: LazyPump
  private let neighbours: LazyReference<Neighbours>
  private let connection = Mutex<Token?>(nil)
  private let localCache = Mutex(LocalAnswer())

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
    let token = link.onChange { [weak self] isConnected in
      if isConnected { self?.reconnected() } else { self?.closeWithLink() }
    }
    connection.withLock { $0 = token }
    subscribe()
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

  private func subscribe() {
    do throws(LinkFailure) {
      try neighbours.object?.start()
      let isNeeded = state.withLock { $0.inbox == nil && !$0.isStopped }
      guard isNeeded else { return }
      let made = try link.subscribe(
        "\(link.inbox).\(String(incarnation, radix: 16)).*.*",
        group: nil,
        limit: .max,
        sizeLimit: .max,
        wake: { [inboxPump] in inboxPump.wake() }
      )
      state.withLock { $0.inbox = made }
    } catch {
      tally.report(BridgeReport(.notPrepared, "_inbox", "\(error)"))
    }
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
    let (lanes, letters, preparations) = state.withLock { state in
      (
        Array(state.outgoing.values), Array(state.deadLetters.values),
        Array(state.preparations.values)
      )
    }
    for lane in lanes { lane.reconnected() }
    for sender in letters { sender.reconnected() }
    for preparation in preparations { preparation() }
    neighbours.object?.reconnected()
    wake()
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
      replyPrefix: "\(link.inbox).\(String(incarnation, radix: 16)).\(number)."
    )
    let isClosed = state.withLock { state in
      state.senders[number] = sender
      return state.isLinkClosed || state.isStopped
    }
    if isClosed { sender.close() }
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

  /// Prepares something, again until it succeeds, and again after the connection broke.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - refused: Called when it is not tried again, as it cannot succeed.
  ///   - body: Prepares it.
  /// - Returns: The token; no attempt begins after its end.
  func prepare(
    _ event: String,
    refused: @escaping @Sendable (LinkFailure) -> Void = { _ in },
    body: @escaping @Sendable () async throws(LinkFailure) -> Void
  ) -> Token {
    let key = "\(event)#\(nextNumber())"
    let job = PreparationJob { [weak self] error in
      if error == .closed { return false }
      self?.tally.report(BridgeReport(.notPrepared, event, "\(error)"))
      if case .invalid = error {
        refused(error)
        return false
      }
      return self != nil
    } body: { () async throws(LinkFailure) in
      try await body()
    }
    state.withLock { $0.preparations[key] = { job.run() } }
    job.run()
    return Token { [weak self] in
      job.cancel()
      let removed = self?.state.withLock { $0.preparations.removeValue(forKey: key) }
      withExtendedLifetime(removed) {}
    }
  }

  /// Prepares an event again, as its stream seems to be missing.
  func prepareAgain(_ event: String) {
    let jobs = state.withLock { state in
      state.preparations.filter { $0.key.hasPrefix("\(event)#") }.map(\.value)
    }
    for job in jobs { job() }
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
  func flushed() async {
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
        (state.preparations, state.incoming) = ([:], [:])
      }
      return (
        Array(state.outgoing.values), Array(state.deadLetters.values), state.inbox.take(),
        state.incoming
      )
    }
    inbox?.cancel()
    for lane in lanes { lane.close(nil) }
    for sender in letters { sender.close() }
    let token = connection.withLock { $0.take() }
    token?.cancel()
    for lane in incoming.values { Task { await lane.stop() } }
  }
}

/// A piece of work that may fail, and is tried again until it succeeds.
private final class PreparationJob: Sendable {
  private struct State {
    var isRunning = false
    var isWanted = false
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let failed: @Sendable (LinkFailure) -> Bool
  private let body: @Sendable () async throws(LinkFailure) -> Void

  init(
    failed: @escaping @Sendable (LinkFailure) -> Bool,
    body: @escaping @Sendable () async throws(LinkFailure) -> Void
  ) {
    (self.failed, self.body) = (failed, body)
  }

  func cancel() { state.withLock { $0.isCancelled = true } }

  func run() {
    let begins = state.withLock { state in
      state.isWanted = true
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if begins { Task { await work() } }
  }

  private func work() async {
    var pause = Duration.milliseconds(50)
    while begin() {
      do throws(LinkFailure) {
        try await body()
        pause = .milliseconds(50)
      } catch {
        guard failed(error) else { break }
        state.withLock { $0.isWanted = true }
        do { try await Task.sleep(for: pause) } catch { break }
        pause = min(.seconds(2), pause * 2)
      }
    }
  }

  private func begin() -> Bool {
    state.withLock { state in
      guard state.isWanted, !state.isCancelled else {
        state.isRunning = false
        return false
      }
      state.isWanted = false
      return true
    }
  }
}

/// The bridges of the process, by their incarnations.
private enum LocalBridges {
  private struct State {
    var cores: [UInt64: Weak<BridgeCore>] = [:]
  }

  private static let state = Mutex(State())

  static func add(_ core: BridgeCore) {
    state.withLock { $0.cores[core.incarnation] = Weak(core) }
  }

  static func remove(_ incarnation: UInt64) {
    _ = state.withLock { $0.cores.removeValue(forKey: incarnation) }
  }

  static func core(_ incarnation: UInt64) -> BridgeCore? {
    state.withLock { $0.cores[incarnation] }?.object
  }
}

/// An object that is made after its owner.
final class LazyReference<Object: AnyObject & Sendable>: Sendable {
  private let stored = Mutex<Object?>(nil)
  var object: Object? { stored.withLock { $0 } }
  func set(_ object: Object) { stored.withLock { $0 = object } }
}
