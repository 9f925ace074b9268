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

  private var values: [ObjectIdentifier: any Sendable] = [:]

  /// Creates launch options.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - environment: The environment variables, by name.
  public init(arguments: [String] = [], environment: [String: String] = [:]) {
    self.arguments = arguments
    self.environment = environment
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
