/// A recorded post: its payload and its origin, with the sender as that of an event that has waited.
package final class RecordedEvent<Payload: Sendable>: Sendable {
  /// The payload.
  package let payload: Payload
  /// The origin of the post.
  package let delivery: Delivery

  /// Records a post.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - delivery: The origin of the post.
  ///   - sender: The sender's identity.
  package required init(_ payload: Payload, _ delivery: Delivery, from sender: SenderIdentity?) {
    self.payload = payload
    var recorded = delivery.recorded
    recorded.waitedFrom = sender
    self.delivery = recorded
  }
}

/// The last posts of one event, for later observers.
///
/// A post is recorded, and gets its number, *before* it looks for observers; an observer is linked *before* it
/// reads the recorded posts. So every post is among the replayed ones, or finds the observer, or both;
/// ``ReplayGate`` tells them apart.
///
/// Like the gate, it is not generic over the payload. It holds objects of the class ``RecordedEvent`` with the
/// payload type of its event, and no others.
package final class ReplayBuffer: Sendable {
  private struct State {
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

/// Holds live events back while an observer receives replayed ones.
///
/// Live events that arrive meanwhile wait until the registering thread delivers them after the replayed
/// ones. Afterwards the gate admits every event except those that were replayed. What came of these is in
/// their ``PostRecord``, which the replay has reported to.
///
/// The gate is not generic over the payload: looking up the types of the gate and its parts would cost more
/// than the rest of a registration, and few events wait.
package final class ReplayGate: Sendable {
  private struct State {
    var isOpen = false
    /// The number of the newest replayed post.
    var baseline: UInt = 0
    var waiting: [Envelope] = []
  }

  private let state = Locked(State())

  /// Creates a closed gate.
  package init() {}

  /// Holds back a live event while the gate is closed, and afterwards one that was replayed.
  ///
  /// While the gate is closed, an event waits even if it was recorded: its poster then waits until the replay
  /// is over.
  ///
  /// - Parameters:
  ///   - number: The number of the post; zero for an event that is not recorded.
  ///   - makeEnvelope: Wraps the event, under the lock.
  /// - Returns: The outcome; `nil` for an event that proceeds to the observer.
  package func admit(_ number: UInt, _ makeEnvelope: () -> Envelope) -> Reception? {
    state.withLock { state in
      if state.isOpen { return number != 0 && number <= state.baseline ? .replayed : nil }
      state.waiting.append(makeEnvelope())
      return .queued
    }
  }

  /// Sets the number of the newest replayed post.
  package func setBaseline(_ number: UInt) { state.withLock { $0.baseline = number } }

  /// Removes the waiting events that were not replayed; opens the gate when none are waiting.
  ///
  /// - Returns: The events in order of arrival, or `nil` once the gate is open.
  package func takeWaitingOrOpen() -> [Envelope]? {
    let (taken, baseline) = state.withLock { state in
      let taken = state.waiting
      state.waiting = []
      if taken.isEmpty { state.isOpen = true }
      return (taken, state.baseline)
    }
    if taken.isEmpty { return nil }
    return taken.filter { event in
      if event.delivery.number == 0 || event.delivery.number > baseline { return true }
      event.settle(.replayed)
      return false
    }
  }
}
