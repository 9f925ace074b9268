private import _EventBusLocks

/// Sends durable messages until the server has stored them.
///
/// Payloads are encoded soon after they were posted, with or without a connection: from then on their bytes count.
///
/// ## Thread safety
///
/// ``flush(_:)`` and ``answer(_:_:)`` are called on the queue of the bridge, the others on any thread.
final class DurableSender: Sendable {
  private struct State {
    var outbox: Outbox<Letter>
    var waiters = Waiters()
    /// The serial of the first letter whose message is not made.
    var firstUnmade: UInt64 = 1
    /// The bytes of the payloads of all made messages.
    var size = 0
    var isPrepared = false
    /// The time until which some servers of a cluster may not know the new stream yet.
    var settledAt: ContinuousClock.Instant?
    /// The time before which a missing stream is not looked for again.
    var nextLook: ContinuousClock.Instant?
    /// Whether a refusal was not reported for this reason.
    var hasUnreported = false
    /// The message that the link takes at present: its answer may come sooner than the link returns.
    var sending: (serial: UInt64, isRepeated: Bool)?
    /// The operations that the server forbids, and on which messages depend.
    var obstacles: [Obstacle: NATSError] = [:]
    /// The reason why the server rejects the stream, as it is configured.
    var rejection: NATSError?
    /// The words of the server about the last denied message.
    var denial = ""
    /// The error for further messages, after the end.
    var ending: NATSError?
  }

  /// A forbidden operation on which every message depends.
  enum Obstacle: Sendable {
    /// Reading or creating the stream.
    case stream
    /// Listening to the answers of the server.
    case answers
  }

  private let state: Locked<State>
  private let event: String
  private let stream: String
  private let limit: Int
  private let sizeLimit: Int
  /// The number of the sender in the subject of the answers.
  let number: Int
  /// The beginning of the subjects of answers; the serial follows.
  private let replyPrefix: String
  private let core: Weak<BridgeCore>

  init(
    _ core: BridgeCore,
    event: String,
    stream: String,
    number: Int,
    replyPrefix: String
  ) {
    let configuration = core.configuration
    state = Locked(
      State(
        outbox: Outbox(
          window: configuration.unansweredLimit,
          timeout: configuration.answerTimeout
        )
      )
    )
    self.core = Weak(core)
    self.event = event
    self.stream = stream
    self.number = number
    (limit, sizeLimit) = (configuration.durableLimit, configuration.byteLimit)
    self.replyPrefix = replyPrefix
  }

  /// The number of messages that are not stored.
  var count: Int { state.withLock { $0.outbox.count } }

  /// The number of messages that are not stored, and the bytes of their payloads.
  var waiting: (events: Int, bytes: Int) { state.withLock { ($0.outbox.count, $0.size) } }

  /// The serial of the newest message.
  var lastSerial: UInt64 { state.withLock { $0.outbox.nextSerial - 1 } }

  /// Adds a message.
  ///
  /// - Returns: The reason why it was refused; `nil` if it was added.
  func append(_ letter: Letter) -> NATSError? {
    state.withLock { state in
      if let ending = state.ending { return ending }
      if let obstacle = state.obstacles.values.first { return obstacle }
      if letter.isAwaited, let rejection = state.rejection { return rejection }
      if state.outbox.count >= limit {
        return NATSError(.full, "\(limit) events \(event) wait for the server")
      }
      if state.size >= sizeLimit {
        return NATSError(.full, "\(state.size) bytes of events \(event) wait for the server")
      }
      state.outbox.append(letter)
      return nil
    }
  }

  /// Whether the stream has existed.
  var isPrepared: Bool { state.withLock(\.isPrepared) }

  /// Notes that the stream exists.
  func prepared() {
    state.withLock { state in
      state.isPrepared = true
      if state.settledAt == nil { state.settledAt = .now + .seconds(1) }
      state.obstacles[.stream] = nil
      state.rejection = nil
    }
  }

  /// Notes that the server rejects the stream, as it is configured.
  ///
  /// Tasks whose messages were not sent learn it. Those that were sent are decided by their answers, as the server may
  /// store them, and the others wait, as the configuration may change.
  func reject(_ error: NATSError) {
    guard let core = core.object else { return }
    let awaited = state.withLock { state in
      state.rejection = error
      return state.outbox.items(from: state.outbox.firstSerial, most: .max)
        .filter { $0.item.isAwaited && state.outbox.sendings(of: $0.serial) == 0 }.map(\.serial)
    }
    for serial in awaited { finish(serial, .failure(error), core) }
  }

