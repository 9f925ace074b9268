internal import EventBus

/// Names registrations that have no name of their own: `Module/File.swift:12#1`, `…#2`.
internal struct LaunchSiteCounter: Sendable {
  private var counts: [SourceSite: Int] = [:]

  /// The next name of a line.
  ///
  /// - Complexity: O(1), two allocations.
  internal mutating func next(fileID: StaticString, line: UInt) -> LaunchID {
    let site = SourceSite(fileID: fileID.description, line: line)
    let number = counts[site, default: 0] + 1
    counts[site] = number
    return LaunchID("\(site)#\(number)")
  }
}
