internal import EventBus
private import _EventBusLocks

/// The other nodes, and the heartbeats that announce this one to them.
final class Neighbors: Sendable {
  private struct State {
    var table: NodeTable
    var nodes: [String: EventBridge.Node] = [:]
    /// The nodes for which the program has asked.
    var asked: Set<String> = []
    var nextBeat: ContinuousClock.Instant?
    var isDisconnected = false
  }

  /// The kinds of heartbeats, sent as content types.
  private enum Kind: String {
    case hello, beat, bye
  }

  private let state: Locked<State>
  private let slot: SubscriptionSlot
  private let core: Weak<BridgeCore>
  /// The subject of the heartbeats of all nodes.
  private let subject: String
  private let pump: LazyPump

  init(_ core: BridgeCore) {
    state = Locked(State(table: NodeTable(own: (core.node, core.incarnation))))
    self.core = Weak(core)
    subject = Subject.nodes(prefix: core.prefix)
    slot = SubscriptionSlot(subject)
    pump = LazyPump("EventBusNATS.nodes")
    pump.work = { [weak self] in self?.work() }
  }

  /// The present nodes.
  var present: [EventBridge.Node] {
    state.withLock { state in state.table.present.compactMap { state.nodes[$0] } }
  }

  /// The node of a name.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - isAsked: Whether the program asks, which may observe events of the node. Other names come from
  ///     messages; of many, only those of present nodes are remembered.
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

  /// Subscribes, and waits until the server has the subscription.
  func start(_ core: BridgeCore) async throws(LinkFailure) {
    try subscribe(core)
    try await slot.confirm(within: core.configuration.requestTimeout)
  }

  /// Drops the subscription, if the server has denied it.
  ///
  /// - Returns: Whether the subject is that of the subscription.
  func drop(_ subject: String) -> Bool { slot.drop(subject) }

  /// Subscribes, and greets the other nodes, unless there is a subscription.
  func subscribe(_ core: BridgeCore) throws(LinkFailure) {
    guard slot.isWanted else { return }
    let made = try core.link.subscribe(
      subject,
      group: nil,
      limit: 10_000,
      sizeLimit: core.configuration.byteLimit,
      wake: { [pump] in pump.wake() }
    )
    slot.fill(made)
    send(.hello)
  }

  func stop() async {
    slot.stop()?.cancel()
    send(.bye)
    await pump.finish()
    slot.clear()
  }

  /// Sends a heartbeat if it is due, and looks for silent nodes; on the queue of the bridge.
  func tick(_ now: ContinuousClock.Instant) {
    guard let core = core.object else { return }
    let isDue = state.withLock { state in
      if let next = state.nextBeat, next > now { return false }
      state.nextBeat = now + core.configuration.beat
      return true
    }
    if isDue, !slot.isStopped { send(.beat) }
    pump.wake()
  }

  /// Ends all nodes: after the connection was closed, no heartbeat can arrive.
  func closed() {
    slot.stop()
    slot.clear()
    if let core = core.object { announce(state.withLock { $0.table.leaveAll() }, core) }
  }

  /// Greets the other nodes again.
  func reconnected() { send(.hello) }

  private func work() {
    guard let core = core.object else { return }
    let subscription = slot.subscription
    while let messages = subscription?.take(256).messages, !messages.isEmpty {
      for message in messages { receive(message, core) }
    }
    // Without a connection no heartbeat can arrive, and after it each node has time to send one.
    let isConnected = core.link.isConnected
    let patience = core.configuration.beat * 3
    let changes = state.withLock { state in
      guard isConnected else {
        state.isDisconnected = true
        return [] as [NodeTable.Change]
      }
      if state.isDisconnected { state.table.excuse(until: .now + patience) }
      state.isDisconnected = false
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
        let words = "several processes are called \"\(name)\": give each node its own name"
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
