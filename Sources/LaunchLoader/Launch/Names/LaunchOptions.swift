/// The circumstances in which the process was started; every launch worker receives them.
///
/// ## Thread safety
///
/// A value: copies are independent and may be used on any thread.
public struct LaunchOptions: Sendable {
  /// The command line; the first element is the name of the program.
  public var arguments: [String]

  /// The environment variables, by name.
  public var environment: [String: String]

  /// The reason for which the process was started.
  public var reason: LaunchReason

  private var values: [ObjectIdentifier: any Sendable] = [:]

  /// Creates launch options.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - environment: The environment variables, by name.
  ///   - reason: The reason for which the process was started.
  public init(
    arguments: [String] = [],
    environment: [String: String] = [:],
    reason: LaunchReason = .direct
  ) {
    self.arguments = arguments
    self.environment = environment
    self.reason = reason
  }

  /// The command line and the environment of this process, read again on each access.
  ///
  /// On Linux, the command line is still empty before `main`. The environment belongs to the C library: do not
  /// read it while another thread changes it.
  ///
  /// - Complexity: O(*n*) in the size of the command line and the environment.
  public static var current: LaunchOptions {
    LaunchOptions(arguments: CommandLine.arguments, environment: ServiceProcess.environment)
  }

  /// Accesses the value of a key; `nil` if there is none.
  ///
  /// - Parameter key: The type that identifies the value.
  /// - Complexity: O(1).
  public subscript<Key: LaunchOptionKey>(key: Key.Type) -> Key.Value? {
    get { values[ObjectIdentifier(key)] as? Key.Value }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}

/// A key for a custom value in ``LaunchOptions``.
///
/// ```swift
/// enum DeepLink: LaunchOptionKey { typealias Value = String }
///
/// var options = LaunchOptions.current
/// options[DeepLink.self] = "mail/inbox"
/// ```
///
/// The type itself is the key, so that keys of different modules never collide and each value has the
/// right type.
public protocol LaunchOptionKey {
  /// The type of the value.
  associatedtype Value: Sendable
}

/// The reason for which the process was started, as far as the launching program knows it.
///
/// Add the reasons of your program in an extension:
///
/// ```swift
/// extension LaunchReason { static let restoredFromCrash: LaunchReason = "restored from a crash" }
/// ```
public struct LaunchReason: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible
{
  /// A start without a particular reason, which is the default.
  public static let direct: LaunchReason = "direct"

  /// The reason as text.
  public let rawValue: String

  /// Creates a reason.
  ///
  /// - Parameter rawValue: The text of the reason. Reasons with the same text are equal.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// Creates a reason from a literal.
  ///
  /// - Parameter value: The text of the reason.
  public init(stringLiteral value: String) { self.init(value) }

  /// The reason as text.
  public var description: String { rawValue }
}
