internal import EventBus
private import _EventBusLocks

/// The way of one event into the process.
class AnyIncomingLane: @unchecked Sendable {  // Reason: subclasses lock.
  /// Subscribes, or tries again.
  func start() async throws(LinkFailure) {}
  /// Sends what keeps running handlers from being called twice; on the queue of the bridge.
  func tick(_ now: ContinuousClock.Instant) {}
  /// Drops the subscription, if the server has denied it.
  ///
  /// - Returns: Whether the subject is that of the subscription.
  func drop(_ subject: String) -> Bool { false }
  /// Ends the subscription at once; what has arrived is not posted.
  func cancel() {}
  /// Ends the subscription, and waits for running handlers.
  func stop() async {}
}

/// Why a message is not an event.
struct IntakeProblem: Error {
  let kind: BridgeReport.Kind
  let detail: String
  var node: String?
}

/// What both kinds of incoming lanes do with a message: check it, decode it, find its sender.
struct Intake<Payload: Sendable>: Sendable {
  let name: EventName<Payload>
  let codec: EventCodec<Payload>
  let publishers: EventBridge.Publishers
  let propagation: EventPropagation?

  init(
    _ name: EventName<Payload>,
    _ codec: EventCodec<Payload>,
    _ publishers: EventBridge.Publishers,
    _ core: BridgeCore
  ) {
    (self.name, self.codec, self.publishers) = (name, codec, publishers)
    propagation = core.configuration.propagation
  }

  /// Whether the headers of other programs are looked at.
  var readsFields: Bool { publishers == .all || propagation != nil }

  /// Whether a message is one of another program, and may be an event.
  func isForeign(_ message: LinkMessage) -> Bool { publishers == .all && message.header == nil }

  /// The payload of a message of another program.
  func foreignPayload(of message: LinkMessage) throws(IntakeProblem) -> Payload {
    do throws(ForeignMessage.Problem) {
      try ForeignMessage.check(message.fields, contentType: codec.contentType)
    } catch {
      switch error {
      case .unreadable(let words): throw IntakeProblem(kind: .unreadableHeader, detail: words)
      case .unknown(let words): throw IntakeProblem(kind: .unknownVersion, detail: words)
      }
    }
    do {
      return try codec.decode(message.payload)
    } catch {
      throw IntakeProblem(kind: .unreadablePayload, detail: "\(error)")
    }
  }

  func header(of message: LinkMessage) throws(IntakeProblem) -> WireHeader {
    var reader = HeaderReader()
    return try header(of: message, &reader)
  }

  func header(
    of message: LinkMessage,
    _ reader: inout HeaderReader
  ) throws(IntakeProblem) -> WireHeader {
    guard let bytes = message.header else {
      throw IntakeProblem(kind: .unreadableHeader, detail: "no header \(WireHeader.name)")
    }
    guard let header = reader.read(bytes) else {
      throw IntakeProblem(kind: .unreadableHeader, detail: "the header cannot be read")
    }
    return header
  }

  func payload(of message: LinkMessage, _ header: WireHeader) throws(IntakeProblem) -> Payload {
    guard header.version == codec.version, header.contentType == codec.contentType else {
      throw IntakeProblem(
        kind: .unknownVersion,
        detail: "version \(header.version) of \(header.contentType)",
        node: header.node
      )
    }
    do {
      return try codec.decode(message.payload)
    } catch {
      throw IntakeProblem(kind: .unreadablePayload, detail: "\(error)", node: header.node)
    }
  }
}

extension Intake {
  /// Posts an event and waits for its handlers.
  ///
  /// - Returns: Why it counts as not handled.
  func post(
    _ payload: Payload,
    from header: WireHeader?,
    _ fields: [String: String],
    _ core: BridgeCore
  ) async -> String? {
    let arrival = Outlets.outlet(core.bus, name).map { Arrival($0) }
    let node = header.map { core.node($0.node) }
    var posted: PostOutcome?
    await propagation.restore(fields) {
      posted = await Arrival.$current.withValue(arrival) {
        await core.bus.postAndWait(name, payload, from: node)
      }
    }
    guard let outcome = posted else { return "the propagation did not post the event" }
    if let error = outcome.errors.first { return "a handler failed: \(error)" }
    if outcome.cancelledCount > 0 { return "a handler was cancelled" }
    if outcome.droppedCount > 0 { return "a handler dropped the event" }
    let ownObservers = arrival?.wasSeen == true ? 1 : 0
    return outcome.reachedCount > ownObservers ? nil : "there is no handler"
  }
}

