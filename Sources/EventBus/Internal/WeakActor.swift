/// An actor that is not kept.
///
/// The main actor never dies, and a weak reference would make every reference to it dearer for the whole
/// process: it is known by its identity alone.
///
/// To one that is being destroyed no weak reference can be formed: it is gone from the start.
package struct WeakActor: Sendable {
  private weak let reference: (any Actor)?
  /// The actor's identity.
  package let id: ObjectIdentifier
  /// Whether it is the main actor.
  package let isMain: Bool

  /// Refers to an actor.
  package init(_ actor: any Actor) {
    id = ObjectIdentifier(actor)
    isMain = actor === MainActor.shared
    reference = isMain ? nil : actor
  }

  /// The actor, while it lives.
  package var actor: (any Actor)? { isMain ? MainActor.shared : reference }

  /// Whether the actor has died.
  package var isGone: Bool { !isMain && reference == nil }

  /// Whether this is that very actor, and not a former one at its address.
  package func isSame(as other: any Actor) -> Bool {
    id == ObjectIdentifier(other) && (isMain || reference === other)
  }
}
