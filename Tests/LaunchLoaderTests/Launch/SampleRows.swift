import LaunchLoader

extension LaunchRow {
  /// Returns a row whose work has ended.
  static func ended(
    _ id: LaunchID,
    fileID: StaticString = "App/File.swift",
    line: UInt = 1,
    phase: LaunchPhase = .standard,
    after dependencies: [LaunchID] = [],
    isSynchronous: Bool = true,
    turn: Int? = nil,
    start: Duration = .zero,
    duration: Duration = .zero,
    _ outcome: LaunchOutcome = .finished
  ) -> LaunchRow {
    let registration = LaunchItem(
      id: id,
      fileID: fileID,
      line: line,
      after: dependencies,
      phase: phase,
      isSynchronous ? .synchronous(LaunchCall { _ in }) : .asynchronous { _ in }
    )
    let times = LaunchTimes(start: start, duration: duration)
    let result = LaunchResult(outcome, turn: turn, times: times)
    return LaunchRow(registration, number: 0, result: result)
  }
}

extension LaunchItem {
  /// Creates a registration with the usual terms where none are given.
  convenience init(
    id: LaunchID?,
    fileID: StaticString = "File.swift",
    line: UInt = 1,
    after: [LaunchID] = [],
    afterIfPresent: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    _ work: LaunchWork = .synchronous(LaunchCall { _ in })
  ) {
    self.init(
      id,
      LaunchSite(fileID: fileID, line: line),
      after: after,
      afterIfPresent: afterIfPresent,
      phase: phase,
      work
    )
  }
}
