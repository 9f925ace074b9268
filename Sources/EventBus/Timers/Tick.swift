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
