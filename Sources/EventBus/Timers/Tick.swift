/// A single call of a timer's handler.
public struct Tick: Sendable {
  /// The number of earlier ticks of the timer.
  public let index: Int
  /// The number of deadlines that were dropped in favor of this tick.
  ///
  /// Always 0 with ``MissedTicks/burst`` and ``MissedTicks/delay``, which drop none. Deadlines that passed
  /// during a pause are not counted.
  public let missed: Int
  /// The time from the deadline to the beginning of the tick.
  public let lateness: Duration

  init(_ index: Int, missed: Int, lateness: Duration) {
    self.index = index
    self.missed = missed
    self.lateness = lateness
  }
}

/// A policy for deadlines that pass while a tick is running, the actor is busy or the machine sleeps.
///
/// The effects with an interval of 10 seconds and a first tick that runs from 10 to 45:
///
/// ```
/// deadlines   10      20      30      40      50      60
/// skip        ├ 1 ───────────────────────┤    2       3        tick 2 says: 3 missed
/// burst       ├ 1 ───────────────────────┤234 5       6        nothing is missed, 2 to 4 are late
/// delay       ├ 1 ───────────────────────┤      2       3      at 55, 65, …
/// ```
public enum MissedTicks: Hashable, Sendable {
  /// Drops missed deadlines and reports their number in the next tick.
  ///
  /// After a tick that ran too long, the timer continues with the first deadline that has not passed. A
  /// tick that could not begin in time begins as soon as possible, for the last deadline that has passed.
  /// The ticks stay on the multiples of the interval.
  case skip
  /// Delivers one tick for each missed deadline, back to back, until the timer has caught up.
  case burst
  /// Restarts the interval at the end of a tick by which the next deadline has already passed.
  case delay
}
