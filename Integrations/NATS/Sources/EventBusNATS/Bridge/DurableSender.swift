#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

private import _EventBusLocks

/// A durable message that the server has not stored yet.
struct Letter: Sendable {
  /// Makes the message, given its serial; called once, before it is sent for the first time.
  let message: @Sendable (_ serial: UInt64) throws(NATSError) -> OutgoingMessage
  /// Called once with the outcome.
  let completion: @Sendable (Result<Receipt, NATSError>) -> Void
  /// The message.
  fileprivate var made: OutgoingMessage?

  init(
    message: @escaping @Sendable (_ serial: UInt64) throws(NATSError) -> OutgoingMessage,
    completion: @escaping @Sendable (Result<Receipt, NATSError>) -> Void
  ) {
    (self.message, self.completion) = (message, completion)
  }

  /// Drops what the closures keep, as the message is made.
  fileprivate func with(_ message: OutgoingMessage) -> Letter {
    var letter = Letter(message: { _ in message }, completion: completion)
    letter.made = message
    return letter
  }

  fileprivate var size: Int { made?.payload.count ?? 0 }
}

/// Sends durable messages until the server has stored them.
///
/// Payloads are encoded soon after they were posted, whether or not there is a connection: from then on their
/// bytes count.
///
/// ## Thread safety
///
/// ``flush(_:)`` and ``answer(_:_:)`` are called on the queue of the bridge, the others on any thread.
final class DurableSender: Sendable {
  private struct State {
    var outbox: Outbox<Letter>
    var waiters = Waiters()
    /// The serial from which on no message is made.
    var firstUnmade: UInt64 = 1
    /// The bytes of the payloads of all messages that are made.
    var size = 0
    var isPrepared = false
    /// Until when servers may not know yet that the stream is there.
    var settledAt: ContinuousClock.Instant?
    /// Whether a refusal was not reported for that reason.
    var hasUnreported = false
    /// What the server forbids, and messages need.
    var obstacles: [Obstacle: NATSError] = [:]
    /// Its words about the last message that it denied.
    var denial = ""
    /// Why it takes no messages any more.
    var ending: NATSError?
  }

  /// What a message needs besides its own subject.
  enum Obstacle: Sendable {
    /// The stream, which has to be looked at or created.
    case stream
    /// The answers of the server.
    case answers
  }

  private let state: Locked<State>
  private let event: String
  private let stream: String
  private let limit: Int
  private let sizeLimit: Int
  /// The number of the sender in the subject of the answers.
  let number: Int
  /// Where the server answers; the serial follows.
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

  /// The serial of the newest message.
  var lastSerial: UInt64 { state.withLock { $0.outbox.nextSerial - 1 } }

  /// Adds a message.
  ///
  /// - Returns: Why it was not added.
  func append(_ letter: Letter) -> NATSError? {
    state.withLock { state in
      if let ending = state.ending { return ending }
      if let obstacle = state.obstacles.values.first { return obstacle }
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

  /// Notes that the stream is there.
  func prepared() {
    state.withLock { state in
      state.isPrepared = true
      if state.settledAt == nil { state.settledAt = .now + .seconds(1) }
      state.obstacles[.stream] = nil
    }
  }

  /// Notes that the server forbids what every message needs: none is taken until it is permitted.
  func deny(_ obstacle: Obstacle, _ error: NATSError) {
    let (letters, due) = state.withLock { state in
      state.obstacles[obstacle] = error
      state.size = 0
      return (state.outbox.removeAll(), state.waiters.take(reached: .max))
    }
    if !letters.isEmpty {
      core.object?.tally.report(
        BridgeReport(.notAuthorized, event, count: letters.count, error.detail)
      )
    }
    for letter in letters { letter.completion(.failure(error)) }
    for promise in due { promise.fulfil(.success(())) }
  }

  /// Notes that the server does not forbid it any more.
  func permit(_ obstacle: Obstacle) { state.withLock { $0.obstacles[obstacle] = nil } }

  /// Notes that the server has denied one of the messages.
  func denied(_ text: String) {
    state.withLock { state in
      state.outbox.deny(at: .now)
      state.denial = text
    }
  }

  /// Notes that the connection was made again.
  func reconnected() { state.withLock { $0.outbox.sendAgain() } }

  /// Makes the messages that were added, so that their sizes are known.
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

  /// Sends what is due.
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
      core.tally.count { counts in
        counts.sent += due.count { !$0.isRepeated }
        counts.resent += due.count { $0.isRepeated }
      }
      for (index, entry) in due.enumerated() {
        do throws(NATSError) {
          var message = try entry.item.message(entry.serial)
          message.reply = replyPrefix + String(entry.serial)
          do throws(LinkFailure) {
            try core.link.send(message)
          } catch .disconnected, .closed {
            // Not sent: due as soon as there is a connection.
            state.withLock { state in
              for entry in due[index...] {
                _ = state.outbox.delay(entry.serial, at: now) { _ in .zero }
              }
            }
            return
          } catch .tooLarge {
            throw NATSError(.tooLarge, "\(message.payload.count) bytes of \(event)")
          } catch {
            throw NATSError(.refused, "\(event): \(error)")
          }
        } catch {
          finish(entry.serial, .failure(error), core)
        }
      }
    }
  }

