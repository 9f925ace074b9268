#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

private import Synchronization

/// A durable message that the server has not stored yet.
struct Letter: Sendable {
  /// Makes the message, given its serial; called again each time it is sent.
  let message: @Sendable (_ serial: UInt64) throws(NATSError) -> OutgoingMessage
  /// Called once with the outcome.
  let completion: @Sendable (Result<Receipt, NATSError>) -> Void
}

/// Sends durable messages until the server has stored them.
///
/// ## Thread safety
///
/// ``flush(_:)`` and ``answer(_:_:)`` are called on the queue of the bridge, the others on any thread.
final class DurableSender: Sendable {
  private struct State {
    var outbox: Outbox<Letter>
    var waiters = Waiters()
    var isPrepared = false
    var isClosed = false
  }

  private let state: Mutex<State>
  private let event: String
  private let stream: String
  private let limit: Int
  /// Where the server answers; the serial follows.
  private let replyPrefix: String
  private let core: Weak<BridgeCore>

  init(
    _ core: BridgeCore,
    event: String,
    stream: String,
    limit: Int,
    replyPrefix: String
  ) {
    let configuration = core.configuration
    state = Mutex(
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
    self.limit = limit
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
      if state.isClosed { return NATSError(.closed, "The event \(event) was not sent") }
      if state.outbox.count >= limit {
        return NATSError(.full, "\(limit) events \(event) wait for the server")
      }
      state.outbox.append(letter)
      return nil
    }
  }

  /// Notes that the stream is there.
  func prepared() { state.withLock { $0.isPrepared = true } }

  /// Notes that the connection was made again.
  func reconnected() { state.withLock { $0.outbox.sendAgain() } }

  /// Sends what is due.
  func flush(_ core: BridgeCore) {
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
      return retry(serial, "no stream stores its subject", core)
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

  private func retry(_ serial: UInt64, _ words: String, _ core: BridgeCore) {
    let refusals = state.withLock { state in
      state.outbox.delay(serial, at: .now) { count in
        min(.seconds(5), .milliseconds(50) * (1 << min(count, 10)))
      }
    }
    if refusals == 1 || refusals.isMultiple(of: 10) {
      core.tally.report(BridgeReport(.notStored, event, "\(stream): \(words); it is tried again"))
    }
    if refusals > 1 { core.prepareAgain(event) }
  }

  private func finish(
    _ serial: UInt64,
    _ result: Result<Receipt, NATSError>,
    _ core: BridgeCore
  ) {
    let (letter, due) = state.withLock { state in
      let letter = state.outbox.remove(serial)
      return (letter, state.waiters.take(reached: state.outbox.firstSerial - 1))
    }
    if let letter {
      switch result {
      case .success: core.tally.count { $0.stored += 1 }
      case .failure(let error):
        let kind: BridgeReport.Kind =
          switch error.code {
          case .notEncodable: .notEncodable
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
  func close() {
    let (letters, due) = state.withLock { state in
      state.isClosed = true
      return (state.outbox.removeAll(), state.waiters.take(reached: .max))
    }
    for letter in letters {
      letter.completion(.failure(NATSError(.closed, "The event \(event) was not stored")))
    }
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

/// An object that is not retained.
struct Weak<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?
  init(_ object: Object) { self.object = object }
}
