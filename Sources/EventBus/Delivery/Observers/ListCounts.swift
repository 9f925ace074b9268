public import Synchronization

/// The counts that the observer lists of one bus share: the registrations that were ever made, and what waits in queues,
/// which are the mailboxes of actors and the events for asynchronous handlers.
///
/// ## Registrations
///
/// They are numbered across all lists. A post reads the newest number once, and skips later registrations.
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
package final class ListCounts: Sendable {
  private static let turnMask: UInt64 = (1 << 31) - 1
  /// Set while tasks wait for the end of turns.
  private static let awaited: UInt64 = 1 << 31
  /// One turn that has begun, and one more that ever began.
  private static let oneTurn: UInt64 = 1 << 32 | 1

  private let registrations = Atomic<UInt>(0)
  /// The number of mailboxes in which posted events wait.
  @usableFromInline
  let mailboxes = Atomic<Int>(0)
  /// The number of events whose owner or actor had died, or whose owner's lifetime had ended.
  let lost = Atomic<Int>(0)
  private let turns = Atomic<UInt64>(0)
  private let newest = Atomic<UInt>(0)
  private let settling = LazyReference<SettlingTasks>()

  /// Creates counts of zero.
  package init() {}

  /// The number of the newest registration.
  package var newestRegistration: UInt { registrations.load(ordering: .sequentiallyConsistent) }

  /// Numbers the next registration.
  package func nextRegistration() -> UInt {
    registrations.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
  }

  /// True if nothing is waiting in mailboxes.
  @inlinable
  package var areMailboxesEmpty: Bool { mailboxes.load(ordering: .acquiring) == 0 }

  /// Changes the number of mailboxes in which posted events wait.
  func addMailboxes(_ change: Int) {
    mailboxes.wrappingAdd(change, ordering: .sequentiallyConsistent)
  }

  /// Counts events that were lost.
  func addLost(_ count: Int) { lost.wrappingAdd(count, ordering: .relaxed) }

  /// Begins a turn; called under the lock of its queue, so that a later event finds it counted.
  ///
  /// - Parameter list: The address of the list of observers with whose event the turn begins.
  func beginTurn(for list: UInt) {
    newest.store(list, ordering: .relaxed)
    turns.wrappingAdd(Self.oneTurn, ordering: .relaxed)
  }

  /// Ends a turn, without holding a lock.
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
  /// - Parameter list: The list of observers of the event.
  /// - Returns: `true` if the caller must schedule the turn.
  mutating func requestTurn(for list: ObserverList) -> Bool {
    let mustSchedule = requestTurn()
    if mustSchedule { list.counts.beginTurn(for: ObjectAddress.of(list)) }
    return mustSchedule
  }
}

/// The tasks that wait until the queues of a bus have settled.
final class SettlingTasks: Sendable {
  private struct Waiter {
    /// The calls of handlers that cannot end before this task resumes; none for other tasks.
    let calls: [RunningCall]
    var latch: Latch?
  }

  private struct State: ~Copyable {
    var waiters: [UInt: Waiter] = [:]
    var lastNumber: UInt = 0
  }

  private let state = Locked(State())

  /// Adds a task.
  func add(_ calls: [RunningCall]) -> UInt {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.waiters[state.lastNumber] = Waiter(calls: calls)
      return state.lastNumber
    }
    // The others need not wait for these calls any more.
    if !calls.isEmpty { resume() }
    return number
  }

  /// Removes a task.
  ///
  /// - Parameters:
  ///   - number: The number of the task.
  ///   - didEmpty: Called under the lock if no other task is left.
  func remove(_ number: UInt, didEmpty: () -> Void) {
    let removed = state.withLock { state in
      let removed = state.waiters.removeValue(forKey: number)
      if state.waiters.isEmpty { didEmpty() }
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  /// Returns a latch that opens at the next change, and calls a closure under the lock.
  func prepare(_ number: UInt, _ body: () -> Void) -> Latch {
    let latch = Latch()
    state.withLock { state in
      state.waiters[number]?.latch = latch
      body()
    }
    return latch
  }

  /// Resumes all tasks, so that they look again.
  func resume() {
    let latches = state.withLock { state in
      let latches = state.waiters.values.compactMap(\.latch)
      for number in state.waiters.keys { state.waiters[number]?.latch = nil }
      return latches
    }
    for latch in latches { latch.open() }
  }

  /// Returns whether a task may resume although so many turns are left.
  ///
  /// A task outside handlers waits for every turn. A call of a handler leaves out its own turn and those of the
  /// calls that wait like it: these would otherwise wait for each other.
  func allow(_ turnCount: Int, for number: UInt) -> Bool {
    if turnCount == 0 { return true }
    let waiters = state.withLock { $0.waiters }
    guard waiters[number]?.calls.isEmpty == false else { return false }
    let calls = waiters.values.flatMap(\.calls).filter { !$0.hasEnded }
    // A handler makes one call at a time, and its queue has one turn.
    return turnCount <= Set(calls.map(\.registration)).count
  }
}
