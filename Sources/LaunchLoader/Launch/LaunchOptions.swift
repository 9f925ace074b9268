/// What the process was started with; every launch worker receives it.
///
/// ## Thread safety
///
/// A value: copies are independent and may be used on any thread.
public struct LaunchOptions: Sendable {
  /// The command line; the first element is the name of the program.
  public var arguments: [String]

  /// The environment variables, by name.
  public var environment: [String: String]

  /// Why the process was started.
  public var reason: LaunchReason

  private var values: [ObjectIdentifier: any Sendable] = [:]

  /// Creates launch options.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - environment: The environment variables, by name.
  ///   - reason: Why the process was started.
  public init(
    arguments: [String] = [],
    environment: [String: String] = [:],
    reason: LaunchReason = .direct
  ) {
    self.arguments = arguments
    self.environment = environment
    self.reason = reason
  }

  /// The command line and the environment of this process, read anew by every call.
  ///
  /// Before `main` the command line is still empty. The environment belongs to the C library: do not
  /// read it while another thread changes it.
  ///
  /// - Complexity: O(*n*) in the size of the command line and the environment.
  public static var current: LaunchOptions {
    LaunchOptions(
      arguments: CommandLine.arguments,
      environment: ProcessEnvironment.variables
    )
  }

  /// The value of a key, or `nil` if there is none.
  ///
  /// - Parameter key: The type that names the value.
  /// - Complexity: O(1).
  public subscript<Key: LaunchOptionKey>(key: Key.Type) -> Key.Value? {
    get { values[ObjectIdentifier(key)] as? Key.Value }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}
