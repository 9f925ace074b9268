/// The outcome of a piece of work, and its place in the launch.
package struct LaunchResult: Sendable {
  /// The outcome.
  package let outcome: LaunchOutcome
  /// Its number in the order in which workers began, from one; `nil` if it did not run.
  package let turn: Int?
  /// The times at which it ran.
  package let times: LaunchTimes?

  /// Creates a result; without a turn and times, that of work that did not run.
  package init(_ outcome: LaunchOutcome, turn: Int? = nil, times: LaunchTimes? = nil) {
    (self.outcome, self.turn, self.times) = (outcome, turn, times)
  }
}
