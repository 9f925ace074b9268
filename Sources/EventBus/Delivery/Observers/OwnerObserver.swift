internal import Synchronization

/// An observer that belongs to an object, which it holds weakly and passes to its handler.
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
  ///   - fileID: The file of the registration.
  ///   - line: Its line.
  ///   - owner: The object it belongs to.
  ///   - link: Ends the registration.
  ///   - handler: Called with the owner, which is held for the duration of the call.
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
