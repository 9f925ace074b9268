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

/// Counts the registrations that have no name of their own, line by line.
struct LaunchSiteCounter: Sendable {
  private var counts: [LaunchSite: Int] = [:]

  /// The number of one more registration of a line, from one.
  ///
  /// - Complexity: O(1).
  mutating func next(at site: LaunchSite) -> Int {
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
  init(_ site: LaunchSite, number: Int) {
    self.init("\(site.fileID):\(site.line)#\(number)")
  }
}

/// Looks at a value as one of another type that is laid out alike.
enum SameLayout {
  /// The same bits, called otherwise.
  ///
  /// Closures are handed in and out inside structures: a bare one would get a wrapper on the way.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - type: What it is called from now on. Only its name differs, and what the compiler knows of it.
  /// - Returns: The value.
  static func view<Value, Other>(_ value: Value, as type: Other.Type) -> Other {
    unsafe unsafeBitCast(value, to: type)  // Reason: see above; the caller names the two types.
  }
}

extension StaticString {
  /// Whether the text is the same; two literals at one address are, without a look at the text.
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
