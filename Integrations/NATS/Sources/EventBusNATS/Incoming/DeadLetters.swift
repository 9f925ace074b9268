private import _EventBusLocks

/// The dead letters of one durable event that the server has not stored yet.
///
/// The deliveries of an event end when its dead letter is stored.
///
/// ## Thread safety
///
/// Every member may be called on any thread.
final class DeadLetters: Sendable {
  typealias Key = DurableReceiver.Key

  private struct Burial {
    var message: OutgoingMessage
    let error: String
    /// The subject of the answer to the newest delivery.
    var reply: String
    var refusals = 0
    var isSent = false
  }

  private struct State {
    var burials: [Key: Burial] = [:]
  }

  /// The number of refusals of a dead letter without payload after which it is given up.
  private static let attempts = 3
  /// The pause after the server did not take a dead letter.
  private static let pause = Duration.seconds(5)

  private let state = Locked(State())
  private let core: Weak<BridgeCore>
  private let event: String
  private let stream: String
  private let consumer: String
  private let limit: Int

  /// Creates the dead letters of an event.
  ///
  /// - Parameters:
  ///   - core: The bridge.
  ///   - event: The event.
  ///   - stream: The stream that stores the dead letters.
  ///   - consumer: The consumer whose handlers have failed.
  ///   - limit: The number of waiting dead letters from which on those that other members may have taken are forgotten.
  init(_ core: BridgeCore, event: String, stream: String, consumer: String, limit: Int) {
    self.core = Weak(core)
    (self.event, self.stream, self.consumer, self.limit) = (event, stream, consumer, limit)
  }

  /// The subjects of the answers to events whose dead letters are being stored.
  var replies: [String] { state.withLock { $0.burials.values.filter(\.isSent).map(\.reply) } }

  /// Returns whether an event is about to become a dead letter; the answer goes to its newest delivery.
  func contains(_ key: Key, _ reply: String) -> Bool {
    state.withLock { $0.burials[key]?.reply = reply } != nil
  }

  /// Makes a dead letter of an event, and publishes it.
  func add(_ key: Key, _ payload: [UInt8], _ header: [UInt8]?, error: String, _ reply: String) {
    guard let core = core.object else { return }
    let message = OutgoingMessage(
      subject: Subject.deadLetters(event, prefix: core.prefix),
      header: header.flatMap { WireHeader($0) == nil ? nil : $0 },
      // The random part keeps others from taking the identifier before.
      id: "dead-\(String(UInt64.random(in: 0 ... .max), radix: 36))-\(consumer)-\(key.sequence)",
      error: Self.headerText(error),
      payload: payload
    )
    state.withLock { state in
      if state.burials.count >= limit { state.burials = state.burials.filter(\.value.isSent) }
      state.burials[key] = Burial(message: message, error: error, reply: reply)
    }
    publish(key)
  }

  /// Publishes a dead letter, unless that is being done.
  func publish(_ key: Key) {
    guard let core = core.object else { return }
    let message = state.withLock { state in
      guard let burial = state.burials[key], !burial.isSent else { return nil as OutgoingMessage? }
      state.burials[key]?.isSent = true
      return burial.message
    }
    guard let message else { return }
    let refusal = core.bury(message, stream: stream, event: event) { [weak self] result in
      self?.published(key, result)
    }
    if let refusal { published(key, .failure(refusal)) }
  }

  private enum Ending {
    case stored(Burial)
    case shortened
    case again(String)
    case refused(Burial)
    case nothing
  }

  private func published(_ key: Key, _ result: Result<EventBridge.Receipt, NATSError>) {
    let ending = state.withLock { state in
      guard var burial = state.burials.removeValue(forKey: key) else { return Ending.nothing }
      guard case .failure(let error) = result else { return .stored(burial) }
      // Without the connection, the server delivers the event to another process, or to the next one.
      if error.code == .closed { return .nothing }
      burial.isSent = false
      defer { state.burials[key] = burial }
      if error.code == .full { return .again(burial.reply) }
      // If the server forbids the subject, the size is not the reason.
      if !burial.message.payload.isEmpty, error.code != .notAuthorized {
        let size = burial.message.payload.count
        burial.message.error = Self.headerText("without its \(size) bytes: \(burial.error)")
        burial.message.payload = []
        return .shortened
      }
      burial.refusals += 1
      return burial.refusals < Self.attempts ? .again(burial.reply) : .refused(burial)
    }
    switch ending {
    case .nothing: break
    case .stored(let burial):
      core.object?.tally.report(BridgeReport(.deadLetter, event, burial.error))
      answer(.terminate, to: burial.reply)
    case .shortened: publish(key)
    case .again(let reply): answer(.again(after: Self.pause), to: reply)
    case .refused(let burial):
      state.withLock { _ = $0.burials.removeValue(forKey: key) }
      core.object?.tally.report(BridgeReport(.deadLetterRefused, event, burial.error))
      answer(.terminate, to: burial.reply)
    }
  }

  private func answer(_ answer: Acknowledgement, to reply: String) {
    core.object?.answer(OutgoingMessage(subject: reply, payload: answer.bytes))
  }

  /// A text as the value of a header: without line breaks, shortened to 1000 characters.
  private static func headerText(_ text: String) -> String {
    String(text.unicodeScalars.prefix(1000).map { $0.value < 32 ? " " : Character($0) })
  }
}
