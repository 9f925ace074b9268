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
public final class LaunchKey<Value: Sendable>: AnyLaunchKey,
  @unchecked Sendable  // Reason: constant.
{
  /// Creates a key.
  ///
  /// - Parameter name: The name of the value and of the work that makes it, usually a literal.
  public init(_ name: String) { super.init(name: LaunchID(name), valueType: Value.self) }
}
