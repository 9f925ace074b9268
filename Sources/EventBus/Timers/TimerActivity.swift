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
    package func perform<Result>(_ body: () async -> Result) async -> Result {
      await TimerActivity.$current.withValue(self, operation: body)
    }
  }

  private struct State {
    /// How often each unit sleeps; it is below zero when a unit was woken before it could say it sleeps.
    var sleeps: [UInt: Int] = [:]
    var busy = 0
    var lastNumber: UInt = 0
    var waiters: [Latch] = []

    /// Takes those who wait, if there is nothing more to wait for.
    mutating func takeServed() -> [Latch] {
      guard busy == 0 else { return [] }
      defer { waiters = [] }
      return waiters
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
  /// Returns early when the waiting task is cancelled.
  package func idle() async {
    while !Task.isCancelled {
      let latch: Latch? = state.withLock { state in
        guard state.busy > 0 else { return nil }
        let latch = Latch()
        state.waiters.append(latch)
        return latch
      }
      guard let latch else { return }
      await latch.wait()
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
