/// The name of a piece of launch work.
///
/// A loader keeps the first registration of each name and remembers the names, so names are constants:
/// do not make them up at run time. Work that is registered without a name is called after its place in
/// the source, `Module/File.swift:12#1`; the number counts the registrations of that line.
public struct LaunchID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name as text.
  public let rawValue: String

  /// Creates a name.
  ///
  /// - Parameter rawValue: The text of the name. Names with the same text are the same.
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
