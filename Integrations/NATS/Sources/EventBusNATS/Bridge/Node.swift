public import EventBus
private import _EventBusLocks

extension EventNames {
  /// A node was heard for the first time, or again.
  public static let nodeDidJoin = EventName<EventBridge.Node>("node.didJoin")
  /// A node said goodbye, or fell silent for three heartbeats.
  public static let nodeDidLeave = EventName<EventBridge.Node>("node.didLeave")
}

extension EventBridge {
  /// Another process, as the sender of the events that came from it.
  ///
  /// A bridge has one object for each name, so that it can be used as the `from:` of an observer.
  ///
  /// ## Thread safety
  ///
  /// Every member may be used on any thread.
  public final class Node: Sendable, LifetimeOwner, CustomStringConvertible {
    private struct State {
      var lifetime = Lifetime()
      var isPresent = false
    }

    /// The name of the node.
    public let name: String
    private let state = Locked(State())

    init(_ name: String) { self.name = name }

    /// The lifetime of the process, which ends when it leaves or falls silent.
    ///
    /// The lifetime of a node that has not been heard yet is that of its next process. After an end, it is the
    /// ended one until a process of the name joins again. It ends, too, when the connection is closed for good.
    /// A bridge that has drained does not notice any end.
    public var lifetime: Lifetime { state.withLock { $0.lifetime } }

    /// Whether the node is there.
    public var isPresent: Bool { state.withLock { $0.isPresent } }

    /// The name of the node.
    public var description: String { name }

    func join() {
      state.withLock { state in
        if state.lifetime.hasEnded { state.lifetime = Lifetime() }
        state.isPresent = true
      }
    }

    func leave() {
      let lifetime = state.withLock { state in
        state.isPresent = false
        return state.lifetime
      }
      lifetime.end()
    }
  }
}

/// The other nodes, and the heartbeats by which they know this one.
final class Neighbours: Sendable {
  private struct State {
    var table: NodeTable
    var nodes: [String: EventBridge.Node] = [:]
    /// The nodes that the program has asked for.
    var asked: Set<String> = []
    var subscription: (any LinkSubscription)?
    var nextBeat: ContinuousClock.Instant?
    var isAway = false
    var isStopped = false
  }

  /// The kinds of heartbeats, sent as content type.
  private enum Kind: String {
    case hello, beat, bye
  }

  private let state: Locked<State>
  private let core: Weak<BridgeCore>
  private let pump: LazyPump

  init(_ core: BridgeCore) {
    state = Locked(State(table: NodeTable(own: (core.node, core.incarnation))))
    self.core = Weak(core)
    pump = LazyPump("EventBusNATS.nodes")
    pump.work = { [weak self] in self?.work() }
  }

  /// The nodes that are there.
  var present: [EventBridge.Node] {
    state.withLock { state in state.table.present.compactMap { state.nodes[$0] } }
  }

  /// The node of a name.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - isAsked: Whether the program asks, which may observe events of the node. Other names come from
  ///     messages; of many, only those of nodes that are there are remembered.
  /// - Returns: The same object for the same name, as long as it is remembered.
  func node(_ name: String, isAsked: Bool = false) -> EventBridge.Node {
    let (node, forgotten) = state.withLock { state in
      if isAsked { state.asked.insert(name) }
      if let node = state.nodes[name] { return (node, [:] as [String: EventBridge.Node]) }
      var forgotten: [String: EventBridge.Node] = [:]
      if state.nodes.count - state.asked.count >= Self.limit {
        forgotten = state.nodes.filter { !state.asked.contains($0.key) && !$0.value.isPresent }
        for name in forgotten.keys { state.nodes[name] = nil }
      }
      let node = EventBridge.Node(name)
      if isAsked || state.nodes.count - state.asked.count < Self.limit { state.nodes[name] = node }
      return (node, forgotten)
    }
    withExtendedLifetime(forgotten) {}
    return node
  }

  private static let limit = 10_000

  /// Subscribes, and asks the server whether it may.
  func start(_ core: BridgeCore) async throws(LinkFailure) {
    try subscribe(core)
    let subject = Subject.nodes(prefix: core.prefix)
    do throws(LinkFailure) {
      let limit = core.configuration.requestTimeout
      try await state.withLock(\.subscription)?.confirm(within: limit)
    } catch {
      if case .notAuthorized = error { _ = drop(subject) }
      throw error
    }
  }

