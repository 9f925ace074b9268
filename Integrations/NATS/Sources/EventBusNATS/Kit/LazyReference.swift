private import _EventBusLocks

/// A reference to an object that is created after its owner.
final class LazyReference<Object: AnyObject & Sendable>: Sendable {
  private let stored = Locked<Object?>(nil)
  var object: Object? { stored.withLock { $0 } }
  func set(_ object: Object) { stored.withLock { $0 = object } }
}
