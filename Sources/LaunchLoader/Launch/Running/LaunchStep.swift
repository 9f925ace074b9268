/// The next action of the code that runs a launch.
package enum LaunchStep: Sendable {
  /// Run this work, then report its end under this row.
  case run(LaunchItem, row: Int)
  /// Dismiss this work with this outcome.
  case skip(LaunchItem, LaunchOutcome)
  /// Undo this work, and release the value that it made, then report that.
  case undo(LaunchItem, row: Int)
  /// Wait: nothing more can begin here now, and the launch is not over.
  case wait
  /// The launch is over, with these rows, including those without an outcome. If `goesOn` is `true`,
  /// the caller starts a runner for the work after it.
  case over([LaunchRow], problems: [LaunchError], LaunchVerdict, goesOn: Bool)
  /// The launch was over before, and nothing can begin now; release these rows.
  case rest([LaunchRow])
}
