/// What an observer knows of its owner.
package struct OwnerFacts: Sendable {
  /// The owner's type, if there is an owner.
  package let type: String?
  /// Whether nobody tells when the owner dies.
  package let needsSweeping: Bool
  /// Whether the owner has died.
  ///
  /// Loads it.
  package let isLost: @Sendable () -> Bool

  /// There is no owner.
  package static let none = OwnerFacts(type: nil, needsSweeping: false) { false }

  /// Describes an owner.
  package init(type: String?, needsSweeping: Bool, isLost: @escaping @Sendable () -> Bool) {
    self.type = type
    self.needsSweeping = needsSweeping
    self.isLost = isLost
  }
}
