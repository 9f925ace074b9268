internal import EventBus

/// The source site of a registration, cheap to store and to compare.
package struct LaunchSite: Sendable {
  /// The file, as in `#fileID`.
  let fileID: StaticString
  /// The line.
  let line: UInt

  /// Creates a source site.
  package init(fileID: StaticString, line: UInt) {
    self.fileID = fileID
    self.line = line
  }

  /// The source site with its file as a string.
  var source: SourceSite { SourceSite(fileID: fileID.description, line: line) }
}

extension LaunchSite: StableHashable {
  /// Compares lines and the text of file identifiers.
  package static func == (left: LaunchSite, right: LaunchSite) -> Bool {
    left.line == right.line && left.fileID.isSame(as: right.fileID)
  }

  /// A hash value of the line and of the length of the file identifier, because few files have a registration on
  /// the same line.
  var stableHash: Int { Int(bitPattern: line) &* 31 &+ fileID.utf8CodeUnitCount }
}

extension LaunchID {
  /// Creates the name of a registration that has none: `Module/File.swift:12#1`, `…#2`.
  init(_ site: LaunchSite, number: Int) { self.init("\(site.fileID):\(site.line)#\(number)") }
}

extension StaticString {
  /// Compares the text, without reading it if both are literals at one address.
  ///
  /// - Complexity: O(1) for the same literal, otherwise O(*n*) in the length of the text.
  func isSame(as other: StaticString) -> Bool {
    guard utf8CodeUnitCount == other.utf8CodeUnitCount else { return false }
    guard hasPointerRepresentation && other.hasPointerRepresentation else {
      return description == other.description
    }
    let isOne = unsafe utf8Start == other.utf8Start  // Reason: addresses are compared, not read.
    return isOne || description == other.description
  }
}
