internal import Synchronization

/// The unfinished calls and the receptions of one post, for a poster that waits until every handler has
/// finished.
package final class Completion: Sendable {
  private struct Entry {
    /// The position among the observers that the post met; `nil` if it has not met this one.
    var position: Int?
    var reception: Reception?
    var error: (any Error)?
    /// Whether the observer got the event as a recorded one.
    var wasReplayed = false

    /// Notes a reception, unless a more final one is known.
    ///
    /// The handler may have finished before the poster comes to note that the event waits.
    mutating func note(_ new: Reception) {
      switch (reception, new) {
      case (nil, _): reception = new
      // The event waited at the gate of a replay, which has left it out. If the replay has passed it on, it
      // now waits for the observer.
      case (.queued, .replayed) where !wasReplayed: reception = new
      case (_, .queued), (_, .replayed): break
      default: reception = new
      }
    }
  }

  private struct State: ~Copyable {
    /// The receptions, by the numbers of the observers.
    var entries: [UInt: Entry] = [:]
    var metCount = 0
  }

  /// The number of unfinished calls, plus one for the post itself.
  private let open = Atomic<Int>(1)
  private let latch = Latch()
  private let state = Locked(State())
  private let list: ObjectIdentifier
  /// The calls of handlers that wait for this post; the post does not wait for other calls of these handlers.
  package let callers: [RunningCall]

  /// Creates a count for a post that is about to begin.
  ///
  /// - Parameters:
  ///   - list: The observers of the event. Others, which observe every event, are waited for, but are not
  ///     part of the outcome.
  ///   - callers: The calls of handlers that wait for this post.
  package init(of list: ObserverList, callers: [RunningCall] = []) {
    self.list = ObjectIdentifier(list)
    self.callers = callers
  }

  /// Counts a call that will be made later.
  package func begin() { open.wrappingAdd(1, ordering: .relaxed) }

  /// Ends a call that was made or dropped, or the post itself.
  package func finish() {
    let left = open.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if left == 0 { latch.open() }
  }

  /// A Boolean value that indicates whether every call has finished; it stays `true` when a later replay
  /// counts calls.
  package var isDone: Bool { latch.isOpen }

  /// Waits until every call has finished.
  ///
  /// Returns early when the waiting task is cancelled.
  package func wait() async { await latch.wait() }

  /// What has come of the post; final once every call has finished.
  ///
  /// - Complexity: O(*n* log *n*) in the number of observers.
  package var outcome: PostOutcome {
    var met: [(position: Int, entry: Entry)] = []
    for entry in state.withLock({ $0.entries }).values {
      if let position = entry.position { met.append((position, entry)) }
    }
    var outcome = PostOutcome()
    for (_, entry) in met.ordered(by: { $0.position < $1.position }) {
      entry.reception.map { outcome.count($0) }
      if let error = entry.error { outcome.errors.append(error) }
    }
    return outcome
  }

  /// The number of observers of which something is recorded.
  package var recordedCount: Int { state.withLock { $0.entries.count } }

  /// Records that the post has met an observer, and the outcome there.
  func met(_ reception: Reception, at number: UInt, in list: ObserverList) {
    guard ObjectIdentifier(list) == self.list, reception != .tooNew else { return }
    change(number) { entry, state in
      entry.position = state.metCount
      state.metCount += 1
      // What came of a recorded event has been noted already.
      if reception != .replayed { entry.note(reception) }
    }
  }

  /// Records what became of an event that waited, or that its observer got as a recorded one.
  ///
  /// - Parameters:
  ///   - reception: The outcome.
  ///   - number: The number of the observer.
  ///   - isReplay: Whether the observer got the event as a recorded one.
  package func settle(_ reception: Reception, at number: UInt, isReplay: Bool = false) {
    // A post that is over is replayed forever, and may then count new calls.
    if isDone { return }
    change(number) { entry, _ in
      if isReplay { entry.wasReplayed = true }
      entry.note(reception)
    }
  }

  /// Records an error of a handler.
  package func failed(_ error: any Error, at number: UInt) {
    if isDone { return }
    change(number) { entry, _ in entry.error = error }
  }

  private func change(_ number: UInt, _ body: (inout Entry, inout State) -> Void) {
    state.withLock { state in
      var entry = state.entries[number] ?? Entry()
      body(&entry, &state)
      state.entries[number] = entry
    }
  }
}
