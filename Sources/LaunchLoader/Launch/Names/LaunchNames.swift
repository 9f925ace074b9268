internal import EventBus

/// The name of a piece of launch work.
///
/// A loader uses the first registration of each name, and keeps the name as long as it exists, unless
/// the registration is cancelled. Use constants, not names generated at run time. Work registered
/// without a name is named after its source site, as in `Module/File.swift:12#1`; the number counts the
/// registrations on that line.
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

/// A key of a value of any type that launch work makes.
///
/// It has no public initializer; every instance is a ``LaunchKey``.
public class AnyLaunchKey: Hashable, @unchecked Sendable {  // Reason: constant.
  /// The name of the value, which is also the name of the work that makes it.
  public let name: LaunchID
  /// The type of the value.
  let valueType: Any.Type

  init(name: LaunchID, valueType: Any.Type) {
    self.name = name
    self.valueType = valueType
  }

  /// Returns whether two keys have the same name and the same type of value.
  public static func == (left: AnyLaunchKey, right: AnyLaunchKey) -> Bool {
    left.name == right.name && left.valueType == right.valueType
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension AnyLaunchKey: CustomStringConvertible {
  /// The name of the value.
  public var description: String { name.rawValue }
}

/// The namespace for the keys of values that launch work makes; extend it with your own.
///
/// ```swift
/// extension LaunchKeys { static let greeting = LaunchKey<String>("greeting") }
///
/// LaunchLoader.register(.greeting) { options in "Hello, \(options.arguments.count)" }
/// LaunchLoader.register("greet", needs: .greeting) { options, greeting in print(greeting) }
/// ```
///
/// The keys belong to a class without type parameters because an extension of a generic type cannot declare a stored
/// static property. In a module whose default isolation is the main actor, write `nonisolated extension LaunchKeys`
/// if other code also uses the keys.
public typealias LaunchKeys = AnyLaunchKey

/// The name of a value that launch work makes, with the type of the value.
///
/// Work that is registered with a key makes the value, under the name of the key; other work names the
/// key as a need and receives the value. Two keys with the same name and the same type are equal,
/// wherever they were created. One name stands for one value: a second maker of the name, of any type,
/// is a duplicate.
///
/// A value may be an object of an actor, such as a class on the main actor.
///
/// ## Thread safety
///
/// Keys are immutable and may be used on any thread.
public final class LaunchKey<Value: Sendable>: AnyLaunchKey,
  @unchecked Sendable  // Reason: constant.
{
  /// Creates a key.
  ///
  /// - Parameter name: The name of the value and of the work that makes it, usually a literal.
  public init(_ name: String) { super.init(name: LaunchID(name), valueType: Value.self) }
}

/// The source site of a registration, cheap to store and to compare.
package struct LaunchSite: Hashable, Sendable {
  /// The file, as in `#fileID`.
  let fileID: StaticString
  /// The line.
  let line: UInt

  /// Creates a source site.
  package init(fileID: StaticString, line: UInt) {
    self.fileID = fileID
    self.line = line
  }

  /// The source site with its file as a string.
  var source: SourceSite { SourceSite(fileID: fileID.description, line: line) }

  /// Compares lines and the text of file identifiers.
  package static func == (left: LaunchSite, right: LaunchSite) -> Bool {
    left.line == right.line && left.fileID.isSame(as: right.fileID)
  }

  /// Hashes the line and the length of the file identifier, because few files have a registration on the same line.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(line &* 31 &+ UInt(bitPattern: fileID.utf8CodeUnitCount))
  }
}

extension LaunchID {
  /// Creates the name of a registration that has none: `Module/File.swift:12#1`, `…#2`.
  init(_ site: LaunchSite, number: Int) { self.init("\(site.fileID):\(site.line)#\(number)") }
}

extension StaticString {
  /// Compares the text, without reading it if both are literals at one address.
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

/// The part of a launch in which a piece of work runs.
///
/// Phases follow one another: nothing of a phase begins before all of the previous phase has ended. A
/// dependency takes precedence over a phase: work that an earlier phase depends on runs in that phase.
public enum LaunchPhase: Comparable, CaseIterable, Sendable {
  /// Before everything else, as for crash reporting and logging.
  case early
  /// The default phase.
  case standard
  /// After the standard phase, and still part of the launch.
  case late
  /// After the launch, in a task of low priority. Neither the launch nor its report waits for it.
  ///
  /// The stop of an ``AppHost`` refuses work that has not begun, and cancels the task of asynchronous work that runs.
  /// When the services have ended, it waits for what still runs, at most ``AppHost/Configuration/cancelTimeout``, and
  /// abandons and names the rest. The same applies to work that is registered after the launch.
  case idle
}

extension LaunchPhase {
  /// The number of phases before it.
  var index: Int {
    switch self {
    case .early: 0
    case .standard: 1
    case .late: 2
    case .idle: 3
    }
  }
}

extension LaunchPhase: CustomStringConvertible {
  /// The name of the phase.
  public var description: String {
    switch self {
    case .early: "early"
    case .standard: "standard"
    case .late: "late"
    case .idle: "idle"
    }
  }
}

/// The reaction of a launch to a worker that fails: that throws, exceeds its time limit, or cannot be
/// ordered.
///
/// Work of the phase `idle` is not part of a launch: its failures affect only its dependants.
public enum LaunchFailurePolicy: Sendable {
  /// Continues, and skips only the work that depends on the worker.
  ///
  /// Likewise, work in a cycle, work with missing dependencies, and the dependants of both are skipped.
  case `continue`
  /// Begins nothing more, cancels running work, waits for its end, and throws.
  ///
  /// If the dependencies cannot be met, nothing runs. If those of work that joins the running launch cannot be met, the
  /// launch stops in the same way, and throws the error about them.
  case stop
  /// Stops, and then undoes finished workers that are types, and values whose makers have an `undo:`
  /// closure, in reverse order of completion.
  ///
  /// Workers are undone one after another, each in a task that is not cancelled even if the launch is,
  /// because half of a rollback would be worse than none. Each clean-up may take as long as the
  /// `timeout` of the loader; without a `timeout`, the launch waits until it returns. Other
  /// closures cannot be undone and remain finished.
  case rollback
}

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
