/// What a launch does when one of its workers fails: throws, takes too long, or cannot be ordered.
///
/// Work of the phase `idle` belongs to no launch: its failures reach only its dependants.
public enum FailurePolicy: Sendable {
  /// Goes on: only what depends on the worker is skipped.
  ///
  /// Of a cycle, and of what needs a missing worker, the same: those and their dependants are skipped.
  case `continue`
  /// Begins nothing more, cancels what runs, waits for its end, and throws.
  ///
  /// If the dependencies cannot be met, nothing runs at all.
  case stop
  /// Stops, and then undoes the finished workers that are types, in reverse order of their completion.
  ///
  /// One after another, each in a task that is not cancelled, also if the launch is: half of a rollback would be
  /// worse than none. Each has as much time as the `timeout` of the loader allows for the whole launch; without one
  /// the launch waits for it as long as it takes. A closure has no way back: it stays finished.
  case rollback
}