  /// Notes that the server forbids an operation on which every message depends, and gives up all messages.
  func deny(_ obstacle: Obstacle, _ error: NATSError) {
    removeAll(.notAuthorized, error, error.detail) { $0.obstacles[obstacle] = error }
  }

  /// Notes that the server forbids an operation, before there are messages.
  func forbid(_ obstacle: Obstacle, _ error: NATSError) {
    state.withLock { $0.obstacles[obstacle] = error }
  }

  /// Notes that the server permits the operation again.
  func permit(_ obstacle: Obstacle) { state.withLock { $0.obstacles[obstacle] = nil } }

  /// Notes that the server has denied a message.
  func denied(_ text: String) {
    state.withLock { state in
      state.outbox.deny(at: .now)
      state.denial = text
    }
  }

  /// Notes that the connection was made again.
  func reconnected() {
    state.withLock { state in
      state.outbox.sendAgain()
      // This server may accept it.
      state.rejection = nil
    }
  }

  /// Makes the messages of new letters, so that their sizes are known.
  private func makeMessages(_ core: BridgeCore) {
    while true {
      let letters = state.withLock { $0.outbox.items(from: $0.firstUnmade, most: 64) }
      guard let last = letters.last else { return }
      var made: [(serial: UInt64, letter: Letter)] = []
      for (serial, letter) in letters {
        do throws(NATSError) {
          made.append((serial, letter.with(try letter.message(serial))))
        } catch {
          finish(serial, .failure(error), core)
        }
      }
      state.withLock { state in
        state.firstUnmade = last.serial + 1
        for (serial, letter) in made {
          if state.outbox.update(serial, { $0 = letter }) { state.size += letter.size }
        }
      }
    }
  }

  /// Sends the messages that are due.
  func flush(_ core: BridgeCore) {
    makeMessages(core)
    let (denied, words) = state.withLock { ($0.outbox.takeDenied(at: .now), $0.denial) }
    for serial in denied {
      finish(serial, .failure(NATSError(.notAuthorized, "\(event): \(words)")), core)
    }
    while core.link.isConnected {
      let now = ContinuousClock.now
      let due = state.withLock { state in
        state.isPrepared ? state.outbox.takeDue(at: now, most: 64) : []
      }
      if due.isEmpty { return }
      for (index, entry) in due.enumerated() {
        do throws(NATSError) {
          var message = try entry.item.message(entry.serial)
          message.reply = replyPrefix + String(entry.serial)
          do throws(LinkFailure) {
            state.withLock { $0.sending = (entry.serial, entry.isRepeated) }
            try core.link.send(message)
            countSent(entry.serial, core)
          } catch .disconnected, .closed {
            state.withLock { state in
              state.sending = nil
              for entry in due[index...] { state.outbox.takeBack(entry.serial) }
            }
            return
          } catch .tooLarge {
            throw NATSError(.tooLarge, "\(message.payload.count) bytes of \(event)")
          } catch {
            throw NATSError(.refused, "\(event): \(error): \(Self.remedy)")
          }
        } catch {
          finish(entry.serial, .failure(error), core)
        }
      }
    }
  }

  /// Counts a message as sent, once for each sending.
  private func countSent(_ serial: UInt64, _ core: BridgeCore) {
    let sending = state.withLock { state in
      state.sending?.serial == serial ? state.sending.take() : nil
    }
    guard let sending else { return }
    core.tally.count { counts in
      if sending.isRepeated { counts.resent += 1 } else { counts.sent += 1 }
    }
  }

  /// Notes an answer of the server.
  func answer(_ serial: UInt64, _ message: LinkMessage, _ core: BridgeCore) {
    countSent(serial, core)
    if message.hasNoResponders {
      return retry(serial, "no stream stores its subject", isUnknown: true, core)
    }
    guard let answer = PublishAnswer(message.payload) else {
      return retry(serial, "the answer of the server is unreadable", core)
    }
    if let refusal = answer.error {
      let words = "\(refusal.description ?? "refused") (\(refusal.err_code ?? refusal.code))"
      if refusal.isLasting {
        let detail = "\(event): \(words): \(Self.remedy)"
        finish(serial, .failure(NATSError(.refused, detail)), core)
      } else {
        retry(serial, words, core)
      }
    } else if answer.duplicate == true, isFirstSending(serial) {
      retry(serial, "another publisher has used its identifier", isTaken: true, core)
    } else if let name = answer.stream, let sequence = answer.seq {
      let receipt = EventBridge.Receipt(
        stream: name,
        sequence: sequence,
        isDuplicate: answer.duplicate ?? false
      )
      finish(serial, .success(receipt), core)
    } else {
      retry(serial, "the answer of the server has no number", core)
    }
  }

