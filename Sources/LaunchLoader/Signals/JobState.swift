/// The rule of stopping and continuing: what is told, and when the process stops.
///
/// A plain value. Each edge is told once: who was stopped on a terminal comes back when the stop returns,
/// and the `SIGCONT` that made it return says nothing new.
package struct JobState: Sendable {
  /// What is to be done, in order.
  package enum Step: Sendable, Equatable {
    /// Tell that the program goes to the background.
    case background
    /// Stop the process; returns when it goes on.
    case halt
    /// Tell that it comes back.
    case foreground
  }

  private var isInBackground = false

  /// Creates the state of a program in the foreground.
  package init() {}

  /// Takes in `SIGTSTP`.
  ///
  /// - Parameter isOnTerminal: Whether there is somebody who could continue the process: without a
  ///   terminal it only goes to the background.
  /// - Returns: What is to be done.
  package mutating func stop(isOnTerminal: Bool) -> [Step] {
    let told: [Step] = isInBackground ? [] : [.background]
    isInBackground = !isOnTerminal
    return isOnTerminal ? told + [.halt, .foreground] : told
  }

  /// Takes in `SIGCONT`.
  ///
  /// - Returns: What is to be done.
  package mutating func resume() -> [Step] {
    defer { isInBackground = false }
    return isInBackground ? [.foreground] : []
  }
}
