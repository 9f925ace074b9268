/// The runner to wake because there is something to do.
package enum LaunchWake: Hashable, Sendable {
  /// No runner.
  case noRunner
  /// The waiting runner of the launch.
  case waitingRunner
  /// A new runner, for the work after the launch.
  case newRunner
}
