extension OwnerFacts {
  /// Describes an owner; a carrier of a lifetime tells when it dies.
  ///
  /// - Parameters:
  ///   - owner: The owner, which is not kept.
  ///   - id: What it calls the registration.
  package init(of owner: some AnyObject & Sendable, id: (any Hashable & Sendable)? = nil) {
    self.init(
      type: "\(Swift.type(of: owner))",
      needsSweeping: !(owner is any LifetimeOwner),
      id: id
    ) { [weak owner] in owner }
  }
}
