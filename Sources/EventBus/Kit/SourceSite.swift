/// A place in a source file.
public struct SourceSite: Hashable, Sendable, CustomStringConvertible {
  /// The module and file, as in `#fileID`.
  public let fileID: String
  /// The line, counted from one.
  public let line: UInt

  /// Names a place.
  public init(fileID: String, line: UInt) {
    self.fileID = fileID
    self.line = line
  }

  /// The place as `Module/File.swift:12`.
  public var description: String { "\(fileID):\(line)" }
}
