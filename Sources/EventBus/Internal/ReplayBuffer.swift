/// The last payloads of one event, for observers that come later.
///
/// A post records its payload, and gets its number, *before* it looks for observers; an observer is
/// linked *before* it asks for what was recorded. So every post either is among what the observer is
/// given, or finds the observer: ``ReplayGate`` tells which.
package final class ReplayBuffer<Payload: Sendable>: Sendable {
  /// One recorded post.
  package struct Entry: Sendable {
    /// What it carried.
    package let payload: Payload
    /// Where it came from.
    package let delivery: Delivery
    /// The sender's identity.
    package let sender: SenderIdentity?

    /// Whether an object, held by the caller, is the sender.
    package func isFrom(_ object: AnyObject) -> Bool { sender?.isSender(object) ?? false }
  }

  private struct State {
    var entries: [Entry] = []
    var newest: UInt = 0
  }

  private let state = Locked(State())

  /// Creates an empty buffer.
  package init() {}

  /// The last payload.
  package var latest: Payload? { state.withLock { $0.entries.last?.payload } }

  /// Records a post.
  ///
  /// - Parameters:
  ///   - payload: What it carries.
  ///   - delivery: Where it comes from.
  ///   - sender: Its sender's identity.
  ///   - limit: How many payloads to keep.
  /// - Returns: The number of the post among the posts of this event.
  package func record(
    _ payload: Payload,
    _ delivery: Delivery,
    from sender: SenderIdentity?,
    limit: Int
  ) -> UInt {
    let entry = Entry(payload: payload, delivery: delivery.forLater, sender: sender)
    let (number, evicted) = state.withLock { state in
      state.newest += 1
      state.entries.append(entry)
      let excess = max(0, state.entries.count - limit)
      let evicted = Array(state.entries[..<excess])
      state.entries.removeFirst(excess)
      return (state.newest, evicted)
    }
    withExtendedLifetime(evicted) {}
    return number
  }

  /// What is kept, oldest first, and the number of the newest post recorded.
  package func contents() -> (entries: [Entry], newest: UInt) {
    state.withLock { ($0.entries, $0.newest) }
  }

  /// Forgets what is kept.
  package func clear() {
    let evicted = state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
    withExtendedLifetime(evicted) {}
  }
}
