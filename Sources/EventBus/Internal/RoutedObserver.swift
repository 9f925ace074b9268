/// An observer with a synchronous handler, which may live on an actor.
package final class RoutedObserver<Payload: Sendable>: ConditionalObserver<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let body: @Sendable (Payload) throws -> Reception
  private let mailbox: Mailbox?
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
    gate: ReplayGate<Payload>?,
    mailbox: Mailbox?,
    body: @escaping @Sendable (Payload) throws -> Reception
  ) {
    self.body = body
    self.mailbox = mailbox
    super.init(
      fileID: fileID,
      line: line,
      conditions: conditions,
      owner: owner,
      link: link,
      gate: gate
    )
  }

  override package var loadsOwnerOnPost: Bool { mailbox == nil }

  override package func accept(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    guard let mailbox, let link, !mailbox.isHome(of: delivery.isolation) else {
      return try run(payload)
    }
    mailbox.enqueue(envelope.init(payload, delivery, link: link))
    return .queued
  }

  /// Calls the handler, now that it is in its place.
  fileprivate func run(_ payload: Payload) throws -> Reception {
    endIfOnce()
    return try body(payload)
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
    guard let observer: RoutedObserver<Payload> = link.begin() else { return true }
    defer { link.finish() }
    do {
      guard try observer.run(payload) == .ownerLost else { return true }
      link.endByItself()
      return false
    } catch {
      link.list.handlerFailed(error, in: observer, payload: payload, delivery: delivery)
      return true
    }
  }
}