  /// Drops the subscription, if the server has denied it.
  func drop(_ subject: String) -> Bool {
    guard let core = core.object, subject == Subject.nodes(prefix: core.prefix) else {
      return false
    }
    let dropped = state.withLock { $0.isStopped ? nil : $0.subscription.take() }
    dropped?.cancel()
    return true
  }

  /// Subscribes and greets, unless that is done.
  func subscribe(_ core: BridgeCore) throws(LinkFailure) {
    guard state.withLock({ $0.subscription == nil && !$0.isStopped }) else { return }
    let made = try core.link.subscribe(
      Subject.nodes(prefix: core.prefix),
      group: nil,
      limit: 10_000,
      sizeLimit: core.configuration.byteLimit,
      wake: { [pump] in pump.wake() }
    )
    let isKept = state.withLock { state in
      if state.isStopped { return false }
      state.subscription = made
      return true
    }
    if !isKept { made.cancel() }
    send(.hello)
  }

  func stop() async {
    let subscription = state.withLock { state in
      state.isStopped = true
      return state.subscription
    }
    subscription?.cancel()
    send(.bye)
    await pump.finish()
    withExtendedLifetime(state.withLock { $0.subscription.take() }) {}
  }

  /// Has silent nodes found; on the queue of the bridge.
  func tick(_ now: ContinuousClock.Instant) {
    guard let core = core.object else { return }
    let isDue = state.withLock { state in
      if state.isStopped { return false }
      if let next = state.nextBeat, next > now { return false }
      state.nextBeat = now + core.configuration.beat
      return true
    }
    if isDue { send(.beat) }
    pump.wake()
  }

  /// Ends all nodes: after the connection was closed, none can be heard.
  func closed() {
    let subscription = state.withLock { state in
      state.isStopped = true
      return state.subscription.take()
    }
    withExtendedLifetime(subscription) {}
    if let core = core.object { announce(state.withLock { $0.table.leaveAll() }, core) }
  }

  /// Greets again.
  func reconnected() { send(.hello) }

  private func work() {
    guard let core = core.object else { return }
    let subscription = state.withLock { $0.subscription }
    while let messages = subscription?.take(256).messages, !messages.isEmpty {
      for message in messages { receive(message, core) }
    }
    // Away from the server no node can be heard, and after it each has time to be heard again.
    let isConnected = core.link.isConnected
    let patience = core.configuration.beat * 3
    let changes = state.withLock { state in
      guard isConnected else {
        state.isAway = true
        return [] as [NodeTable.Change]
      }
      if state.isAway { state.table.excuse(until: .now + patience) }
      state.isAway = false
      return state.table.expire(at: .now)
    }
    announce(changes, core)
  }

  private func receive(_ message: LinkMessage, _ core: BridgeCore) {
    guard let header = message.header.flatMap({ WireHeader($0) }),
      let kind = Kind(rawValue: header.contentType), (1...3_600_000).contains(header.version)
    else {
      core.tally.report(BridgeReport(.unreadableHeader, "_node", "not a heartbeat"))
      return
    }
    if header.incarnation == core.incarnation { return }
    let changes = state.withLock { state in
      if kind == .bye { return state.table.left(header.node, header.incarnation, at: .now) }
      return state.table.heard(
        header.node,
        header.incarnation,
        interval: .milliseconds(header.version),
        at: .now
      )
    }
    if kind == .hello { send(.beat) }
    announce(changes, core)
  }

  private func announce(_ changes: [NodeTable.Change], _ core: BridgeCore) {
    for change in changes {
      switch change {
      case .joined(let name):
        let node = node(name)
        node.join()
        core.bus.post(.nodeDidJoin, node, from: node)
      case .left(let name):
        let node = node(name)
        node.leave()
        core.bus.post(.nodeDidLeave, node, from: node)
      case .clashed(let name):
        let words = "several processes are called \"\(name)\": give each node a name of its own"
        core.tally.report(BridgeReport(.nodeClash, "_node", node: name, words))
      case .ignored:
        core.tally.report(BridgeReport(.nodeIgnored, "_node", "the table of nodes is full"))
      }
    }
  }

  private func send(_ kind: Kind) {
    guard let core = core.object else { return }
    let header = WireHeader(
      node: core.node,
      incarnation: core.incarnation,
      sequence: 0,
      version: Int(clamping: core.configuration.beat.milliseconds),
      contentType: kind.rawValue
    )
    core.answer(
      OutgoingMessage(subject: Subject.node(core.node, prefix: core.prefix), header: header.bytes)
    )
  }
}
