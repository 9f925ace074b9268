/// The name of a value that launch work makes, with the type of the value.
///
/// Work that is registered with a key makes the value, under the name of the key; other work names the
/// key as a need and receives the value. Two keys with the same name and the same type are equal,
/// wherever they were created. One name stands for one value: a second maker of the name, of whatever
/// type, is a duplicate.
///
/// A value may be an object of an actor, such as a class on the main actor.
///
/// ## Thread safety
///
/// Keys are immutable and may be used on any thread.
public final class LaunchKey<Value: Sendable>: LaunchKeys,
  @unchecked Sendable  // Reason: constant.
{
  /// Creates a key.
  ///
  /// - Parameter name: The name of the value and of the work that makes it, usually a literal.
  public init(_ name: String) { super.init(name: LaunchID(name), valueType: Value.self) }
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
/// The class exists because an extension of a generic type cannot declare a stored static property. It
/// has no public initializer; every instance is a ``LaunchKey``. In a module whose default isolation is
/// the main actor, write `nonisolated extension LaunchKeys` if other code uses the keys, too.
public class LaunchKeys: Hashable, @unchecked Sendable {  // Reason: constant.
  /// The name of the value, which is also the name of the work that makes it.
  public let name: LaunchID
  /// The type of the value.
  let valueType: Any.Type

  init(name: LaunchID, valueType: Any.Type) {
    self.name = name
    self.valueType = valueType
  }

  /// Returns whether two keys have the same name and the same type of value.
  public static func == (left: LaunchKeys, right: LaunchKeys) -> Bool {
    left.name == right.name && left.valueType == right.valueType
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension LaunchKeys: CustomStringConvertible {
  /// The name of the value.
  public var description: String { name.rawValue }
}
