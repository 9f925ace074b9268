/// Objects that are not kept and that take themselves out when they die.
///
/// No reference is loaded while it changes, so that it may change under a lock; ask a copy for the
/// ``living`` after unlocking.
package struct WeakObjects<Object: AnyObject & Sendable>: Sendable {
  private struct Place: Sendable {
    weak let object: Object?
  }

  private var places: [ObjectIdentifier: Place] = [:]

  /// Nothing.
  package init() {}

  /// Adds an object.
  package mutating func insert(_ object: Object) {
    places[ObjectIdentifier(object)] = Place(object: object)
  }

  /// Removes an object that is dying.
  package mutating func remove(_ identity: ObjectIdentifier) { places[identity] = nil }

  /// The objects that are alive, in no order.
  ///
  /// Never asked under a lock.
  package var living: [Object] { places.values.compactMap(\.object) }
}
