internal import Synchronization

/// An observer with an owner, which it holds weakly and passes to its handler.
package final class OwnerObserver<Owner: AnyObject & Sendable, Payload: Sendable>:
  Observer<Payload>, @unchecked Sendable  // Reason: constants and an atomic.
{
  private weak let owner: Owner?
  private let handler: @Sendable (Owner, Payload) throws -> Void
  private let registration: ObserverLink
  private let place = Atomic<UInt32>(0)

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The source file of the registration.
  ///   - line: The source line.
  ///   - owner: The owner.
  ///   - link: The link that ends the registration.
  ///   - handler: Called with the owner, which is retained during the call.
  package init(
    fileID: StaticString,
    line: UInt,
    owner: Owner,
    link: ObserverLink,
    handler: @escaping @Sendable (Owner, Payload) throws -> Void
  ) {
    self.owner = owner
    self.handler = handler
    registration = link
    super.init(fileID: fileID, line: line)
  }

  @usableFromInline
  override package func receive(_ payload: Payload) throws -> Reception {
    guard let owner else {
      registration.endByItself()
      return .ownerLost
    }
    try handler(owner, payload)
    return .called
  }

  override package var hasOwner: Bool { true }
  override package var hasLostOwner: Bool { owner == nil }
  override package var ownerType: String? { "\(Owner.self)" }
  override package var link: ObserverLink? { registration }
  override package var watchPlace: Int {
    get { Int(place.load(ordering: .relaxed)) }
    set { place.store(UInt32(newValue), ordering: .relaxed) }
  }
}

/// The facts about an observer's owner.
package struct OwnerFacts: Sendable {
  /// The owner's type, if there is an owner.
  package let type: String?
  /// A Boolean value that indicates whether the owner is the actor on which the handler runs.
  package let isActor: Bool
  /// The owner's identifier for this registration, so that a later one with the same identifier replaces
  /// it.
  package let id: (any Hashable & Sendable)?
  private let identity: ObjectIdentifier?
  private let owner: @Sendable () -> AnyObject?

  /// No owner.
  package static let none = OwnerFacts()

  private init() {
    (type, isActor, id, identity) = (nil, false, nil, nil)
    owner = { nil }
  }

  /// Describes an owner.
  ///
  /// - Parameters:
  ///   - owner: The owner, which is not retained.
  ///   - actor: The actor on which the handler runs.
  ///   - id: The owner's identifier for the registration.
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

  /// Returns whether the owner has died.
  ///
  /// Loads the owner.
  package func isLost() -> Bool { type != nil && owner() == nil }

  /// Returns whether an object, kept alive by the caller, is the owner.
  ///
  /// Loads no other object: an object at another address is not the owner.
  package func isOwner(_ object: AnyObject) -> Bool {
    identity == ObjectIdentifier(object) && owner() === object
  }
}
