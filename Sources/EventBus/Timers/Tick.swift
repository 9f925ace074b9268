/// One call of a timer.
public struct Tick: Sendable {
  /// How many ticks of the timer were delivered before this one.
  public let index: Int
  /// How many deadlines were dropped in favour of this tick.
  ///
  /// Always 0 with ``MissedTicks/burst`` and ``MissedTicks/delay``, which drop none. Deadlines that passed
  /// while the timer was paused are not counted.
  public let missed: Int
  /// How long after its deadline the tick began, or `nil` when the clock does not measure in `Duration`.
  public let lateness: Duration?

  /// Describes a call.
  init(index: Int, missed: Int, lateness: Duration?) {
    self.index = index
    self.missed = missed
    self.lateness = lateness
  }
}

/// What a timer does about deadlines it could not keep: those that passed while a tick was running, while
/// the actor of the timer was busy or while the machine slept.
///
/// With an interval of 10 seconds and a first tick that runs from 10 to 45:
///
/// ```
/// deadlines   10      20      30      40      50      60
/// skip        ├ 1 ───────────────────────┤    2       3        tick 2 says: 3 missed
/// burst       ├ 1 ───────────────────────┤234 5       6        nothing is missed, 2 to 4 are late
/// delay       ├ 1 ───────────────────────┤      2       3      at 55, 65, …
/// ```
public enum MissedTicks: Hashable, Sendable {
  /// Drops them; the next tick says how many there were.
  ///
  /// When a tick has ended, the timer goes on with the next deadline that has not passed. When a tick
  /// could not begin in time, it begins as soon as it can, for the last deadline that has passed. The
  /// ticks stay on the multiples of the interval.
  case skip
  /// Delivers one tick for each, back to back, until the timer has caught up.
  case burst
  /// Moves the schedule: when the next deadline has passed by the end of a tick, the interval counts from
  /// that end.
  case delay
}

/// Where the handler of a timer runs.
package enum TimerPlace: Sendable {
  /// On the threads of the concurrency runtime.
  case anywhere
  /// On an actor.
  case on(any Actor)
  /// Nowhere: the actor has died.
  case lost
}
