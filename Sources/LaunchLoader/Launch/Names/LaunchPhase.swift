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

/// The reaction of a launch to a worker that fails: that throws, exceeds its time limit, or cannot be
/// ordered.
///
/// Work of the phase `idle` is not part of a launch: its failures affect only its dependants.
public enum LaunchFailurePolicy: Sendable {
  /// Continues, and skips only the work that depends on the worker.
  ///
  /// Likewise, work in a cycle, work with missing dependencies, and the dependants of both are skipped.
  case `continue`
  /// Begins nothing more, cancels running work, waits for its end, and throws.
  ///
  /// If the dependencies cannot be met, nothing runs.
  case stop
  /// Stops, and then undoes finished workers that are types, and values whose makers have an `undo:`
  /// closure, in reverse order of completion.
  ///
  /// Workers are undone one after another, each in a task that is not cancelled even if the launch is,
  /// because half of a rollback would be worse than none. Each clean-up may take as long as the
  /// `timeout` of the loader; without a `timeout`, the launch waits until it returns. Other
  /// closures cannot be undone and remain finished.
  case rollback
}