/// The way of a live event into the process.
final class LiveLane<Payload: Sendable>: AnyIncomingLane,
  @unchecked Sendable  // Reason: locked, or used on one queue.
{
  private struct State {
    var subscription: (any LinkSubscription)?
    var isStopped = false
    var isCancelled = false
  }

  private let intake: Intake<Payload>
  private let core: Weak<BridgeCore>
  private let subject: String
  private let group: String?
  private let state = Locked(State())
  private let pump: LazyPump
  /// What only the work of the pump uses.
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
    self.group = group.map { Subject.encode($0, keepsDots: false) }
    pump = LazyPump("EventBusNATS.\(name.name)")
    super.init()
    pump.work = { [weak self] in self?.receive() }
  }

  override func start() async throws(LinkFailure) {
    guard let core = core.object else { return }
    try subscribe(core)
    do throws(LinkFailure) {
      let limit = core.configuration.requestTimeout
      try await state.withLock(\.subscription)?.confirm(within: limit)
    } catch {
      if case .notAuthorized = error { _ = drop(subject) }
      throw error
    }
  }

  override func drop(_ subject: String) -> Bool {
    guard subject == self.subject else { return false }
    let dropped = state.withLock { $0.isStopped ? nil : $0.subscription.take() }
    dropped?.cancel()
    return true
  }

  /// Subscribes, unless that is done.
  func subscribe(_ core: BridgeCore) throws(LinkFailure) {
    guard state.withLock({ $0.subscription == nil && !$0.isStopped }) else { return }
    let made = try core.link.subscribe(
      subject,
      group: group,
      limit: core.configuration.bufferLimit,
      sizeLimit: core.configuration.byteLimit,
      readsFields: intake.readsFields,
      wake: { [pump] in pump.wake() }
    )
    let isKept = state.withLock { state in
      if state.isStopped { return false }
      state.subscription = made
      return true
    }
    if !isKept { made.cancel() }
    pump.wake()
  }

  override func cancel() {
    let subscription = state.withLock { state in
      (state.isStopped, state.isCancelled) = (true, true)
      return state.subscription
    }
    subscription?.cancel()
  }

  override func stop() async {
    let subscription = state.withLock { state in
      state.isStopped = true
      return state.subscription
    }
    subscription?.cancel()
    await pump.finish()
    withExtendedLifetime(state.withLock { $0.subscription.take() }) {}
  }

  private func receive() {
    while let core = core.object, let subscription = state.withLock({ $0.subscription }) {
      let (messages, dropped) = subscription.take(512)
      if dropped > 0 {
        core.tally.report(
          BridgeReport(.droppedIncoming, intake.name.name, count: dropped, "slow handlers")
        )
      }
      if messages.isEmpty { return }
      var received = 0
      for message in messages {
        if state.withLock({ $0.isCancelled }) { return }
        if receive(message, core) { received += 1 }
      }
      core.tally.count { $0.received += received }
    }
  }

  /// Posts an event.
  ///
  /// - Returns: Whether it was one.
  private func receive(_ message: LinkMessage, _ core: BridgeCore) -> Bool {
    do throws(IntakeProblem) {
      if intake.isForeign(message) {
        post(try intake.foreignPayload(of: message), from: nil, message.fields, core)
        return true
      }
      let header = try intake.header(of: message, &reader.headers)
      if core.isLocal(header.incarnation) { return false }
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

  /// The sender, usually that of the message before.
  private func node(_ name: String, _ core: BridgeCore) -> EventBridge.Node {
    if let node = reader.node, node.name == name { return node }
    let node = core.node(name)
    reader.node = node
    return node
  }
}

/// A pump whose work is set after it was made.
final class LazyPump: @unchecked Sendable {  // Reason: the work is set before the first wake.
  private var pump: Pump?
  private let label: String

  init(_ label: String) { self.label = label }

  var work: @Sendable () -> Void {
    get { {} }
    set { pump = Pump(label, work: newValue) }
  }

  func wake() { pump?.wake() }

  /// Runs a closure on the queue after a time.
  func enqueue(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
    pump?.enqueue(after: pause, body)
  }

  /// Waits until work that was asked for is done.
  func finish() async {
    pump?.wake()
    await pump?.pass()
  }
}
