/// Holds live events back while an observer receives replayed ones.
///
/// Live events that arrive meanwhile wait until the registering thread delivers them after the replayed
/// ones. Afterwards the gate admits every event except those that were replayed. What came of these is in
/// their ``PostRecord``, which the replay has reported to.
///
/// The gate is not generic over the payload: looking up the types of the gate and its parts would cost more
/// than the rest of a registration, and few events wait.
package final class ReplayGate: Sendable {
  /// An event that waits, and the number of its post.
  typealias HeldEvent = (number: UInt, event: AnyQueuedEvent)

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

  /// Holds back a live event while the gate is closed, and afterwards one that was replayed.
  ///
  /// While the gate is closed, an event waits even if it was recorded: its poster then waits until the replay
  /// is over.
  ///
  /// - Parameters:
  ///   - number: The number of the post; zero for an event that is not recorded.
  ///   - makeEvent: Makes the event that waits, under the lock.
  /// - Returns: The outcome; `nil` for an event that proceeds to the observer. And the number of events that wait, if
  ///   it is to be reported, otherwise zero.
  func admit(_ number: UInt, _ makeEvent: () -> AnyQueuedEvent) -> (Reception?, crowd: Int) {
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
  func takeWaitingOrOpen() -> [(event: AnyQueuedEvent, wasReplayed: Bool)]? {
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
