/// The name of a piece of launch work.
///
/// A loader keeps the first registration of each name and never forgets a name. Use constants, not
/// names generated at run time. Work registered without a name is named after its source site, as in
/// `Module/File.swift:12#1`; the number counts the registrations on that line.
public struct LaunchID: Hashable, Sendable, RawRepresentable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The name as text.
  public let rawValue: String

  /// Creates a name.
  ///
  /// - Parameter rawValue: The text of the name. Names with the same text are equal.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// Creates a name.
  ///
  /// - Parameter rawValue: The text of the name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a name from a literal.
  ///
  /// - Parameter value: The text of the name.
  public init(stringLiteral value: String) { self.init(value) }

  /// The name as text.
  public var description: String { rawValue }
}