  /// Notes an answer of the server.
  func answer(_ serial: UInt64, _ message: LinkMessage, _ core: BridgeCore) {
    if message.hasNoResponders {
      return retry(serial, "no stream stores its subject", isUnknown: true, core)
    }
    guard let answer = PublishAnswer(message.payload) else {
      return retry(serial, "the answer of the server is unreadable", core)
    }
    if let refusal = answer.error {
      let words = "\(refusal.description ?? "refused") (\(refusal.err_code ?? refusal.code))"
      if refusal.isLasting {
        finish(serial, .failure(NATSError(.refused, "\(event): \(words)")), core)
      } else {
        retry(serial, words, core)
      }
    } else if let name = answer.stream, let sequence = answer.seq {
      let receipt = Receipt(
        stream: name,
        sequence: sequence,
        isDuplicate: answer.duplicate ?? false
      )
      finish(serial, .success(receipt), core)
    } else {
      retry(serial, "the answer of the server has no number", core)
    }
  }

  /// Sends a message again later.
  ///
  /// - Parameters:
  ///   - serial: The serial of the message.
  ///   - words: Why it was not stored.
  ///   - isUnknown: Whether no server took it: usual in the moment after the stream was made, as the servers of
  ///     a cluster hear of it one after the other.
  ///   - core: The bridge.
  private func retry(
    _ serial: UInt64,
    _ words: String,
    isUnknown: Bool = false,
    _ core: BridgeCore
  ) {
    let now = ContinuousClock.now
    let (refusals, isReported) = state.withLock { state in
      let refusals = state.outbox.delay(serial, at: now) { count in
        min(.seconds(5), .milliseconds(50) * (1 << min(count, 10)))
      }
      if isUnknown, let settledAt = state.settledAt, now < settledAt {
        state.hasUnreported = true
        return (refusals, false)
      }
      defer { state.hasUnreported = false }
      return (refusals, state.hasUnreported || refusals == 1 || refusals.isMultiple(of: 10))
    }
    if isReported {
      core.tally.report(BridgeReport(.notStored, event, "\(stream): \(words); it is tried again"))
    }
    if refusals > 1 { core.preparations.again(event) }
  }

  private func finish(
    _ serial: UInt64,
    _ result: Result<Receipt, NATSError>,
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
        let kind: BridgeReport.Kind =
          switch error.code {
          case .notEncodable: .notEncodable
          case .notAuthorized: .notAuthorized
          case .tooLarge: .tooLarge
          default: .notStored
          }
        core.tally.report(BridgeReport(kind, event, error.detail))
      }
      letter.completion(result)
    }
    for promise in due { promise.fulfil(.success(())) }
  }

  /// A promise that is kept when all messages so far are stored, or were refused for good.
  func allSoFar() -> Promise<Void> {
    let promise = Promise<Void>()
    let due = state.withLock { state in
      state.waiters.add(state.outbox.nextSerial - 1, promise)
      return state.waiters.take(reached: state.outbox.firstSerial - 1)
    }
    for promise in due { promise.fulfil(.success(())) }
    return promise
  }

  /// Gives up all messages.
  ///
  /// - Parameter error: What their posters get, and those of later ones.
  func close(_ error: NATSError? = nil) {
    let error = error ?? NATSError(.closed, "The event \(event) may not be stored")
    let (letters, due) = state.withLock { state in
      if state.ending == nil { state.ending = error }
      state.size = 0
      return (state.outbox.removeAll(), state.waiters.take(reached: .max))
    }
    if !letters.isEmpty {
      core.object?.tally.report(
        BridgeReport(.givenUp, event, count: letters.count, "\(error)")
      )
    }
    for letter in letters { letter.completion(.failure(error)) }
    for promise in due { promise.fulfil(.success(())) }
  }
}

/// The answer of the server to a durable message.
private struct PublishAnswer: Decodable {
  struct Refusal: Decodable {
    let code: Int
    let err_code: Int?
    let description: String?

    /// Whether the same message will be refused again.
    ///
    /// Full streams and disks, missing leaders and the like pass; a message that is too large, or a sealed
    /// stream, does not.
    var isLasting: Bool {
      switch err_code {
      case 10054, 10109, 10097: true
      default: false
      }
    }
  }

  let stream: String?
  let seq: UInt64?
  let duplicate: Bool?
  let error: Refusal?

  init?(_ bytes: [UInt8]) {
    // Reason for `try?`: an unreadable answer is treated as none.
    guard let answer = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = answer
  }
}
