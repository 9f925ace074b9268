internal import EventBus

/// What all workers of one launch share.
internal struct LaunchSession: Sendable {
  /// The options that each worker receives.
  internal let options: LaunchOptions
  /// Measures from the beginning of the launch.
  internal let stopwatch: Stopwatch
}

/// What came of a launch: its report, unless it never began, and what its callers are to be thrown.
internal struct LaunchConclusion: Sendable {
  /// The report.
  internal let report: LaunchReport?
  /// What is thrown instead of returning the report.
  internal let error: LaunchError?

  /// What `launch(_:)` returns.
  internal func launched() throws(LaunchError) -> LaunchReport {
    if let error { throw error }
    return try reported()
  }

  /// What `report` returns.
  internal func reported() throws(LaunchError) -> LaunchReport {
    guard let report else { throw error ?? LaunchError(.stopped) }
    return report
  }
}

extension LaunchConclusion {
  /// Draws the conclusion from what a launch leaves behind.
  internal init(_ summary: LaunchSummary, total: Duration) {
    let problems = summary.problems.map(LaunchError.init)
    let report = LaunchReport(rows: summary.rows, total: total, problems: problems)
    self.report = report
    switch summary.verdict {
    case .fine: error = nil
    case .failed: error = LaunchError(.failed(report))
    case .impossible: error = problems.first
    }
  }
}
