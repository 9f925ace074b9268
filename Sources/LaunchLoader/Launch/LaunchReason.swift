/// Why the process was started, as far as the program that launches knows.
///
/// Extend it with the reasons of your program:
///
/// ```swift
/// extension LaunchReason { static let restoredFromCrash: LaunchReason = "restored from a crash" }
/// ```
public struct LaunchReason: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible
{
  /// Somebody started the process and asked for nothing in particular: the default.
  public static let direct: LaunchReason = "direct"

  /// The reason as text.
  public let rawValue: String

  /// Creates a reason.
  ///
  /// - Parameter rawValue: The text of the reason. Reasons with the same text are the same.
  public init(_ rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates a reason from a literal.
  ///
  /// - Parameter value: The text of the reason.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The reason as text.
  public var description: String { rawValue }
}
