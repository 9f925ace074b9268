/// The rule of interrupts: ask, insist, leave.
///
/// A plain value.
package struct InterruptEscalation: Sendable {
  /// What an interrupt means.
  package enum Step: Sendable, Equatable {
    /// Stop in order.
    case shutdown
    /// Cancel everything; the exit code is this, unless there is one.
    case cancel(exitCode: Int32)
    /// End the process now, with this status.
    case exit(Int32)
  }

  private var count = 0

  /// Creates the rule of a process that nobody interrupted.
  package init() {}

  /// Takes in one more interrupt.
  ///
  /// - Parameter number: The number of the signal.
  /// - Returns: What it means.
  package mutating func next(_ number: Int32) -> Step {
    count = min(count + 1, 3)
    switch count {
    case 1: return .shutdown
    case 2: return .cancel(exitCode: 128 + number)
    default: return .exit(128 + number)
    }
  }
}
