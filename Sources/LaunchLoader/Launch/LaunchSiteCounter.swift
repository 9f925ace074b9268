/// Counts the registrations that have no name of their own, line by line.
internal struct LaunchSiteCounter: Sendable {
  private var counts: [LaunchSite: Int] = [:]

  /// The number of one more registration of a line, from one.
  ///
  /// - Complexity: O(1).
  internal mutating func next(at site: LaunchSite) -> Int {
    Self.countUp(&counts[site, default: 0])
  }

  /// In a function of its own, so that the line is looked up once.
  private static func countUp(_ count: inout Int) -> Int {
    count += 1
    return count
  }
}

extension LaunchID {
  /// The name of a registration that was given none: `Module/File.swift:12#1`, `…#2`.
  internal init(_ site: LaunchSite, number: Int) {
    self.init("\(site.fileID):\(site.line)#\(number)")
  }
}
