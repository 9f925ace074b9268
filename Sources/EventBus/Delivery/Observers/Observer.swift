internal import Synchronization

/// An observer of events with one payload type.
///
/// Delivery is one virtual call to an object borrowed from the list: no retain, no release. The handler is
/// a constant of a subclass, since reading a variable would double the cost. ``PlainObserver`` and
/// ``OwnerObserver`` serve the plain path; ``GeneralObserver`` serves every other registration.
@usableFromInline
package class Observer<Payload: Sendable>: AnyObserver, @unchecked Sendable {  // Reason: stateless.
  /// Delivers an event of a post without special cases.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - actor: The address of the poster's actor; zero if it is unknown, or if events wait that must come
  ///     first.
  /// - Returns: The outcome; `nil`, with nothing done, if the observer needs the origin of the event.
  /// - Throws: The error of the handler.
  @usableFromInline
  package func receive(_ payload: Payload, on actor: UInt) throws -> Reception? { nil }

  /// Delivers an event together with its origin.
  ///
  /// - Throws: The error of the handler.
  package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws -> Reception {
    try receive(payload, on: 0) ?? .declined
  }

  /// Calls the handler of a post that hooks follow.
  ///
  /// A hook may end the registration at the last moment.
  ///
  /// - Throws: The error of the handler.
  fileprivate final func follow(
    _ record: PostRecord,
    _ delivery: borrowing Delivery,
    _ body: () throws -> Reception
  ) throws -> Reception {
    let receiver = Receiver(self, on: delivery.isolation.map(ActorIdentity.init))
    func refused() -> Reception? { isCancelled ? refusal : nil }
    let outcome = try record.call(receiver, unless: refused) { try refused() ?? body() }
    if outcome != .called { retractCall() }
    return outcome
  }
}

/// An observer whose handler is always called by the poster.
package final class PlainObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let handler: @Sendable (Payload) throws -> Void

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The source file of the registration.
  ///   - line: The source line.
  ///   - handler: Called with every payload.
  package required init(
    fileID: StaticString,
    line: UInt,
    handler: @escaping @Sendable (Payload) throws -> Void
  ) {
    self.handler = handler
    super.init(fileID: fileID, line: line)
  }

  @usableFromInline
  override package func receive(_ payload: Payload, on actor: UInt) throws -> Reception? {
    try handler(payload)
    return .called
  }

  override package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    guard let record = delivery.followed else { return try receive(payload, on: 0) ?? .declined }
    return try follow(record, delivery) {
      try handler(payload)
      return .called
    }
  }
}

/// An observer whose handler is always called by the poster, with an owner that it holds weakly.
package final class OwnerObserver<Owner: AnyObject & Sendable, Payload: Sendable>:
  Observer<Payload>, @unchecked Sendable  // Reason: constants and an atomic.
{
  private weak let owner: Owner?
  private let handler: @Sendable (Owner, Payload) throws -> Void
  private let registration: ObserverRegistration
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
    link: ObserverRegistration,
    handler: @escaping @Sendable (Owner, Payload) throws -> Void
  ) {
    self.owner = owner
    self.handler = handler
    registration = link
    super.init(fileID: fileID, line: line)
  }

  @usableFromInline
  override package func receive(_ payload: Payload, on actor: UInt) throws -> Reception? {
    guard let owner else {
      registration.endWithOwner()
      return .ownerLost
    }
    try handler(owner, payload)
    return .called
  }

  override package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    guard let record = delivery.followed else { return try receive(payload, on: 0) ?? .declined }
    guard let owner else {
      registration.endWithOwner()
      return .ownerLost
    }
    return try follow(record, delivery) {
      try handler(owner, payload)
      return .called
    }
  }

  override package var hasOwner: Bool { true }
  override package var hasLostOwner: Bool { owner == nil }
  override package var ownerType: String? { "\(Owner.self)" }
  override package var link: ObserverRegistration? { registration }
  override package var watchedPosition: Int {
    get { Int(place.load(ordering: .relaxed)) }
    set { place.store(UInt32(newValue), ordering: .relaxed) }
  }
}
