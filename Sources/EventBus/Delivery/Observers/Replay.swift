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
  ///   - limit: The number of posts to keep, above zero; always the same.
  /// - Returns: The number of the post among the posts of this event.
  package func record(_ event: some AnyObject & Sendable, limit: Int) -> UInt {
    let (number, evicted) = state.withLock { state in
      state.newest += 1
      let evicted = state.entries.count < limit ? nil : state.entries.removeFirst()
      state.entries.append(event)
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

/// A recorded post: its payload and its origin, with the sender as that of an event that has waited.
final class RecordedEvent<Payload: Sendable>: Sendable {
  /// The payload.
  let payload: Payload
  /// The identity of the sender.
  let identity: SenderIdentity?
  private let site: CallSite
  private let sender: ObjectIdentifier?
  private let record: PostRecord?

  /// Records a post.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - post: The origin of the post.
  ///   - identity: The sender's identity.
  required init(_ payload: Payload, _ post: Post, from identity: SenderIdentity?) {
    (self.payload, self.identity, record) = (payload, identity, post.record)
    (site, sender) = (post.site, post.sender)
  }

  /// The origin of the post, without what was valid only while it was running; this event keeps alive what the origin
  /// refers to.
  var post: Post { Post(at: site, senderID: sender, identity, record: record) }
}

/// Holds live events back while an observer receives replayed ones.
///
/// Live events that arrive meanwhile wait until the registering thread delivers them after the replayed
/// ones. After that, the gate admits every event except those that were replayed. The outcomes of these
/// are in their ``PostRecord``, to which the replay has reported.
///
/// The gate is not generic over the payload: looking up the types of the gate and its parts would cost more
/// than the rest of a registration, and few events wait.
package final class ReplayGate: Sendable {
  /// An event that waits, and the number of its post.
  typealias HeldEvent = (number: UInt, event: any Sendable)

  private struct State: ~Copyable {
    var isOpen = false
    /// The number of the newest replayed post.
    var baseline: UInt = 0
    var waiting: [HeldEvent] = []
    var alarm = CrowdAlarm()
  }

  private let state = Locked(State())

  /// Creates a closed gate.
  package init() {}

  /// Holds back a live event while the gate is closed, and one that was replayed after it has opened.
  ///
  /// While the gate is closed, an event waits even if it was recorded: its caller then waits until the replay
  /// is over.
  ///
  /// - Parameters:
  ///   - number: The number of the post; zero for an event that is not recorded.
  ///   - makeEvent: Makes the event that waits, under the lock.
  /// - Returns: The outcome; `nil` for an event that proceeds to the observer. And the number of events that wait, if
  ///   it is to be reported, otherwise zero.
  func admit(_ number: UInt, _ makeEvent: () -> any Sendable) -> (Reception?, crowd: Int) {
    state.withLock { state in
      if state.isOpen { return (number != 0 && number <= state.baseline ? .replayed : nil, 0) }
      state.waiting.append((number, makeEvent()))
      let count = state.waiting.count
      return (.queued, state.alarm.isDue(count) ? count : 0)
    }
  }

  /// Sets the number of the newest replayed post.
  func setBaseline(_ number: UInt) { state.withLock { $0.baseline = number } }

  /// Removes the waiting events; opens the gate when none are waiting.
  ///
  /// - Returns: The events in order of arrival, and whether each was replayed; or `nil` once the gate is open.
  func takeWaitingOrOpen() -> [(event: any Sendable, wasReplayed: Bool)]? {
    let (taken, baseline) = state.withLock { state in
      let taken = state.waiting
      state.waiting = []
      if taken.isEmpty { state.isOpen = true }
      return (taken, state.baseline)
    }
    if taken.isEmpty { return nil }
    return taken.map { number, event in (event, number != 0 && number <= baseline) }
  }
}