  /// Whether a message was sent once, so that the server cannot have it already.
  private func isFirstSending(_ serial: UInt64) -> Bool {
    state.withLock { $0.outbox.sendings(of: serial) == 1 }
  }

  private static let remedy = "check the limits and the subjects of the stream"

  /// Sends a message again later.
  ///
  /// - Parameters:
  ///   - serial: The serial of the message.
  ///   - words: The reason why it was not stored.
  ///   - isTaken: Whether it needs another identifier.
  ///   - isUnknown: Whether no stream has its subject: usual shortly after the stream was created, as the servers of
  ///     a cluster learn of it one after the other.
  ///   - core: The bridge.
  private func retry(
    _ serial: UInt64,
    _ words: String,
    isTaken: Bool = false,
    isUnknown: Bool = false,
    _ core: BridgeCore
  ) {
    let now = ContinuousClock.now
    let refusal = state.withLock { state -> (count: Int, isReported: Bool)? in
      if isTaken { state.outbox.sendAsNew(serial) { $0 = $0.withAnotherID() } }
      let refusals = state.outbox.delay(serial, at: now) { count in
        min(.seconds(5), .milliseconds(50) * (1 << min(count, 10)))
      }
      // A late answer: the message was stored, or given up.
      guard let refusals else { return nil }
      if isUnknown, let settledAt = state.settledAt, now < settledAt {
        state.hasUnreported = true
        return (refusals, false)
      }
      defer { state.hasUnreported = false }
      return (refusals, state.hasUnreported || refusals == 1 || refusals.isMultiple(of: 10))
    }
    guard let refusal else { return }
    if refusal.isReported {
      core.tally.report(BridgeReport(.notStored, event, "\(stream): \(words); it is tried again"))
    }
    guard refusal.count > 1 else { return }
    let isLook = state.withLock { state in
      if let next = state.nextLook, next > now { return false }
      state.nextLook = now + .milliseconds(500)
      return true
    }
    if isLook { core.preparations.again(event) }
  }

  private func finish(
    _ serial: UInt64,
    _ result: Result<EventBridge.Receipt, NATSError>,
    _ core: BridgeCore
  ) {
    let (letter, due) = state.withLock { state in
      let letter = state.outbox.remove(serial)
      state.size -= letter?.size ?? 0
      return (letter, state.waiters.take(reached: state.outbox.firstSerial - 1))
    }
    if let letter {
      switch result {
      case .success: core.tally.count { $0.stored += 1 }
      case .failure(let error):
        core.tally.report(BridgeReport(.init(of: error), event, error.detail))
      }
      letter.completion(result)
    }
    for promise in due { promise.fulfill() }
  }

  /// A promise that ends when all messages so far are stored, or were refused for good.
  func allSoFar() -> Promise<Void> {
    let promise = Promise<Void>()
    let due = state.withLock { state in
      state.waiters.add(state.outbox.nextSerial - 1, promise)
      return state.waiters.take(reached: state.outbox.firstSerial - 1)
    }
    for promise in due { promise.fulfill() }
    return promise
  }

  /// Gives up all messages.
  func close(_ reason: CloseReason) {
    let error = reason.error(givingUp: event)
    let later = reason.error(refusing: event)
    removeAll(.givenUp, error, error.detail) { state in
      if state.ending == nil { state.ending = later }
    }
  }

  /// Changes the state, and removes all messages with an error and one report.
  private func removeAll(
    _ kind: BridgeReport.Kind,
    _ error: NATSError,
    _ detail: String,
    _ change: (inout State) -> Void
  ) {
    let (letters, due) = state.withLock { state in
      change(&state)
      state.size = 0
      return (state.outbox.removeAll(), state.waiters.take(reached: .max))
    }
    if !letters.isEmpty {
      core.object?.tally.report(BridgeReport(kind, event, count: letters.count, detail))
    }
    for letter in letters { letter.completion(.failure(error)) }
    for promise in due { promise.fulfill() }
  }
}
