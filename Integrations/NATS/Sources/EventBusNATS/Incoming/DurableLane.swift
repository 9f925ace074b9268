internal import EventBus
private import _EventBusLocks

/// Carries a durable event into the process.
///
/// Messages are handled one after the other, in the order of the stream. Each is acknowledged when every handler
/// has finished without an error. For an event that was posted on the same bus, these are the handlers that the
/// post has called: they are called again only if one of them failed.
final class DurableLane<Payload: Sendable>: AnyIncomingLane,
  @unchecked Sendable  // Reason: locked.
{
  private struct State {
    var events: HeldEvents<Payload>
    /// The task that calls the handlers.
    var worker: Task<Void, Never>?
    var nextReminder: ContinuousClock.Instant?
    /// The place of the consumer when it was seen last.
    var resumption: ConsumerRequest.Resumption?
    /// The time after which the server delivers an unanswered event again.
    var answerTimeout: Duration
    /// The number of messages that the server had yet to deliver at the last delivery.
    var pending: UInt64 = 0
    var isStarting = false
    var isStopped = false
  }

  private let intake: Intake<Payload>
  private let core: Weak<BridgeCore>
  private let stream: String
  private let subject: String
  private let request: ConsumerRequest
  private let deadLetters: DeadLetters
  private let pause: Duration
  /// Whether other processes may share the consumer.
  private let isShared: Bool
  private let slot = SubscriptionSlot()
  private let state: Locked<State>
  private let pump: LazyPump
  /// The number of events that wait for the handlers of their posts on this bus.
  private let following = OpenCount()

  init(
    _ core: BridgeCore,
    _ intake: Intake<Payload>,
    stream: String,
    consumer: String?
  ) {
    let configuration = core.configuration
    self.intake = intake
    let name = intake.name
    self.core = Weak(core)
    self.stream = stream
    subject = Subject.event(name.name, prefix: core.prefix)
    request = ConsumerRequest(
      stream: stream,
      name: Subject.consumer(consumer ?? core.node, event: name.name),
      subject: subject,
      answerTimeout: configuration.handlingTimeout,
      window: configuration.handlingLimit,
      keptFor: consumer == nil ? .seconds(86_400) : nil,
      history: consumer == nil ? name.replay : nil
    )
    deadLetters = DeadLetters(
      core,
      event: name.name,
      stream: stream,
      consumer: request.name,
      limit: request.window * 4
    )
    pause = configuration.retry.firstPause
    isShared = consumer != nil
    state = Locked(
      State(
        events: HeldEvents(retry: configuration.retry, sizeLimit: configuration.byteLimit),
        answerTimeout: configuration.handlingTimeout
      )
    )
    pump = LazyPump("EventBusNATS.\(name.name)")
    super.init()
    pump.work = { [weak self] in self?.receive() }
  }

  /// Makes sure that stream and consumer exist, and begins to listen.
  override func start() async throws(LinkFailure) {
    guard let core = core.object else { return }
    try await core.prepareStream(stream, for: intake.name.name)
    let limit = core.configuration.requestTimeout
    var request = self.request
    request.resumption = state.withLock(\.resumption)
    let consumer = try await core.link.prepareConsumer(request, within: limit)
    let wasDeleted = consumer.isNew && slot.subscription != nil
    if wasDeleted {
      let words = "the consumer \(request.name) of the stream \(stream), or the stream, was deleted"
      core.tally.report(BridgeReport(.deleted, intake.name.name, "\(words); it was made again"))
    }
    let isFirst = state.withLock { state in
      state.answerTimeout = min(self.request.answerTimeout, consumer.answerTimeout)
      // A consumer that was made again has no floor before its first acknowledgement.
      let former = state.resumption.flatMap { resumption in
        resumption.streamCreated == consumer.streamCreated ? resumption.floor : nil
      }
      state.resumption = ConsumerRequest.Resumption(
        floor: max(former ?? 0, consumer.floor),
        streamCreated: consumer.streamCreated
      )
      guard !state.isStarting, !state.isStopped else { return false }
      state.isStarting = true
      return true
    }
    guard isFirst else { return }
    defer { state.withLock { $0.isStarting = false } }
    guard slot.isWanted else { return }
    slot.setSubject(consumer.deliverySubject)
    if !consumer.isNew, intake.name.replay > 0 { try await replay(upTo: consumer.floor, core) }
    let made = try core.link.subscribe(
      consumer.deliverySubject,
      group: consumer.group,
      limit: .max,
      sizeLimit: .max,
      readsFields: intake.readsFields,
      wake: { [pump] in pump.wake() }
    )
    slot.fill(made)
    pump.wake()
    try await slot.confirm(within: limit)
  }

  override func drop(_ subject: String) -> Bool { slot.drop(subject) }

  override var lag: (event: String, count: Int)? {
    state.withLock { state in
      let (sum, isTooLarge) = Int(clamping: state.pending)
        .addingReportingOverflow(state.events.replies.count)
      return (intake.name.name, isTooLarge ? .max : sum)
    }
  }

  /// Posts the last events that this consumer has handled in an earlier process, as its bus would still keep them.
  private func replay(upTo floor: UInt64, _ core: BridgeCore) async throws(LinkFailure) {
    let messages = try await core.link.recent(
      stream,
      subject: subject,
      upTo: floor,
      count: intake.name.replay,
      within: core.configuration.requestTimeout
    )
    for message in messages {
      do throws(IntakeProblem) {
        let header = try intake.header(of: message)
        if core.localSenders.contains(header.incarnation) { continue }
        let payload = try intake.payload(of: message, header)
        _ = await intake.post(payload, from: header, message.fields, core)
        core.tally.count { $0.received += 1 }
      } catch {
        report(error, core)
      }
    }
  }

  override func stop() async {
    state.withLock { $0.isStopped = true }
    // The subscription ends first, as the server would deliver returned events to this process again. Messages on
    // their way would remain unanswered until the server stops waiting.
    await slot.stop()?.drain(within: .seconds(1))
    giveBackWaiting()
    await state.withLock { $0.worker }?.value
    await core.object?.localPosts.finished(intake.name.name)
    await pump.finish()
    await following.ended()
    giveBackWaiting()
    core.object?.wake()
    slot.clear()
  }

  override func cancel() {
    state.withLock { $0.isStopped = true }
    slot.stop()?.cancel()
  }

  /// Returns the events that wait for their turn to the server.
  private func giveBackWaiting() {
    for event in state.withLock({ $0.events.takeWaiting() }) { giveBack(event) }
  }

  private func giveBack(_ event: HeldEvent<Payload>) {
    let reply = state.withLock { $0.events.postpone(event) }
    if let reply { answer(.again(after: pause), to: reply) }
  }

  override func tick(_ now: ContinuousClock.Instant) {
    let replies = state.withLock { state in
      if let next = state.nextReminder, next > now { return nil as [String]? }
      state.nextReminder = now + state.answerTimeout / 3
      return Array(state.events.replies.values)
    }
    guard let replies else { return }
    for reply in replies + deadLetters.replies { answer(.inProgress, to: reply) }
  }

  // MARK: Receiving

  private func receive() {
    while let core = core.object, let subscription = slot.subscription {
      let (messages, _) = subscription.take(256)
      if messages.isEmpty { return }
      for message in messages { receive(message, core) }
    }
  }

  private func receive(_ message: LinkMessage, _ core: BridgeCore) {
    // Messages from the stream have the subject of the event; those of other programs to this subject do not.
    guard let reply = message.reply, let delivery = DeliverySubject(reply),
      message.subject == subject
    else {
      core.tally.report(
        BridgeReport(.unreadableHeader, intake.name.name, "not from a stream")
      )
      return
    }
    let isStopped = state.withLock { state in
      state.pending = delivery.pending
      return state.isStopped
    }
    if isStopped, !isLocal(message, core) {
      return answer(.again(after: pause), to: reply)
    }
    let key = DurableReceiver.Key(delivery)
    if deadLetters.contains(key, reply) { return deadLetters.publish(key) }
    do throws(IntakeProblem) {
      let header = intake.isForeign(message) ? nil : try intake.header(of: message)
      let payload =
        if let header {
          try intake.payload(of: message, header)
        } else {
          try intake.foreignPayload(of: message)
        }
      let event = HeldEvent(
        key: key,
        header: header,
        payload: payload,
        fields: message.fields,
        bytes: message.payload
      )
      take(event, deliveries: delivery.deliveries, reply, core)
    } catch {
      // A further delivery would be as unreadable.
      report(error, core)
      let words = "\(error.kind): \(error.detail)"
      deadLetters.add(key, message.payload, message.header, error: words, reply)
    }
  }

  /// Returns whether an event was posted on this bus, which has called its handlers, or is calling them.
  private func isLocal(_ message: LinkMessage, _ core: BridgeCore) -> Bool {
    guard let header = message.header.flatMap({ WireHeader($0) }) else { return false }
    return core.localSenders.post(header, intake.name.name) != nil
  }

  private func take(
    _ event: HeldEvent<Payload>,
    deliveries: Int,
    _ reply: String,
    _ core: BridgeCore
  ) {
    let local = event.header.flatMap { core.localSenders.post($0, intake.name.name) }
    let step = state.withLock { state in
      let isStopped = state.isStopped
      let step = state.events.receive(
        event,
        deliveries: deliveries,
        reply,
        local,
        isStopped: isStopped
      )
      if case .handle = step { startWorker(&state) }
      return step
    }
    switch step {
    case .wait, .handle: break
    case .acknowledge:
      core.tally.count { $0.duplicates += 1 }
      answer(.done, to: reply)
    case .postpone: answer(.again(after: pause), to: reply)
    case .follow(let local):
      following.begin()
      local.whenComplete { [weak self] result in
        self?.follow(event, result)
        self?.following.end()
      }
    }
  }

  private func report(_ problem: IntakeProblem, _ core: BridgeCore) {
    core.tally.report(
      BridgeReport(problem.kind, intake.name.name, node: problem.node, problem.detail)
    )
  }

  // MARK: Handling

  private func startWorker(_ state: inout State) {
    if state.worker == nil { state.worker = Task { await self.work() } }
  }

  /// Handles the events that wait for their turn, one after the other.
  private func work() async {
    while let core = core.object {
      let next = state.withLock { state in
        let next = state.events.next()
        if next == nil { state.worker = nil }
        return next
      }
      guard let next else { return }
      let failure = await intake.post(next.payload, from: next.header, next.fields, core)
      core.tally.count { $0.received += 1 }
      if let failure { failed(next, failure, core) } else { succeeded(next) }
    }
  }

  /// Notes the outcome of a post on this bus.
  private func follow(_ event: HeldEvent<Payload>, _ outcome: LocalPost.Outcome) {
    guard let core = core.object else { return }
    switch outcome {
    case .done: succeeded(event)
    case .failed(let words): failed(event, words, core)
    // Only this node gets the event, and had no handler when it was posted.
    case .noHandler where !isShared: succeeded(event)
    case .noHandler: failed(event, "there is no handler", core)
    case .unknown:
      let isStopped = state.withLock { state in
        if !state.isStopped {
          state.events.enqueue(event)
          startWorker(&state)
        }
        return state.isStopped
      }
      if isStopped { giveBack(event) }
    }
  }

  private func succeeded(_ event: HeldEvent<Payload>) {
    let reply = state.withLock { $0.events.succeeded(event) }
    if let reply { answer(.done, to: reply) }
  }

  private func failed(_ event: HeldEvent<Payload>, _ words: String, _ core: BridgeCore) {
    let (consequence, reply) = state.withLock { $0.events.failed(event) }
    core.tally.report(
      BridgeReport(.failed, intake.name.name, node: event.header?.node, words)
    )
    guard let reply else { return }
    switch consequence {
    case .again(let pause): answer(.again(after: pause), to: reply)
    case .bury:
      deadLetters.add(event.key, event.bytes, event.header?.bytes, error: words, reply)
    }
  }

  private func answer(_ answer: Acknowledgement, to reply: String) {
    core.object?.answer(OutgoingMessage(subject: reply, payload: answer.bytes))
  }
}
