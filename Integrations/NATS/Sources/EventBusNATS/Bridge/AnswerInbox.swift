internal import EventBus
private import _EventBusLocks

/// Receives the answers of the server to durable messages, and passes each to its sender.
///
/// ## Thread safety
///
/// Every member may be called on any thread. Answers are passed on a queue of the inbox.
final class AnswerInbox: Sendable {
  private struct State {
    /// The senders of durable messages, by the number in the subject of their answers.
    var senders: [Int: DurableSender] = [:]
    /// Whether answers are needed.
    var isNeeded = false
    /// The reason why no answers arrive.
    var denial: NATSError?
  }

  /// The beginning of the subjects of answers; number and serial follow.
  private let prefix: String
  private let subject: String
  private let slot: SubscriptionSlot
  private let state = Locked(State())
  private let pump = LazyPump("EventBusNATS.answers")

  /// Creates an inbox of a bridge.
  init(_ link: any Link, _ incarnation: UInt64) {
    prefix = "\(link.inbox).\(String(incarnation, radix: 16))."
    subject = prefix + "*.*"
    slot = SubscriptionSlot(subject)
  }

  /// Begins to work.
  func start(_ core: BridgeCore) {
    pump.work = { [weak self, weak core] in
      if let self, let core { self.takeAnswers(core) }
    }
  }

  /// The beginning of the subjects of the answers to a sender; the serial follows.
  func replyPrefix(_ number: Int) -> String { "\(prefix)\(number)." }

  /// Adds a new sender, and tells it the reason why no answers arrive, if there is one.
  func add(_ sender: DurableSender) {
    state.withLock { state in
      state.senders[sender.number] = sender
      // Under the lock: a permission that follows must find it. A new sender has no messages.
      if let denial = state.denial { sender.forbid(.answers, denial) }
    }
  }

  func remove(_ sender: DurableSender) {
    let removed = state.withLock { $0.senders.removeValue(forKey: sender.number) }
    withExtendedLifetime(removed) {}
  }

  /// Listens for answers, from the first call on.
  ///
  /// - Returns: The token of the first call, which ends the attempts to subscribe.
  func listen(_ core: BridgeCore) -> Token? {
    let isFirst = state.withLock { state in
      defer { state.isNeeded = true }
      return !state.isNeeded
    }
    guard isFirst else { return nil }
    try? subscribe(core)  // Reason: the preparation repeats it.
    return core.preparations.add("_inbox") { [weak self] in
      self?.failed($0)
    } isDenied: { [slot] in
      slot.drop($0)
    } body: { [weak self, weak core] () async throws(LinkFailure) in
      if let self, let core { try await self.prepare(core) }
    }
  }

  private func prepare(_ core: BridgeCore) async throws(LinkFailure) {
    try subscribe(core)
    try await slot.confirm(within: core.configuration.requestTimeout)
    for sender in note(nil) { sender.permit(.answers) }
  }

  private func subscribe(_ core: BridgeCore) throws(LinkFailure) {
    guard slot.isWanted else { return }
    let made = try core.link.subscribe(
      subject,
      group: nil,
      limit: .max,
      wake: { [pump] in pump.wake() }
    )
    slot.fill(made)
  }

  /// Without answers no durable event is known to be stored.
  private func failed(_ failure: LinkFailure) {
    let error = NATSError(.notAuthorized, "The answers of the server: \(failure)")
    for sender in note(error) { sender.deny(.answers, error) }
  }

  /// Notes whether answers arrive.
  ///
  /// - Returns: The senders that need them.
  private func note(_ denial: NATSError?) -> [DurableSender] {
    state.withLock { state in
      state.denial = denial
      return Array(state.senders.values)
    }
  }

  private func takeAnswers(_ core: BridgeCore) {
    while let messages = slot.subscription?.take(512).messages, !messages.isEmpty {
      for message in messages {
        // <inbox>.<incarnation>.<number>.<serial>
        let tokens = message.subject.utf8.split(separator: UInt8(ascii: ".")).suffix(2)
        guard tokens.count == 2, let first = tokens.first, let last = tokens.last,
          let lane = number(first, radix: 10).flatMap(Int.init(exactly:)),
          let serial = number(last, radix: 10)
        else { continue }
        state.withLock { $0.senders[lane] }?.answer(serial, message, core)
      }
    }
    core.wake()
  }

  /// Ends the subscription, and releases all senders.
  func stop() {
    slot.stop()?.cancel()
    slot.clear()
    let senders = state.withLock { state in
      defer { state.senders = [:] }
      return state.senders
    }
    withExtendedLifetime(senders) {}
  }
}
