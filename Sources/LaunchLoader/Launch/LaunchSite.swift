package import EventBus

/// Where a registration stands in the source, cheap to note and to compare.
package struct LaunchSite: Sendable {
  /// The file, as in `#fileID`.
  package let fileID: StaticString
  /// The line.
  package let line: UInt

  /// Names a place.
  package init(fileID: StaticString, line: UInt) {
    self.fileID = fileID
    self.line = line
  }

  /// The place with its file as text.
  package var source: SourceSite { SourceSite(fileID: fileID.description, line: line) }
}

extension LaunchSite: Hashable {
  /// Whether two places are the same line of files of the same name.
  package static func == (left: LaunchSite, right: LaunchSite) -> Bool {
    left.line == right.line && left.fileID.isSame(as: right.fileID)
  }

  /// Hashes the line and no text: there is seldom more than one file with a registration on that line.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(line)
    hasher.combine(fileID.utf8CodeUnitCount)
  }
}
