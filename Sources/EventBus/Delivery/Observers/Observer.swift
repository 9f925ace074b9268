/// An observer of events with one payload type.
///
/// Delivery is one virtual call to an object borrowed from the list: no retain, no release. The post calls the
/// handler of a ``PlainObserver`` without it. The handler is a constant of a subclass, since reading a
/// variable would double the cost. ``OwnerObserver`` serves a handler of no actor that has an owner, and
/// neither conditions nor a replay; ``GeneralObserver`` serves every other registration, such as each handler on
/// an actor.
@usableFromInline
package class Observer<Payload: Sendable>: AnyObserver, @unchecked Sendable {  // Reason: stateless.
  /// Delivers an event of a post on the short path, to an observer that is not a ``PlainObserver``.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - actor: The address of the poster's actor; zero if it is unknown, or while events wait for actors: the
  ///     observer then needs the origin, to learn whether earlier ones are left.
  /// - Returns: Whether the event reached the handler or its queue; `nil`, with nothing done, if the observer needs
  ///   the origin of the event. A ``Reception`` would be compared at each delivery.
  /// - Throws: The error of the handler.
  @usableFromInline
  package func receive(_ payload: Payload, on actor: UInt) throws -> Bool? { nil }

  /// This observer as a plain one, which it is if ``AnyObserver/indirect`` is not set.
  @inlinable
  final var asPlain: PlainObserver<Payload> {
    unsafe unsafeDowncast(self, to: PlainObserver<Payload>.self)  // Reason: the flag says so.
  }

  /// Delivers an event together with its origin.
  ///
  /// - Throws: The error of the handler.
  package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws -> Reception {
    .declined
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
    return try record.call(receiver, unless: refused) { try refused() ?? body() }
  }
}

/// An observer whose handler is always called by the poster.
///
/// A post that finds no flag in ``AnyObserver/entry`` calls the handler itself.
@usableFromInline
package final class PlainObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  @usableFromInline
  let handler: @Sendable (Payload) throws -> Void

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - site: The call that registers the observer.
  ///   - handler: Called with every payload.
  package required init(
    at site: CallSite,
    handler: @escaping @Sendable (Payload) throws -> Void
  ) {
    self.handler = handler
    super.init(at: site, flags: 0)
  }

  override package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    func call() throws -> Reception {
      try handler(payload)
      return .called
    }
    guard let record = delivery.followed else { return try call() }
    return try follow(record, delivery, call)
  }
}

/// An observer whose handler is always called by the poster, with an owner that it holds weakly.
///
/// It does not know the type of the owner, so that there is one class for each payload, which
/// ``SignalCore`` stores.
package final class OwnerObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: constants.
{
  private weak let owner: AnyObject?
  private let handler: @Sendable (AnyObject, Payload) throws -> Void
  private let ownRegistration: ObserverRegistration

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - site: The call that registers the observer.
  ///   - owner: The owner.
  ///   - registration: The registration, with the owner.
  ///   - handler: Called with the owner, which is retained during the call.
  package required init(
    at site: CallSite,
    owner: AnyObject,
    _ registration: ObserverRegistration,
    handler: @escaping @Sendable (AnyObject, Payload) throws -> Void
  ) {
    self.owner = owner
    self.handler = handler
    ownRegistration = registration
    super.init(at: site)
    registration.connect(self)
  }

  @usableFromInline
  override package func receive(_ payload: Payload, on actor: UInt) throws -> Bool? {
    guard let owner else {
      ownRegistration.lifetimeEnded()
      return false
    }
    try handler(owner, payload)
    return true
  }

  override package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    guard let owner else {
      ownRegistration.lifetimeEnded()
      return .ownerLost
    }
    func call() throws -> Reception {
      try handler(owner, payload)
      return .called
    }
    guard let record = delivery.followed else { return try call() }
    return try follow(record, delivery, call)
  }

  override var hasLostOwner: Bool { owner == nil }
  /// The owner decides alone: there is no actor, and no particular sender.
  override var isSurelyOfUse: Bool { owner != nil }
  override var baseRegistration: Registration? { ownRegistration }
}
