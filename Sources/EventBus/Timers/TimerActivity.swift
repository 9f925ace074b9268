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
    package func end() { activity.change(number, by: nil) }
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

  /// The number of units that are busy.
  package var busyCount: Int { state.withLock { $0.busy } }

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
  /// A waiting unit waits neither for itself nor for other waiting units.
  ///
  /// - Returns: `false` when the waiting task was cancelled first. A cancelled task looks once.
  @discardableResult
  package func idle() async -> Bool {
    let unit = currentUnit
    while true {
      let latch = Latch()
      update { $0.waiters.append((unit?.number, latch)) }
      if latch.isOpen { return true }
      let hasRested = await latch.wait()
      state.withLock { state in state.waiters.removeAll { $0.latch === latch } }
      if !hasRested { return false }
    }
  }

  /// Runs a closure as part of a unit, so that sleeping inside the closure counts as sleep of the unit.
  ///
  /// - Parameters:
  ///   - unit: The unit, or `nil` to run the closure as it is.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - body: The closure.
  /// - Returns: The closure's result.
  package static func perform<Result: Sendable>(
    as unit: Unit?,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async -> Result
  ) async -> Result {
    guard let unit else { return await body() }
    return await $current.withValue(unit) {
      // Captured so that the closure stays on the actor.
      _ = isolation
      return await body()
    }
  }

  /// Changes the number of sleeps of a unit, or ends the unit.
  private func change(_ number: UInt, by change: Int?) {
    update { state in
      guard let former = state.sleeps[number] else { return }
      let sleeps = change.map { former + $0 }
      state.sleeps[number] = sleeps
      let isBusy = sleeps.map { $0 <= 0 } ?? false
      state.busy += (isBusy ? 1 : 0) - (former <= 0 ? 1 : 0)
    }
  }

  private func update(_ body: (inout State) -> Void) {
    let served = state.withLock { state in
      body(&state)
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
