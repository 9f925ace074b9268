internal import Synchronization

/// An observer with a synchronous handler, which may live on an actor.
package final class RoutedObserver<Payload: Sendable>: ConditionalObserver<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let body: @Sendable (Payload) throws -> Reception
  /// Looked up once: finding the class of a generic object anew costs as much as making the object.
  private let envelope = QueuedDelivery<Payload>.self

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The file of the registration.
  ///   - line: Its line.
  ///   - conditions: What to ask before an event is accepted.
  ///   - owner: What is known of the owner.
  ///   - link: Ends the registration.
  ///   - gate: Holds live events back while earlier ones are replayed.
  ///   - mailbox: The queue of the actor the handler runs on.
  ///   - body: Calls the handler, with its owner where it has one.
  package init(
    fileID: StaticString,
    line: UInt,
    conditions: Conditions,
    owner: OwnerFacts,
    link: ObserverLink,
    gate: ReplayGate?,
    mailbox: Mailbox?,
    body: @escaping @Sendable (Payload) throws -> Reception
  ) {
    self.body = body
    super.init(
      fileID: fileID,
      line: line,
      conditions: conditions,
      owner: owner,
      link: link,
      gate: gate,
      mailbox: mailbox
    )
  }

  override package var loadsOwnerOnPost: Bool { mailbox == nil }
  override package var isBound: Bool { mailbox != nil }

  override package func accept(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    guard let mailbox, let link else { return try run(payload) }
    if mailbox.isHome(of: delivery.isolation), !mailbox.isBehind {
      guard link.beginCall() else { return .cancelled }
      defer { link.finish() }
      return try run(payload)
    }
    mailbox.enqueue(envelope.init(payload, delivery, link: link))
    return .queued
  }

  /// Calls the handler, now that it is in its place.
  fileprivate func run(_ payload: Payload) throws -> Reception {
    endIfOnce()
    calls.add()
    let reception = try body(payload)
    if reception == .ownerLost { link?.endByItself() }
    return reception
  }
}

/// One event on its way to a handler on an actor.
///
/// It does not keep the observer: a registration that is cancelled meanwhile frees its handler at once,
/// and the event finds nobody.
private final class QueuedDelivery<Payload: Sendable>: Envelope,
  @unchecked Sendable  // Reason: constant.
{
  private let payload: Payload
  private let delivery: Delivery
  private let link: ObserverLink
  private let completion: Completion?

  required init(_ payload: Payload, _ delivery: borrowing Delivery, link: ObserverLink) {
    self.payload = payload
    self.delivery = delivery.forLater
    self.link = link
    completion = delivery.completion
    completion?.begin()
  }

  deinit { completion?.finish() }

  /// The actor is the owner: one that the handler had captured would be alive.
  override func actorWasLost() { link.endByItself() }

  override func open() -> Bool {
    guard let isOwned = call() else { return true }
    link.finish()
    return isOwned
  }

  /// Makes the call, in a frame of its own: the observer is released before the call counts as finished.
  ///
  /// - Returns: Whether the owner was alive; `nil` when the registration had ended.
  private func call() -> Bool? {
    guard let observer: RoutedObserver<Payload> = link.begin() else { return nil }
    do {
      return try observer.run(payload) != .ownerLost
    } catch {
      link.list.handlerFailed(error, in: observer, payload: payload, delivery: delivery)
      return true
    }
  }
}

/// An observer with one call, called where the poster is and told which actor that is.
///
/// For the other libraries of the package, which may call closures of that actor directly then. The call
/// is made whatever the actor; nothing is queued.
package final class PosterObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: constants and an atomic.
{
  private let handler: @Sendable (Payload, (any Actor)?) -> Void
  private let registration: ObserverLink
  private let isClaimed = Atomic<Bool>(false)

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The file of the registration.
  ///   - line: Its line.
  ///   - link: Ends the registration.
  ///   - handler: Called with the payload and the actor that the poster runs on, where the compiler knew.
  package init(
    fileID: StaticString,
    line: UInt,
    link: ObserverLink,
    handler: @escaping @Sendable (Payload, (any Actor)?) -> Void
  ) {
    self.handler = handler
    registration = link
    super.init(fileID: fileID, line: line)
  }

  @usableFromInline
  override package func receive(_ payload: Payload) throws -> Reception {
    try receive(payload, Delivery(fileID: "?", line: 0))
  }

  override package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    if isClaimed.exchange(true, ordering: .acquiringAndReleasing) { return .declined }
    guard registration.beginCall() else { return .cancelled }
    defer { registration.finish() }
    registration.endByItself()
    handler(payload, delivery.isolation)
    return .called
  }

  override package var link: ObserverLink? { registration }
  override package var isBound: Bool { true }
  override package var countsCalls: Bool { true }
}
