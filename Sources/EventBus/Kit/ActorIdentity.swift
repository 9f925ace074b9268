/// The identity of an actor, which is not retained.
///
/// A later actor may have the identity of one that was deallocated.
public struct ActorIdentity: Hashable, Sendable, CustomStringConvertible {
  /// The identity of the object.
  public let id: ObjectIdentifier
  private let type: any Actor.Type

  package init(_ actor: any Actor) {
    id = ObjectIdentifier(actor)
    type = Swift.type(of: actor)
  }

  /// The name of the actor's type.
  public var description: String { "\(type)" }

  /// Returns whether both are the identity of one object.
  public static func == (left: ActorIdentity, right: ActorIdentity) -> Bool { left.id == right.id }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
