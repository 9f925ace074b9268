internal import Synchronization

/// An observer with conditions: a sender, a predicate, one call only.
///
/// What passes them is handed to ``accept(_:_:)``, which a subclass decides about.
package class ConditionalObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: atomics.
{
  /// What an observer asks for before it accepts an event.
  package struct Conditions: Sendable {
    /// Asked on the posting thread; the event is declined when it says no.
    package let predicate: (@Sendable (Payload) -> Bool)?
    /// Whether the first event accepted is the last.
    package let once: Bool

    /// Names the conditions.
    package init(predicate: (@Sendable (Payload) -> Bool)?, once: Bool) {
      self.predicate = predicate
      self.once = once
    }
  }

  /// Stands before an observer of an event that is replayed.
  package let gate: ReplayGate?
  private let conditions: Conditions
  private let owner: OwnerFacts
  private let registration: ObserverLink
  /// The mailbox of the actor on which the handler runs.
  package let mailbox: Mailbox?
  private let isClaimed = Atomic<Bool>(false)
  /// Kept by the list for as long as this observer is linked.
  private let group = Atomic<UInt>(0)
  private let place = Atomic<UInt32>(0)

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The file of the registration.
  ///   - line: Its line.
  ///   - conditions: What to ask before an event is accepted.
  ///   - owner: What is known of the owner.
  ///   - link: Ends the registration.
  ///   - gate: Holds live events back while earlier ones are replayed.
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
    // Counted where the handler is entered, which may be later and elsewhere.
    flags.store(0, ordering: .relaxed)
  }

  /// Whether the handler is called, and its owner loaded, on the posting thread.
  package var loadsOwnerOnPost: Bool { true }

  /// Takes an event that has passed the conditions.
  ///
  /// - Throws: What the handler throws, if it is called now.
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
    switch gate?.admit(payload, delivery) {
    case .waits: return .queued
    case .known: return .declined
    case .admitted, nil: return try pass(payload, delivery)
    }
  }

  /// Asks the conditions, and accepts what passes them.
  ///
  /// - Throws: What the handler throws, if it is called now.
  package final func pass(_ payload: Payload, _ delivery: borrowing Delivery) throws -> Reception {
    // A handler on an actor has its owner loaded there, so that the last reference is not dropped here.
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

  /// Ends a registration for one call, just before that call.
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
    // The `deinit` of an actor belongs to no thread; looked at anywhere, many actors need no turns.
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
