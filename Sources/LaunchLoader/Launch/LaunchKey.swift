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
  public init(_ name: String) {
    super.init(id: LaunchID(name), valueType: Value.self)
  }
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
  public let id: LaunchID
  /// The type of the value.
  let valueType: Any.Type

  init(id: LaunchID, valueType: Any.Type) {
    self.id = id
    self.valueType = valueType
  }

  /// Returns whether two keys have the same name and the same type of value.
  public static func == (left: LaunchKeys, right: LaunchKeys) -> Bool {
    left.id == right.id && left.valueType == right.valueType
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension LaunchKeys: CustomStringConvertible {
  /// The name of the value.
  public var description: String { id.rawValue }
}

/// A value that launch work made; its subclass ``LaunchBox`` knows the type.
package class LaunchValue: @unchecked Sendable {  // Reason: constant; it has no other subclass.
  fileprivate init() {}
}

/// A value with its type.
final class LaunchBox<Value: Sendable>: LaunchValue,
  @unchecked Sendable  // Reason: constant.
{
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// Values by the name of their keys: those of a loader, or those that a worker needs.
///
/// A plain value. What it removes or no longer refers to is released by its callers, who hold no lock.
package struct LaunchValues: Sendable {
  private var boxes: [LaunchID: LaunchValue] = [:]

  /// Creates an empty collection.
  package init() {}

  /// Stores the value of a name, which has none.
  mutating func store(_ value: LaunchValue, for id: LaunchID) {
    boxes[id] = value
  }

  /// Removes the value of a name.
  ///
  /// - Returns: The value, for the caller to release.
  mutating func remove(_ id: LaunchID) -> LaunchValue? {
    boxes.removeValue(forKey: id)
  }

  /// Returns the values of keys, without those that are missing.
  func picked(_ keys: [LaunchKeys]) -> LaunchValues {
    var values = LaunchValues()
    for key in keys { values.boxes[key.id] = boxes[key.id] }
    return values
  }

  /// Returns the box of a key, if it has the key's type.
  func box<Value>(of key: LaunchKey<Value>) -> LaunchBox<Value>? {
    boxes[key.id] as? LaunchBox<Value>
  }

  /// Returns a value that a worker needs.
  ///
  /// - Throws: ``LaunchError`` with the code `noValue`; a worker whose needs are not met never begins.
  func value<Value>(of key: LaunchKey<Value>) throws -> Value {
    guard let box = box(of: key) else { throw LaunchError(.noValue(key.id, nil)) }
    return box.value
  }
}
