public import Synchronization

/// Counts of what waits in the queues of one bus: the mailboxes of actors, the enqueued events, and the events
/// for asynchronous handlers.
///
/// ## Turns
///
/// A queue counts as one *turn* from the event that makes it schedule a task until that task has found it
/// empty, so a burst changes the count twice, and a handler that is called by a queue is part of a turn. What a
/// handler causes in another queue begins a turn before its own turn ends: the count is not zero in between.
///
/// A task that waits until no turn is left registers, then sets a bit of the word with the count; a turn that
/// ends finds the bit in that word and resumes the task. All of this is one atomic variable, so either the task
/// sees the end of the turn, or the turn sees the task.
@usableFromInline
package final class WaitingCount: Sendable {
  private static let turnMask: UInt64 = (1 << 31) - 1
  /// Set while tasks wait for the end of turns.
  private static let awaited: UInt64 = 1 << 31
  /// One turn that has begun, and one more that ever began.
  private static let oneTurn: UInt64 = 1 << 32 | 1

  /// The number of events that wait in mailboxes.
  @usableFromInline
  let count = Atomic<Int>(0)
  /// The number of events whose owner or actor had died, or whose owner's lifetime had ended.
  let lost = Atomic<Int>(0)
  private let turns = Atomic<UInt64>(0)
  private let newest = Atomic<UInt>(0)
  private let settling = LazyReference<SettlingTasks>()

  /// A count of zero.
  package init() {}

  /// A Boolean value that indicates whether nothing is waiting in mailboxes.
  @inlinable
  package var isZero: Bool { count.load(ordering: .acquiring) == 0 }

  /// Changes the number of events in mailboxes.
  package func add(_ change: Int) { count.wrappingAdd(change, ordering: .sequentiallyConsistent) }

  /// Begins a turn; called under the lock of its queue, so that a later event finds it counted.
  ///
  /// - Parameter list: The address of the list of observers with whose event the turn begins.
  func beginTurn(for list: UInt) {
    newest.store(list, ordering: .relaxed)
    turns.wrappingAdd(Self.oneTurn, ordering: .relaxed)
  }

  /// Ends a turn, under no lock.
  package func endTurn() {
    let left = turns.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if left & Self.awaited != 0 { settling.object?.resume() }
  }

  /// The address of the list with whose event the newest turn has begun; only compared, since the list may be gone.
  var newestTurn: UInt { newest.load(ordering: .relaxed) }

  /// The number of turns that are scheduled or running.
  package var turnCount: Int { Int(turns.load(ordering: .acquiring) & Self.turnMask) }

  /// Waits until there is a moment without turns, and without posts that are in progress.
  ///
  /// - Parameters:
  ///   - call: The call of a handler that waits, in its own task. Its turn is left out, and so are those of the
  ///     calls that wait for it, and of other calls that wait here.
  ///   - posts: Waits until the posts have ended that are in progress; `false` if the task was cancelled first.
  /// - Returns: `false` when the task was cancelled first. A cancelled task looks once: a limit that has passed
  ///   does not hide that nothing is waiting.
  package func settle(_ call: RunningCall?, posts: () async -> Bool) async -> Bool {
    let tasks = settling.object { SettlingTasks() }
    let own = call.map { $0.chain.filter { $0.queues == ObjectIdentifier(self) } } ?? []
    let number = tasks.add(own)
    defer { tasks.remove(number) { _ = turns.bitwiseAnd(~Self.awaited, ordering: .relaxed) } }
    while true {
      var before: UInt64 = 0
      let latch = tasks.prepare(number) {
        before = turns.bitwiseOr(Self.awaited, ordering: .acquiringAndReleasing).newValue
      }
      guard tasks.allow(Int(before & Self.turnMask), for: number) else {
        guard await latch.wait() else { return false }
        continue
      }
      guard await posts() else { return false }
      // A turn that began meanwhile was caused by one of these posts, or comes from outside.
      let after = turns.load(ordering: .acquiring)
      if UInt64(after ^ before) >> 32 == 0 { return true }
      if Task.isCancelled { return false }
    }
  }
}

extension Lane {
  /// Requests a turn like ``requestTurn()``, and counts it.
  ///
  /// - Parameters:
  ///   - counts: The counts of what waits.
  ///   - list: The address of the list of observers of the event.
  /// - Returns: `true` if the caller must schedule the turn.
  package mutating func requestTurn(countedBy counts: WaitingCount, for list: UInt) -> Bool {
    let mustSchedule = requestTurn()
    if mustSchedule { counts.beginTurn(for: list) }
    return mustSchedule
  }
}
