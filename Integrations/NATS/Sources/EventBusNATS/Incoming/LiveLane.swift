internal import EventBus
private import Synchronization

/// Carries a live event into the process.
final class LiveLane<Payload: Sendable>: AnyIncomingLane,
  @unchecked Sendable  // Reason: locked, or used on one queue.
{
  private let intake: Intake<Payload>
  private let core: Weak<BridgeCore>
  private let subject: String
  private let group: String?
  private let slot: SubscriptionSlot
  private let isCancelled = Atomic<Bool>(false)
  private let pump: LazyPump
  /// The state that only the work of the pump uses.
  private var reader = Reader()

  private struct Reader {
    var ledger = SenderLedger()
    var headers = HeaderReader()
    var node: EventBridge.Node?
  }

  init(_ core: BridgeCore, _ intake: Intake<Payload>, group: String?) {
    self.intake = intake
    let name = intake.name
    self.core = Weak(core)
    subject = Subject.event(name.name, prefix: core.prefix)
    slot = SubscriptionSlot(subject)
    self.group = group.map { Subject.encode($0, keepsDots: false) }
    pump = LazyPump("EventBusNATS.\(name.name)")
    super.init()
    pump.work = { [weak self] in self?.receive() }
  }

  override func start() async throws(LinkFailure) {
    guard let core = core.object else { return }
    try subscribe(core)
    try await slot.confirm(within: core.configuration.requestTimeout)
  }

  override func drop(_ subject: String) -> Bool { slot.drop(subject) }

  /// Subscribes, unless there is a subscription.
  func subscribe(_ core: BridgeCore) throws(LinkFailure) {
    guard slot.isWanted else { return }
    let made = try core.link.subscribe(
      subject,
      group: group,
      limit: core.configuration.bufferLimit,
      sizeLimit: core.configuration.byteLimit,
      readsFields: intake.readsFields,
      wake: { [pump] in pump.wake() }
    )
    slot.fill(made)
    pump.wake()
  }

  override func cancel() {
    isCancelled.store(true, ordering: .sequentiallyConsistent)
    slot.stop()?.cancel()
  }

  override func stop() async {
    slot.stop()?.cancel()
    await pump.finish()
    slot.clear()
  }

  private func receive() {
    while let core = core.object, let subscription = slot.subscription {
      let (messages, dropped) = subscription.take(512)
      if dropped > 0 {
        core.tally.report(
          BridgeReport(.droppedIncoming, intake.name.name, count: dropped, "slow handlers")
        )
      }
      if messages.isEmpty { return }
      var received = 0
      for message in messages {
        if isCancelled.load(ordering: .sequentiallyConsistent) { return }
        if receive(message, core) { received += 1 }
      }
      core.tally.count { $0.received += received }
    }
  }

  /// Posts an event.
  ///
  /// - Returns: Whether the message was an event.
  private func receive(_ message: LinkMessage, _ core: BridgeCore) -> Bool {
    do throws(IntakeProblem) {
      if intake.isForeign(message) {
        post(try intake.foreignPayload(of: message), from: nil, message.fields, core)
        return true
      }
      let header = try intake.header(of: message, &reader.headers)
      if core.localSenders.contains(header.incarnation) { return false }
      let payload = try intake.payload(of: message, header)
      if group == nil {
        switch reader.ledger.note(header) {
        case .next: break
        case .afterGap(let missing):
          core.tally.report(
            BridgeReport(.gap, intake.name.name, count: missing, node: header.node)
          )
        case .past:
          core.tally.report(BridgeReport(.past, intake.name.name, node: header.node))
          return false
        case .implausible:
          let words = "the sequence \(header.sequence) cannot be that of a bridge"
          throw IntakeProblem(
            kind: .unreadableHeader,
            detail: words,
            node: header.node
          )
        }
      }
      post(payload, from: node(header.node, core), message.fields, core)
      return true
    } catch {
      core.tally.report(
        BridgeReport(error.kind, intake.name.name, node: error.node, error.detail)
      )
      return false
    }
  }
}

extension LiveLane {
  private func post(
    _ payload: Payload,
    from node: EventBridge.Node?,
    _ fields: [String: String],
    _ core: BridgeCore
  ) {
    let arrival = Outlets.outlet(core.bus, intake.name).map { Arrival($0) }
    intake.propagation.restore(fields) {
      if let arrival {
        Arrival.$current.withValue(arrival) {
          _ = core.bus.post(intake.name, payload, from: node)
        }
      } else {
        core.bus.post(intake.name, payload, from: node)
      }
    }
  }

  /// The sender, which is usually that of the previous message.
  private func node(_ name: String, _ core: BridgeCore) -> EventBridge.Node {
    if let node = reader.node, node.name == name { return node }
    let node = core.node(name)
    reader.node = node
    return node
  }
}
