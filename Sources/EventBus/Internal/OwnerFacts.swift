/// What an observer knows of its owner.
package struct OwnerFacts: Sendable {
  /// The owner's type, if there is an owner.
  package let type: String?
  /// Whether the owner is the actor on which the handler runs.
  package let isActor: Bool
  /// What the owner calls this registration, so that another of the same name replaces it.
  package let id: (any Hashable & Sendable)?
  private let identity: ObjectIdentifier?
  private let owner: @Sendable () -> AnyObject?

  /// There is no owner.
  package static let none = OwnerFacts()

  private init() {
    (type, isActor, id, identity) = (nil, false, nil, nil)
    owner = { nil }
  }

  /// Describes an owner.
  ///
  /// - Parameters:
  ///   - owner: The owner, which is not kept.
  ///   - actor: The actor on which the handler runs.
  ///   - id: What the owner calls the registration.
  package init(
    of owner: some AnyObject & Sendable,
    on actor: (any Actor)?,
    id: (any Hashable & Sendable)? = nil
  ) {
    type = "\(Swift.type(of: owner))"
    isActor = actor === owner
    self.id = id
    identity = ObjectIdentifier(owner)
    self.owner = { [weak owner] in owner }
  }

  /// Whether the owner has died.
  ///
  /// Loads it.
  package func isLost() -> Bool { type != nil && owner() == nil }

  /// Whether an object, held by the caller, is the owner.
  ///
  /// Loads no other object: one at another address is not the owner.
  package func isOwner(_ object: AnyObject) -> Bool {
    identity == ObjectIdentifier(object) && owner() === object
  }
}
