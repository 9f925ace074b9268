package import EventBus

/// The name of a piece of launch work.
///
/// A loader keeps the first registration of each name and never forgets a name. Use constants, not
/// names generated at run time. Work registered without a name is named after its source site, as in
/// `Module/File.swift:12#1`; the number counts the registrations on that line.
public struct LaunchID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name as text.
  public let rawValue: String

  /// Creates a name.
  ///
  /// - Parameter rawValue: The text of the name. Names with the same text are equal.
  public init(_ rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates a name from a literal.
  ///
  /// - Parameter value: The text of the name.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The name as text.
  public var description: String { rawValue }
}

/// The source site of a registration, cheap to store and to compare.
package struct LaunchSite: Sendable {
  /// The file, as in `#fileID`.
  package let fileID: StaticString
  /// The line.
  package let line: UInt

  /// Creates a source site.
  package init(fileID: StaticString, line: UInt) {
    self.fileID = fileID
    self.line = line
  }

  /// The source site with its file as a string.
  package var source: SourceSite { SourceSite(fileID: fileID.description, line: line) }
}

extension LaunchSite: Hashable {
  /// Compares lines and the text of file identifiers.
  package static func == (left: LaunchSite, right: LaunchSite) -> Bool {
    left.line == right.line && left.fileID.isSame(as: right.fileID)
  }

  /// Hashes the line and the length of the file identifier, because few files have a registration on
  /// the same line.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(line)
    hasher.combine(fileID.utf8CodeUnitCount)
  }
}

extension LaunchID {
  /// Creates the name of a registration that has none: `Module/File.swift:12#1`, `…#2`.
  init(_ site: LaunchSite, number: Int) {
    self.init("\(site.fileID):\(site.line)#\(number)")
  }
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
