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
  internal init(index: Int, missed: Int, lateness: Duration?) {
    self.index = index
    self.missed = missed
    self.lateness = lateness
  }
}
