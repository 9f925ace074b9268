/// A count of the busy timers of a clock, for a clock that waits for them before it advances.
///
/// A *unit* of activity is a tick, from its deadline until its handler has returned, or the task that sleeps
/// for the timers. A unit that sleeps on the clock is not busy.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
package final class TimerActivity: Sendable {
  /// An activity that is busy or asleep.
  package struct Unit: Sendable {
    fileprivate let activity: TimerActivity
    fileprivate let number: UInt

    /// Records that the unit starts to sleep on the clock.
    package func sleep() { activity.change(number, by: 1) }

    /// Records that the unit wakes up.
    package func wake() { activity.change(number, by: -1) }

    /// Ends the unit.
    package func end() { activity.end(number) }

    /// Runs a closure as part of the unit, so that sleeping inside the closure counts as sleep of the unit.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, on which the closure runs.
    ///   - body: The closure.
    /// - Returns: The closure's result.
    package func perform<Result: Sendable>(
      isolation: isolated (any Actor)? = #isolation,
      _ body: () async -> Result
    ) async -> Result {
      await TimerActivity.$current.withValue(self) {
        // Captured so that the closure stays on the actor.
        _ = isolation
        return await body()
      }
    }
  }

  private struct State {
    /// The number of sleeps of each unit; negative if a unit was woken before it recorded its sleep.
    var sleeps: [UInt: Int] = [:]
    var busy = 0
    var lastNumber: UInt = 0
    /// The waiting tasks, with their units if any; units do not wait for themselves and for each other.
    var waiters: [(unit: UInt?, latch: Latch)] = []

    /// Removes the waiters that have nothing more to wait for, and returns their latches.
    mutating func takeServed() -> [Latch] {
      // A task that a unit started may outlive the unit. It then waits like all others.
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

  /// Creates an empty count.
  package init() {}

  /// The unit of this count to which the current task, or the task that started it, belongs.
  package var currentUnit: Unit? { Self.current.flatMap { $0.activity === self ? $0 : nil } }

  /// Starts a unit, which is busy.
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
  /// Returns early when the waiting task is cancelled. A waiting unit waits neither for itself nor for other
  /// waiting units.
  package func idle() async {
    let unit = currentUnit
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

/// A clock that tracks the activity of its timers.
package protocol TimerWatching: AnyObject {
  /// The activity of the clock's timers.
  var activity: TimerActivity { get }
}

/// The shared timer queues: one for each standard clock, and one for each clock that is an object.
///
/// Any other clock is a value without an identity; each of its timers has a queue of its own.
enum TimerQueues: Sendable {
  private static let continuous = TimerQueue(ContinuousClock())
  private static let suspending = TimerQueue(SuspendingClock())
  /// The queues of clocks that are objects, while they have timers and so keep their clocks alive.
  private static let queues = Locked<[ObjectIdentifier: any AnyObject & Sendable]>([:])

  /// Returns the queue for a new timer of a clock.
  ///
  /// While another thread ends the last timer of the clock, a new timer may get a different queue than later
  /// timers. Only the sleeping task differs.
  static func queue<C: Clock>(of clock: C) -> TimerQueue<C> {
    if let queue = continuous as? TimerQueue<C> { return queue }
    if let queue = suspending as? TimerQueue<C> { return queue }
    guard C.self is AnyObject.Type else { return TimerQueue(clock) }
    let identity = ObjectIdentifier(clock as AnyObject)
    let made = TimerQueue(clock) { queue in remove(queue, of: identity) }
    let known: any AnyObject & Sendable = queues.withLock { queues in
      if let known = queues[identity] { return known }
      queues[identity] = made
      return made
    }
    return known as? TimerQueue<C> ?? made
  }

  private static func remove<C: Clock>(_ queue: TimerQueue<C>, of identity: ObjectIdentifier) {
    let removed = queues.withLock { queues -> (any AnyObject & Sendable)? in
      guard queues[identity] === queue else { return nil }
      return queues.removeValue(forKey: identity)
    }
    withExtendedLifetime(removed) {}
  }
}
