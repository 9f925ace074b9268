/// What all workers of one launch share.
internal struct LaunchSession: Sendable {
  /// The options that each worker receives.
  internal let options: LaunchOptions
  /// Measures from the beginning of the launch.
  internal let stopwatch: Stopwatch

  /// The report over rows whose work has ended.
  internal func report(on rows: [LaunchRow]) -> LaunchReport {
    let entries = rows.compactMap { row -> LaunchReport.Entry? in
      guard let id = row.id, let outcome = row.registration.outcome.value else { return nil }
      return LaunchReport.Entry(
        id: id,
        fileID: row.registration.fileID.description,
        line: row.registration.line,
        start: row.times?.start ?? .zero,
        duration: row.times?.duration ?? .zero,
        outcome: outcome
      )
    }
    return LaunchReport(entries: entries, total: stopwatch.elapsed())
  }
}
