/// An object that carries its lifetime, so that what it registered ends with it, at once.
///
/// One stored property is the whole adoption:
///
/// ```swift
/// @MainActor final class Screen: LifetimeOwner {
///   let lifetime = Lifetime()
/// }
/// ```
///
/// Everything in this library that takes an `owner:` also takes other objects; their registrations are
/// inert as soon as the owner is dead and are swept later. With a lifetime they are removed the moment
/// it ends.
public protocol LifetimeOwner: AnyObject, SendableMetatype {
  /// The object's lifetime: a stored constant, so that it ends with the object.
  nonisolated var lifetime: Lifetime { get }
}
