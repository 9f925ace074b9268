/// A weak reference to an actor.
///
/// The main actor is stored by identity alone: it is never deallocated, and a weak reference would slow
/// down every reference to it in the whole process.
///
/// A weak reference cannot be formed to an actor that is being deallocated; such an actor is gone from the
/// start.
package struct WeakActor: Sendable {
  private weak let reference: (any Actor)?
  /// The actor's identity.
  package let id: ObjectIdentifier
  /// A Boolean value that indicates whether this is the main actor.
  package let isMain: Bool

  /// Creates a reference to an actor.
  package init(_ actor: any Actor) {
    id = ObjectIdentifier(actor)
    isMain = actor === MainActor.shared
    reference = isMain ? nil : actor
  }

  /// The actor, or `nil` once it has been deallocated.
  package var actor: (any Actor)? { isMain ? MainActor.shared : reference }

  /// A Boolean value that indicates whether the actor has been deallocated.
  package var isGone: Bool { !isMain && reference == nil }

  /// Returns whether this refers to the given actor, rather than to an earlier one at the same address.
  package func isSame(as other: any Actor) -> Bool {
    id == ObjectIdentifier(other) && (isMain || reference === other)
  }
}
