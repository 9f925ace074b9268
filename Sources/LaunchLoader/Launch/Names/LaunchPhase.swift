/// The part of a launch in which a piece of work runs.
///
/// Phases follow one another: nothing of a phase begins before all of the previous phase has ended. A
/// dependency takes precedence over a phase: work that an earlier phase depends on runs in that phase.
public enum LaunchPhase: Comparable, CaseIterable, Sendable {
  /// Before everything else, as for crash reporting and logging.
  case early
  /// The default phase.
  case standard
  /// After the standard phase, and still part of the launch.
  case late
  /// After the launch, in a task of low priority. Neither the launch nor its report waits for it.
  case idle
}

extension LaunchPhase {
  /// The number of phases before it.
  var index: Int {
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
