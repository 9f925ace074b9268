internal import EventBus
private import Synchronization

/// The way of a durable event into the process.
///
/// Messages are handled one after the other, in the order of the stream. Each is acknowledged when every handler
/// has finished without an error.
final class DurableLane<Payload: Sendable>: AnyIncomingLane,
  @unchecked Sendable  // Reason: locked.
{
  private typealias Key = DurableReceiver.Key

  private struct Held {
    let key: Key
    let header: WireHeader
    let payload: Payload
  }

  private struct State {
    var subscription: (any LinkSubscription)?
    var receiver: DurableReceiver
    var waiting = BoundedBuffer<Held>(limit: .max)
    /// Where the answer to each event in hand goes.
    var replies: [Key: String] = [:]
    var worker: Task<Void, Never>?
    var nextReminder: ContinuousClock.Instant?
    var isStarting = false
    var isStopped = false
  }

  private let intake: Intake<Payload>
  private let core: Weak<BridgeCore>
  private let stream: String
  private let subject: String
  private let request: ConsumerRequest
  private let state: Mutex<State>
  private let pump: LazyPump

  init(
    _ core: BridgeCore,
    _ name: EventName<Payload>,
    _ codec: EventCodec<Payload>,
    stream: String,
    consumer: String?
  ) {
    let configuration = core.configuration
    intake = Intake(name: name, codec: codec)
    self.core = Weak(core)
    self.stream = stream
    subject = Subject.event(name.rawValue, prefix: core.prefix)
    request = ConsumerRequest(
      stream: stream,
      name: Subject.consumer(consumer ?? core.node, event: name.rawValue),
      subject: subject,
      answerTimeout: configuration.handlingTimeout,
      window: configuration.handlingLimit,
      keptFor: consumer == nil ? .seconds(86_400) : nil,
      history: consumer == nil ? name.replay : nil
    )
    state = Mutex(State(receiver: DurableReceiver(retry: configuration.retry)))
    pump = LazyPump("EventBusNATS.\(name.rawValue)")
    super.init()
    pump.work = { [weak self] in self?.receive() }
  }

  /// Makes sure that stream and consumer exist, and begins to listen.
  override func start() async throws(LinkFailure) {
    guard let core = core.object else { return }
    try await core.prepareStream(stream, for: intake.name.rawValue)
    let consumer = try await core.link.prepareConsumer(request)
    let isFirst = state.withLock { state in
      guard state.subscription == nil, !state.isStarting, !state.isStopped else { return false }
      state.isStarting = true
      return true
    }
    guard isFirst else { return }
    defer { state.withLock { $0.isStarting = false } }
    if !consumer.isNew, intake.name.replay > 0 { try await replay(upTo: consumer.floor, core) }
    let made = try core.link.subscribe(
      consumer.deliverySubject,
      group: consumer.group,
      limit: .max,
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

  /// Posts the last events that this consumer handled in an earlier process, which its bus would still keep.
  private func replay(upTo floor: UInt64, _ core: BridgeCore) async throws(LinkFailure) {
    let count = intake.name.replay
    let messages = try await core.link.recent(stream, subject: subject, upTo: floor, count: count)
    for message in messages {
      do throws(Intake<Payload>.Problem) {
        let header = try intake.header(of: message)
        if core.isLocal(header.incarnation) { continue }
        let payload = try intake.payload(of: message, header)
        _ = await post(payload, header, core)
        core.tally.count { $0.received += 1 }
      } catch {
        report(error, core)
      }
    }
  }

  override func stop() async {
    let (subscription, waiting) = state.withLock { state in
      state.isStopped = true
      let waiting = state.waiting.take()
      let replies = waiting.compactMap { state.replies.removeValue(forKey: $0.key) }
      return (state.subscription, replies)
    }
    for reply in waiting { answer(.again(after: .zero), to: reply) }
    await state.withLock { $0.worker }?.value
    core.object?.wake()
    subscription?.cancel()
    await pump.finish()
    withExtendedLifetime(state.withLock { $0.subscription.take() }) {}
  }

  override func cancel() {
    let subscription = state.withLock { state in
      state.isStopped = true
      return state.subscription
    }
    subscription?.cancel()
  }

  override func tick(_ now: ContinuousClock.Instant) {
    let replies = state.withLock { state in
      if let next = state.nextReminder, next > now { return [] as [String] }
      state.nextReminder = now + request.answerTimeout / 3
      return Array(state.replies.values)
    }
    for reply in replies { answer(.inProgress, to: reply) }
  }

  private func receive() {
    while let core = core.object, let subscription = state.withLock({ $0.subscription }) {
      let (messages, _) = subscription.take(256)
      if messages.isEmpty { return }
      for message in messages { receive(message, core) }
    }
  }

  private func receive(_ message: LinkMessage, _ core: BridgeCore) {
    guard let reply = message.reply, let delivery = DeliverySubject(reply) else {
      core.tally.report(
        BridgeReport(.unreadableHeader, intake.name.rawValue, "not from a stream")
      )
      return
    }
    do throws(Intake<Payload>.Problem) {
      let header = try intake.header(of: message)
      // The bus had it when it was posted.
      if core.isLocal(header.incarnation) { return answer(.done, to: reply) }
      let key = Key(header)
      let payload = try intake.payload(of: message, header)
      let held = Held(key: key, header: header, payload: payload)
      let action = state.withLock { state in
        if state.isStopped { return nil as DurableReceiver.Action? }
        let action = state.receiver.received(key, deliveries: delivery.deliveries)
        if action != .acknowledge { state.replies[key] = reply }
        if action == .handle {
          _ = state.waiting.append(held)
          if state.worker == nil { state.worker = Task { await self.work() } }
        }
        return action
      }
      switch action {
      case .acknowledge:
        core.tally.count { $0.duplicates += 1 }
        answer(.done, to: reply)
      case .handle, .wait: break
      case nil: answer(.again(after: .zero), to: reply)
      }
    } catch {
      // It will be as unreadable next time.
      report(error, core)
      bury(
        message.payload,
        message.header,
        id: "\(stream)-\(delivery.sequence)",
        error: "\(error.kind): \(error.detail)",
        reply: { reply },
        core
      )
    }
  }

  private func report(_ problem: Intake<Payload>.Problem, _ core: BridgeCore) {
    core.tally.report(
      BridgeReport(problem.kind, intake.name.rawValue, node: problem.node, problem.detail)
    )
  }

  /// Handles what waits, one event after the other.
  private func work() async {
    while let core = core.object {
      let next = state.withLock { state in
        let next = state.waiting.removeFirst()
        if next == nil { state.worker = nil }
        return next
      }
      guard let next else { return }
      let failure = await post(next.payload, next.header, core)
      core.tally.count { $0.received += 1 }
      if let failure {
        failed(next, failure, core)
      } else if let reply = state.withLock({ state in
        state.receiver.succeeded(next.key)
        return state.replies.removeValue(forKey: next.key)
      }) {
        answer(.done, to: reply)
      }
    }
  }

  /// Posts an event and waits for its handlers.
  ///
  /// - Returns: Why it counts as not handled.
  private func post(_ payload: Payload, _ header: WireHeader, _ core: BridgeCore) async -> String? {
    let arrival = Outlets.outlet(core.bus, intake.name).map { Arrival($0) }
    let node = core.node(header.node)
    let outcome = await Arrival.$current.withValue(arrival) {
      await core.bus.postAndWait(intake.name, payload, from: node)
    }
    if let error = outcome.errors.first { return "a handler failed: \(error)" }
    if outcome.cancelled > 0 { return "a handler was cancelled" }
    if outcome.dropped > 0 { return "a handler dropped the event" }
    let ownObservers = arrival?.wasSeen == true ? 1 : 0
    return outcome.reached > ownObservers ? nil : "there is no handler"
  }

  private func failed(_ held: Held, _ words: String, _ core: BridgeCore) {
    let (consequence, reply) = state.withLock { state in
      let consequence = state.receiver.failed(held.key)
      if consequence == .bury { return (consequence, state.replies[held.key]) }
      return (consequence, state.replies.removeValue(forKey: held.key))
    }
    guard let reply else { return }
    core.tally.report(
      BridgeReport(.failed, intake.name.rawValue, node: held.header.node, words)
    )
    switch consequence {
    case .again(let pause): answer(.again(after: pause), to: reply)
    case .bury:
      let payload: [UInt8]
      do {
        payload = try intake.codec.encode(held.payload)
      } catch {
        payload = []
      }
      bury(
        payload,
        held.header.bytes,
        id: "\(String(held.key.incarnation, radix: 16))-\(held.key.sequence)",
        error: words,
        reply: { [weak self] in
          // The newest delivery, as the event may have come again meanwhile.
          self?.state.withLock { $0.replies.removeValue(forKey: held.key) } ?? reply
        },
        core
      )
    }
  }

  /// Publishes a dead letter; the deliveries of the event end when it is stored.
  private func bury(
    _ payload: [UInt8],
    _ header: [UInt8]?,
    id: String,
    error: String,
    reply: @escaping @Sendable () -> String,
    _ core: BridgeCore
  ) {
    let message = OutgoingMessage(
      subject: Subject.deadLetters(intake.name.rawValue, prefix: core.prefix),
      header: header.flatMap { WireHeader($0) == nil ? nil : $0 },
      id: "dead-\(subject)-\(request.name)-\(id)",
      error: Self.headerText(error),
      payload: payload
    )
    let name = intake.name.rawValue
    let refusal = core.bury(message, stream: stream, event: name) { [weak self] result in
      guard let self, let core = self.core.object else { return }
      switch result {
      case .success:
        core.tally.report(BridgeReport(.deadLetter, name, error))
        answer(.terminate, to: reply())
      case .failure: answer(.again(after: .seconds(5)), to: reply())
      }
    }
    if refusal != nil { answer(.again(after: .seconds(5)), to: reply()) }
  }

  private func answer(_ answer: Acknowledgement, to reply: String) {
    core.object?.answer(OutgoingMessage(subject: reply, payload: answer.bytes))
  }

  /// A text as the value of a header: without line breaks, and not too long.
  private static func headerText(_ text: String) -> String {
    String(text.unicodeScalars.prefix(1000).map { $0.value < 32 ? " " : Character($0) })
  }
}
