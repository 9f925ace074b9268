/// Where a property was written, for messages.
internal struct PropertyPlace: Sendable, CustomStringConvertible {
  /// The module and file.
  internal let fileID: StaticString
  /// The line, counted from one.
  internal let line: UInt

  /// The place as `Module/File.swift:12`.
  internal var description: String { "\(fileID):\(line)" }
}
