/// The rule of job control: when to announce the background and the foreground.
///
/// A plain value. Each state change is announced once: a process stopped on a terminal returns to the
/// foreground when the stop returns, and the `SIGCONT` that continued it has no further effect.
package struct JobState: Sendable {
  private var isInBackground = false

  /// Creates the state of a program in the foreground.
  package init() {}

  /// Handles `SIGTSTP`.
  ///
  /// - Parameter isOnTerminal: Whether a terminal controls the process and can continue it. The process then
  ///   stops, and the foreground is announced when it continues. Without a terminal, the program goes to the
  ///   background but does not stop.
  /// - Returns: `true` if the background must be announced first.
  package mutating func stop(isOnTerminal: Bool) -> Bool {
    defer { isInBackground = !isOnTerminal }
    return !isInBackground
  }

  /// Handles `SIGCONT`.
  ///
  /// - Returns: `true` if the foreground must be announced.
  package mutating func resume() -> Bool {
    defer { isInBackground = false }
    return isInBackground
  }
}
