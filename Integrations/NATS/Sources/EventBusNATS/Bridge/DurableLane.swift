internal import EventBus
private import _EventBusLocks

/// The way of a durable event into the process.
///
/// Messages are handled one after the other, in the order of the stream. Each is acknowledged when every handler
/// has finished without an error. For an event that was posted on the same bus, these are the handlers that the
/// post has called: they are called again only if one of them failed.
final class DurableLane<Payload: Sendable>: AnyIncomingLane,
  @unchecked Sendable  // Reason: locked.
{
  private typealias Key = DurableReceiver.Key

  private struct Held {
    let key: Key
    /// The header of a bridge.
    let header: WireHeader?
    let payload: Payload
    let fields: [String: String]
    /// The payload as it arrived, for a dead letter.
    let bytes: [UInt8]
  }

  private struct State {
    var subscription: (any LinkSubscription)?
    var receiver: DurableReceiver
    var waiting = BoundedBuffer<Held>(limit: .max)
    /// The bytes of the payloads in hand.
    var heldSize = 0
    /// Where the answer to each event in hand goes.
    var replies: [Key: String] = [:]
    var worker: Task<Void, Never>?
    var nextReminder: ContinuousClock.Instant?
    /// How long the server waits for an answer.
    var answerTimeout: Duration
    var isStarting = false
    /// Where the server delivers.
    var deliverySubject: String?
    var isStopped = false
  }

  private let intake: Intake<Payload>
  private let core: Weak<BridgeCore>
  private let stream: String
  private let subject: String
  private let request: ConsumerRequest
  private let deadLetters: DeadLetters
  private let pause: Duration
  private let sizeLimit: Int
  /// Whether other processes may share the consumer.
  private let isShared: Bool
  private let state: Locked<State>
  private let pump: LazyPump
  /// The events that wait for the handlers of their posts on this bus.
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
    sizeLimit = configuration.byteLimit
    isShared = consumer != nil
    state = Locked(
      State(
        receiver: DurableReceiver(retry: configuration.retry),
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
    let consumer = try await core.link.prepareConsumer(request, within: limit)
    let isFirst = state.withLock { state in
      state.answerTimeout = min(request.answerTimeout, consumer.answerTimeout)
      guard state.subscription == nil, !state.isStarting, !state.isStopped else { return false }
      state.isStarting = true
      state.deliverySubject = consumer.deliverySubject
      return true
    }
    guard isFirst else { return }
    defer { state.withLock { $0.isStarting = false } }
    if !consumer.isNew, intake.name.replay > 0 { try await replay(upTo: consumer.floor, core) }
    let made = try core.link.subscribe(
      consumer.deliverySubject,
      group: consumer.group,
      limit: .max,
      sizeLimit: .max,
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
    do throws(LinkFailure) {
      try await made.confirm(within: limit)
    } catch {
      if case .notAuthorized = error { _ = drop(consumer.deliverySubject) }
      throw error
    }
  }

  override func drop(_ subject: String) -> Bool {
    let (isOwn, dropped) = state.withLock { state in
      let isOwn = state.deliverySubject == subject
      return (isOwn, isOwn && !state.isStopped ? state.subscription.take() : nil)
    }
    dropped?.cancel()
    return isOwn
  }

  /// Posts the last events that this consumer handled in an earlier process, which its bus would still keep.
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
        if core.isLocal(header.incarnation) { continue }
        let payload = try intake.payload(of: message, header)
        _ = await intake.post(payload, from: header, message.fields, core)
        core.tally.count { $0.received += 1 }
      } catch {
        report(error, core)
      }
    }
  }

  override func stop() async {
    let subscription = state.withLock { state in
      state.isStopped = true
      return state.subscription
    }
    // First of all, as the server would send what is given back to this process again. What is on its way would
    // stay unanswered until the server gives up waiting.
    await subscription?.drain(within: .seconds(1))
    giveBack()
    await state.withLock { $0.worker }?.value
    await core.object?.localPosts.finished(intake.name.name)
    await pump.finish()
    await following.ended()
    giveBack()
    core.object?.wake()
    withExtendedLifetime(state.withLock { $0.subscription.take() }) {}
  }

  override func cancel() {
    let subscription = state.withLock { state in
      state.isStopped = true
      return state.subscription
    }
    subscription?.cancel()
  }

  /// Gives back what waits for its turn.
  private func giveBack() {
    let replies = state.withLock { state in
      state.waiting.take().compactMap { held in
        state.receiver.postpone(held.key)
        state.heldSize -= held.bytes.count
        return state.replies.removeValue(forKey: held.key)
      }
    }
    for reply in replies { answer(.again(after: pause), to: reply) }
  }

  private func giveBack(_ held: Held) {
    let reply = state.withLock { state in
      state.receiver.postpone(held.key)
      state.heldSize -= held.bytes.count
      return state.replies.removeValue(forKey: held.key)
    }
    if let reply { answer(.again(after: pause), to: reply) }
  }

  override func tick(_ now: ContinuousClock.Instant) {
    let replies = state.withLock { state in
      if let next = state.nextReminder, next > now { return nil as [String]? }
      state.nextReminder = now + state.answerTimeout / 3
      return Array(state.replies.values)
    }
    guard let replies else { return }
    for reply in replies + deadLetters.replies { answer(.inProgress, to: reply) }
  }

  // MARK: Receiving

  private func receive() {
    while let core = core.object, let subscription = state.withLock({ $0.subscription }) {
      let (messages, _) = subscription.take(256)
      if messages.isEmpty { return }
      for message in messages { receive(message, core) }
    }
  }

  private func receive(_ message: LinkMessage, _ core: BridgeCore) {
    // What the server delivers has the subject under which it was stored; what others send here has not.
    guard let reply = message.reply, let delivery = DeliverySubject(reply),
      message.subject == subject
    else {
      core.tally.report(
        BridgeReport(.unreadableHeader, intake.name.name, "not from a stream")
      )
      return
    }
    if state.withLock(\.isStopped), !isLocal(message, core) {
      return answer(.again(after: pause), to: reply)
    }
    let key = Key(delivery)
    if deadLetters.contains(key, reply) { return deadLetters.publish(key) }
    do throws(IntakeProblem) {
      let header = intake.isForeign(message) ? nil : try intake.header(of: message)
      let payload =
        if let header {
          try intake.payload(of: message, header)
        } else {
          try intake.foreignPayload(of: message)
        }
      let held = Held(
        key: key,
        header: header,
        payload: payload,
        fields: message.fields,
        bytes: message.payload
      )
      take(held, deliveries: delivery.deliveries, reply, core)
    } catch {
      // It will be as unreadable next time.
      report(error, core)
      let words = "\(error.kind): \(error.detail)"
      deadLetters.add(key, message.payload, message.header, error: words, reply)
    }
  }

  /// Whether an event was posted on this bus: its handlers have been called, or are running.
  private func isLocal(_ message: LinkMessage, _ core: BridgeCore) -> Bool {
    guard let header = message.header.flatMap({ WireHeader($0) }) else { return false }
    return core.localPost(header, intake.name.name) != nil
  }

  private enum Step {
    case wait
    case acknowledge
    case postpone
    /// The handlers of the post on this bus decide.
    case follow(LocalPost)
  }

  private func take(_ held: Held, deliveries: Int, _ reply: String, _ core: BridgeCore) {
    let local = held.header.flatMap { core.localPost($0, intake.name.name) }
    let step = state.withLock { state in
      switch state.receiver.received(held.key, deliveries: deliveries) {
      case .acknowledge: return Step.acknowledge
      case .wait:
        state.replies[held.key] = reply
        return .wait
      case .handle:
        // One event is handled whatever its size.
        let isTooMuch = state.heldSize > 0 && state.heldSize + held.bytes.count > sizeLimit
        let followed = state.receiver.hasFailed(held.key) ? nil : local
        if isTooMuch || state.isStopped && followed == nil {
          state.receiver.postpone(held.key)
          return .postpone
        }
        state.heldSize += held.bytes.count
        state.replies[held.key] = reply
        if let followed {
          following.begin()
          return .follow(followed)
        }
        enqueue(held, &state)
        return .wait
      }
    }
    switch step {
    case .wait: break
    case .acknowledge:
      core.tally.count { $0.duplicates += 1 }
      answer(.done, to: reply)
    case .postpone: answer(.again(after: pause), to: reply)
    case .follow(let local):
      local.whenComplete { [weak self] result in
        self?.follow(held, result)
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

  private func enqueue(_ held: Held, _ state: inout State) {
    _ = state.waiting.append(held)
    if state.worker == nil { state.worker = Task { await self.work() } }
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
      let failure = await intake.post(next.payload, from: next.header, next.fields, core)
      core.tally.count { $0.received += 1 }
      if let failure { failed(next, failure, core) } else { succeeded(next) }
    }
  }

  /// Notes what the handlers of a post on this bus have done.
  private func follow(_ held: Held, _ result: LocalPost.Outcome) {
    guard let core = core.object else { return }
    switch result {
    case .done: succeeded(held)
    case .failed(let words): failed(held, words, core)
    // Only this node gets the event, and had no handler when it was posted.
    case .noHandler where !isShared: succeeded(held)
    case .noHandler: failed(held, "there is no handler", core)
    case .unknown:
      let isStopped = state.withLock { state in
        if !state.isStopped { enqueue(held, &state) }
        return state.isStopped
      }
      if isStopped { giveBack(held) }
    }
  }

  private func succeeded(_ held: Held) {
    let reply = state.withLock { state in
      state.receiver.succeeded(held.key)
      state.heldSize -= held.bytes.count
      return state.replies.removeValue(forKey: held.key)
    }
    if let reply { answer(.done, to: reply) }
  }

  private func failed(_ held: Held, _ words: String, _ core: BridgeCore) {
    let (consequence, reply) = state.withLock { state in
      state.heldSize -= held.bytes.count
      return (state.receiver.failed(held.key), state.replies.removeValue(forKey: held.key))
    }
    core.tally.report(
      BridgeReport(.failed, intake.name.name, node: held.header?.node, words)
    )
    guard let reply else { return }
    switch consequence {
    case .again(let pause): answer(.again(after: pause), to: reply)
    case .bury:
      deadLetters.add(held.key, held.bytes, held.header?.bytes, error: words, reply)
    }
  }

  private func answer(_ answer: Acknowledgement, to reply: String) {
    core.object?.answer(OutgoingMessage(subject: reply, payload: answer.bytes))
  }
}
