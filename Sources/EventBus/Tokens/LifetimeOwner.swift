/// An object with a lifetime, at whose end its registrations are removed immediately.
///
/// Adopt the protocol with one stored property:
///
/// ```swift
/// @MainActor final class Screen: LifetimeOwner {
///   let lifetime = Lifetime()
/// }
/// ```
///
/// Every `owner:` parameter of this library also takes other objects. Their registrations are inert as soon
/// as the owner is deallocated, and are swept later. The registrations of a lifetime owner are removed as
/// soon as the lifetime ends.
///
/// Declare the conformance before objects of the class become owners: one that a library adds when it is
/// loaded later may not be noticed.
public protocol LifetimeOwner: AnyObject, SendableMetatype {
  /// The object's lifetime, a stored constant that ends with the object.
  nonisolated var lifetime: Lifetime { get }
}
