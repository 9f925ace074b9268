/// Where a property was written, for messages.
@usableFromInline
internal struct PropertyPlace: Sendable, CustomStringConvertible {
  /// The module and file.
  @usableFromInline internal let fileID: StaticString
  /// The line, counted from one.
  @usableFromInline internal let line: UInt

  @inlinable
  internal init(fileID: StaticString, line: UInt) {
    self.fileID = fileID
    self.line = line
  }

  /// The place as `Module/File.swift:12`.
  @usableFromInline internal var description: String { "\(fileID):\(line)" }
}
