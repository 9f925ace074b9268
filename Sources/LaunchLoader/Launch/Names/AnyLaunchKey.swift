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
/// static property. In a module whose default isolation is the main actor, write `nonisolated extension LaunchKeys` if
/// other code uses the keys, too.
public typealias LaunchKeys = AnyLaunchKey
