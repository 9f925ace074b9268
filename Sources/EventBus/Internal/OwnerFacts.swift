/// What an observer knows of its owner.
package struct OwnerFacts: Sendable {
  /// The owner's type, if there is an owner.
  package let type: String?
  /// Whether nobody tells when the owner dies.
  package let needsSweeping: Bool
  /// What the owner calls this registration, so that another of the same name replaces it.
  package let id: (any Hashable & Sendable)?
  private let owner: @Sendable () -> AnyObject?

  /// There is no owner.
  package static let none = OwnerFacts(type: nil, needsSweeping: false, id: nil) { nil }

  /// Describes an owner.
  ///
  /// - Parameters:
  ///   - type: Its type.
  ///   - needsSweeping: Whether nobody tells when it dies.
  ///   - id: What it calls the registration.
  ///   - owner: Loads it.
  package init(
    type: String?,
    needsSweeping: Bool,
    id: (any Hashable & Sendable)?,
    owner: @escaping @Sendable () -> AnyObject?
  ) {
    self.type = type
    self.needsSweeping = needsSweeping
    self.id = id
    self.owner = owner
  }

  /// Whether the owner has died.
  ///
  /// Loads it.
  package func isLost() -> Bool { type != nil && owner() == nil }

  /// Whether an object is the owner.
  ///
  /// Loads it.
  package func isOwner(_ object: AnyObject) -> Bool { owner() === object }
}
