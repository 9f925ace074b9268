/// The effects of a change of the registry, for which its caller cares after unlocking.
package struct LaunchEffects: Sendable {
  /// The tasks of the worker that has ended: cancel its time limit and release both.
  package var ended: LaunchTasks?
  /// The tasks to cancel.
  package var cancelled: [Task<Void, Never>] = []
  /// The runner to wake.
  package var wake = LaunchWake.noRunner
  /// Rows to release.
  var dropped: [LaunchRow] = []
}

/// The task that runs a worker, and the task that waits for its time limit, if it has one.
package typealias LaunchTasks = (task: Task<Void, Never>, watch: Task<Void, Never>?)
