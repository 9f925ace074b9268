internal import Synchronization

/// An observer with conditions: a sender, a predicate, a single call.
///
/// Events that meet the conditions go to ``accept(_:_:)``, which subclasses override.
package class ConditionalObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: atomics.
{
  /// The conditions for accepting an event.
  package struct Conditions: Sendable {
    /// Runs on the posting thread; the event is declined when it returns `false`.
    package let predicate: (@Sendable (Payload) -> Bool)?
    /// A Boolean value that indicates whether the first accepted event is the last.
    package let once: Bool

    /// Combines the conditions.
    package init(predicate: (@Sendable (Payload) -> Bool)?, once: Bool) {
      self.predicate = predicate
      self.once = once
    }
  }

  /// The gate that holds live events back during a replay.
  package let gate: ReplayGate?
  private let conditions: Conditions
  private let owner: OwnerFacts
  private let registration: ObserverLink
  /// The mailbox of the actor on which the handler runs.
  package let mailbox: Mailbox?
  private let isClaimed = Atomic<Bool>(false)
  /// The address of the sender group, which the list retains while this observer is linked.
  private let group = Atomic<UInt>(0)
  private let place = Atomic<UInt32>(0)

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The source file of the registration.
  ///   - line: The source line.
  ///   - conditions: The conditions for accepting an event.
  ///   - owner: The facts about the owner.
  ///   - link: The link that ends the registration.
  ///   - gate: The gate that holds live events back during a replay.
  ///   - mailbox: The mailbox of the actor on which the handler runs.
  package init(
    fileID: StaticString,
    line: UInt,
    conditions: Conditions,
    owner: OwnerFacts,
    link: ObserverLink,
    gate: ReplayGate? = nil,
    mailbox: Mailbox? = nil
  ) {
    self.mailbox = mailbox
    self.gate = gate
    self.conditions = conditions
    self.owner = owner
    registration = link
    super.init(fileID: fileID, line: line)
    // Calls are counted on entry to the handler, which may be later and on another thread.
    flags.store(0, ordering: .relaxed)
  }

  /// A Boolean value that indicates whether the posting thread calls the handler and loads its owner.
  package var loadsOwnerOnPost: Bool { true }

  /// Accepts an event that has met the conditions.
  ///
  /// - Throws: The error of the handler, if it is called now.
  package func accept(_ payload: Payload, _ delivery: borrowing Delivery) throws -> Reception {
    .declined
  }

  @usableFromInline
  override package func receive(_ payload: Payload) throws -> Reception {
    try receive(payload, Delivery(fileID: "?", line: 0))
  }

  override package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    if let outcome = gate?.admit(payload, delivery) { return outcome }
    return try pass(payload, delivery)
  }

  /// Checks the conditions, and accepts an event that meets them.
  ///
  /// - Throws: The error of the handler, if it is called now.
  package final func pass(_ payload: Payload, _ delivery: borrowing Delivery) throws -> Reception {
    // A handler on an actor loads its owner there, so the last reference is not released here.
    let callsOnPost = loadsOwnerOnPost
    if callsOnPost, owner.isLost() {
      registration.endByItself()
      return .ownerLost
    }
    let isCall = callsOnPost || conditions.predicate != nil
    if isCall, !registration.beginCall() { return .cancelled }
    defer { if isCall { registration.finish() } }
    if let predicate = conditions.predicate {
      if !predicate(payload) { return .declined }
      // The predicate may have ended its own registration.
      if isCancelled { return .cancelled }
    }
    if conditions.once, isClaimed.exchange(true, ordering: .acquiringAndReleasing) { return .spent }
    return try accept(payload, delivery)
  }

  /// Ends a single-call registration, just before the call.
  package final func endIfOnce() {
    if conditions.once { registration.endByItself() }
  }

  override package var senderGroup: SenderGroup? {
    ObjectAddress.object(group.load(ordering: .acquiring), as: SenderGroup.self)
  }

  override package func join(_ group: SenderGroup) {
    self.group.store(ObjectAddress.of(group), ordering: .releasing)
  }

  override package func deliveredCount(of posts: () -> UInt) -> Int { calls.counted }
  override package var hasOwner: Bool { owner.type != nil }
  override package var hasLostOwner: Bool { owner.isLost() }

  override package var home: Mailbox? {
    // The `deinit` of an actor needs no particular thread; loading such owners anywhere saves a turn per
    // actor.
    owner.isActor && group.load(ordering: .relaxed) == 0 ? nil : mailbox
  }

  override package var watchPlace: Int {
    get { Int(place.load(ordering: .relaxed)) }
    set { place.store(UInt32(newValue), ordering: .relaxed) }
  }

  override package func belongs(to owner: AnyObject, as id: AnyHashable?) -> Bool {
    if let id, self.owner.id.map({ AnyHashable($0) }) != id { return false }
    return self.owner.isOwner(owner)
  }

  override package var ownerType: String? { owner.type }
  override package var link: ObserverLink? { registration }
  override package var countsCalls: Bool { true }
}
