/// Counts what the timers of a clock are doing, for a clock that waits for them before it moves on.
///
/// What counts is a *unit*: a tick from the moment it is due until its handler has returned, or the task
/// that sleeps for the timers. A unit that sleeps on the clock is not busy.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
package final class TimerActivity: Sendable {
  /// Something that is busy or sleeps.
  package struct Unit: Sendable {
    fileprivate let activity: TimerActivity
    fileprivate let number: UInt

    /// It begins to sleep on the clock.
    package func sleep() { activity.change(number, by: 1) }

    /// It wakes up.
    package func wake() { activity.change(number, by: -1) }

    /// It is over.
    package func end() { activity.end(number) }

    /// Whether it is counted here.
    package func counts(in activity: TimerActivity) -> Bool { self.activity === activity }

    /// Does something as part of the unit, so that it is known to be asleep when it sleeps.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, on which it is done.
    ///   - body: What is done.
    /// - Returns: What the closure returns.
    package func perform<Result: Sendable>(
      isolation: isolated (any Actor)? = #isolation,
      _ body: () async -> Result
    ) async -> Result {
      await TimerActivity.$current.withValue(self) {
        // Captured, so that the closure stays on the actor.
        _ = isolation
        return await body()
      }
    }
  }

  private struct State {
    /// How often each unit sleeps; it is below zero when a unit was woken before it could say it sleeps.
    var sleeps: [UInt: Int] = [:]
    var busy = 0
    var lastNumber: UInt = 0
    /// What waits, with its unit, if it is one; units do not wait for themselves and each other.
    var waiters: [(unit: UInt?, latch: Latch)] = []

    /// Takes those who have nothing more to wait for.
    mutating func takeServed() -> [Latch] {
      // A task that a unit began may outlive it: then it waits like all others.
      let waitingUnits = Set(waiters.compactMap(\.unit)).filter { sleeps[$0] != nil }
      let busyWaiting = waitingUnits.count { sleeps[$0].map { $0 <= 0 } ?? false }
      guard busy <= busyWaiting else { return [] }
      let isIdle = busy == 0
      let isServed = { (unit: UInt?) in isIdle || unit.map(waitingUnits.contains) == true }
      let served = waiters.filter { isServed($0.unit) }
      waiters.removeAll { isServed($0.unit) }
      return served.map(\.latch)
    }
  }

  @TaskLocal private static var current: Unit?
  private let state = Locked(State())

  /// Creates a count of nothing.
  package init() {}

  /// The unit that the current task, or one that began it, is a part of.
  package static var unit: Unit? { current }

  /// Begins a unit, which is busy.
  package func begin() -> Unit {
    state.withLock { state in
      state.lastNumber += 1
      state.busy += 1
      state.sleeps[state.lastNumber] = 0
      return Unit(activity: self, number: state.lastNumber)
    }
  }

  /// Waits until no unit is busy.
  ///
  /// Returns early when the waiting task is cancelled. A unit that waits does not wait for itself, nor for
  /// others that wait.
  ///
  /// - Parameter unit: The unit of this count in which the waiting task was begun.
  package func idle(as unit: Unit?) async {
    while !Task.isCancelled {
      let latch = Latch()
      let served = state.withLock { state -> [Latch] in
        state.waiters.append((unit?.number, latch))
        return state.takeServed()
      }
      for latch in served { latch.open() }
      if latch.isOpen { return }
      await latch.wait()
      state.withLock { state in state.waiters.removeAll { $0.latch === latch } }
      if !latch.isOpen { return }
    }
  }

  private func change(_ number: UInt, by change: Int) {
    let served = state.withLock { state -> [Latch] in
      guard let former = state.sleeps[number] else { return [] }
      let sleeps = former + change
      state.sleeps[number] = sleeps
      if former <= 0, sleeps > 0 { state.busy -= 1 }
      if former > 0, sleeps <= 0 { state.busy += 1 }
      return state.takeServed()
    }
    for latch in served { latch.open() }
  }

  private func end(_ number: UInt) {
    let served = state.withLock { state -> [Latch] in
      guard let sleeps = state.sleeps.removeValue(forKey: number) else { return [] }
      if sleeps <= 0 { state.busy -= 1 }
      return state.takeServed()
    }
    for latch in served { latch.open() }
  }
}

/// A clock that wants to know what its timers are doing.
package protocol TimerWatching: AnyObject {
  /// Counts it.
  var activity: TimerActivity { get }
}

/// Which timers share a queue: all of a standard clock, and all of a clock that is an object.
///
/// A clock that is another value has no identity; each of its timers has a queue of its own.
enum TimerQueues: Sendable {
  private struct State {
    /// The queues of clocks that are objects, for as long as they have timers and so keep their clocks.
    var queues: [ObjectIdentifier: any AnyObject & Sendable] = [:]
  }

  private static let continuous = TimerQueue(ContinuousClock())
  private static let suspending = TimerQueue(SuspendingClock())
  private static let state = Locked(State())

  /// The queue for a new timer of a clock.
  ///
  /// While another thread ends the last timer of the clock, a new timer may get another queue than later
  /// ones; it differs in nothing but who sleeps for it.
  static func queue<C: Clock>(of clock: C) -> TimerQueue<C> {
    if let queue = continuous as? TimerQueue<C> { return queue }
    if let queue = suspending as? TimerQueue<C> { return queue }
    guard C.self is AnyObject.Type else { return TimerQueue(clock) }
    let identity = ObjectIdentifier(clock as AnyObject)
    let made = TimerQueue(clock) { queue in remove(queue, of: identity) }
    let known: any AnyObject & Sendable = state.withLock { state in
      if let known = state.queues[identity] { return known }
      state.queues[identity] = made
      return made
    }
    return known as? TimerQueue<C> ?? made
  }

  /// How many clocks that are objects have timers.
  static var count: Int { state.withLock { $0.queues.count } }

  private static func remove<C: Clock>(_ queue: TimerQueue<C>, of identity: ObjectIdentifier) {
    let removed = state.withLock { state -> (any AnyObject & Sendable)? in
      guard state.queues[identity] === queue else { return nil }
      return state.queues.removeValue(forKey: identity)
    }
    withExtendedLifetime(removed) {}
  }
}
