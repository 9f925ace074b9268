extension LaunchReport {
  /// Creates a report from rows, whose entries are made on first access.
  package init(rows: [LaunchRow], total: Duration, problems: [LaunchError] = []) {
    self.init(total: total, problems: problems) { rows.compactMap(Entry.init) }
  }
}

extension LaunchReport.Entry {
  /// Creates an entry from a row; `nil` if the row has no outcome.
  init?(_ row: LaunchRow) {
    guard let result = row.result else { return nil }
    let registration = row.registration
    self.init(
      name: registration.id,
      number: row.siteNumber,
      site: registration.site,
      phase: row.phase,
      result: result,
      isSynchronous: !registration.isAsynchronous,
      dependencies: registration.after + registration.afterIfPresent,
      isAbandoned: row.isAbandoned
    )
  }
}
