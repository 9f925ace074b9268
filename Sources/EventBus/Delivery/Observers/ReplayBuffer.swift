/// The last posts of one event, for later observers.
///
/// A post is recorded, and gets its number, *before* it looks for observers; an observer is linked *before* it
/// reads the recorded posts. So every post is among the replayed ones, or finds the observer, or both;
/// ``ReplayGate`` tells them apart.
///
/// Like the gate, it is not generic over the payload. It holds objects of the class ``RecordedEvent`` with the
/// payload type of its event, and no others.
final class ReplayBuffer: Sendable {
  private struct State: ~Copyable {
    var entries: [any AnyObject & Sendable] = []
    var newest: UInt = 0
  }

  private let state = Locked(State())

  /// Creates an empty buffer.
  package init() {}

  /// Returns the last post.
  package func latest<Event: AnyObject>(as type: Event.Type) -> Event? {
    state.withLock { $0.entries.last } as? Event
  }

  /// Records a post.
  ///
  /// - Parameters:
  ///   - event: The post.
  ///   - limit: The number of posts to keep.
  /// - Returns: The number of the post among the posts of this event.
  package func record(_ event: some AnyObject & Sendable, limit: Int) -> UInt {
    let (number, evicted) = state.withLock { state in
      state.newest += 1
      state.entries.append(event)
      let excess = max(0, state.entries.count - limit)
      let evicted = Array(state.entries[..<excess])
      state.entries.removeFirst(excess)
      return (state.newest, evicted)
    }
    withExtendedLifetime(evicted) {}
    return number
  }

  /// The recorded posts, oldest first, and the number of the newest one ever recorded.
  package func contents() -> (recorded: [any AnyObject & Sendable], newest: UInt) {
    state.withLock { ($0.entries, $0.newest) }
  }

  /// Removes all recorded posts.
  package func clear() {
    let evicted = state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
    withExtendedLifetime(evicted) {}
  }
}
