/// When in a launch a piece of work has its turn.
///
/// Phases follow one another: nothing of a phase begins before everything of the phase before it has
/// ended. A dependency beats its phase: work that an earlier phase depends on runs in that phase.
public enum LaunchPhase: Comparable, CaseIterable, Sendable {
  /// Before everything else: crash reporting, logging.
  case early
  /// What is not said otherwise.
  case standard
  /// After the usual work, and still part of the launch.
  case late
  /// After the launch, in a task of low priority: nobody waits for it, and the report is made without it.
  case idle
}

extension LaunchPhase {
  /// How many phases come before it.
  internal var index: Int {
    switch self {
    case .early: 0
    case .standard: 1
    case .late: 2
    case .idle: 3
    }
  }
}

extension LaunchPhase: CustomStringConvertible {
  /// The name of the phase.
  public var description: String {
    switch self {
    case .early: "early"
    case .standard: "standard"
    case .late: "late"
    case .idle: "idle"
    }
  }
}
