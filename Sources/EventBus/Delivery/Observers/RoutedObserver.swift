internal import Synchronization

/// An observer with a synchronous handler that may be bound to an actor.
package final class RoutedObserver<Payload: Sendable>: ConditionalObserver<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let body: @Sendable (Payload) throws -> Reception
  /// Stored, because looking up the class of a generic object costs as much as creating the object.
  private let envelope = QueuedDelivery<Payload>.self

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
  ///   - body: Calls the handler, with its owner if there is one.
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
    mailbox.enqueue(envelope.init(payload, delivery.detached, link: link))
    return .queued
  }

  /// Calls the handler, on its actor if it has one.
  fileprivate func run(_ payload: Payload) throws -> Reception {
    endIfOnce()
    calls.add()
    let reception = try body(payload)
    if reception == .ownerLost { link?.endByItself() }
    return reception
  }
}

/// An event on its way to a handler on an actor.
///
/// It does not retain the observer: cancelling the registration frees the handler at once, and the event is
/// then dropped.
private final class QueuedDelivery<Payload: Sendable>: WaitingEvent<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let link: ObserverLink

  required init(_ payload: Payload, _ delivery: Delivery, link: ObserverLink) {
    self.link = link
    super.init(payload, delivery)
  }

  /// The actor is the owner: an actor that the handler captured would be alive.
  override func actorWasLost() { link.endByItself() }

  override func open() -> Bool {
    guard let isOwned = call() else { return true }
    link.finish()
    return isOwned
  }

  /// Makes the call in its own frame: the observer is released before the call counts as finished.
  ///
  /// - Returns: A Boolean value that indicates whether the owner was alive; `nil` when the registration had
  ///   ended.
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

/// An observer with a single call, made by the poster, that receives the poster's actor.
///
/// For the other libraries of the package, which may then call closures of that actor directly. The call is
/// made whatever the actor; nothing is queued.
package final class PosterObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: constants and an atomic.
{
  private let handler: @Sendable (Payload, (any Actor)?) -> Void
  private let registration: ObserverLink
  private let isClaimed = Atomic<Bool>(false)

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The source file of the registration.
  ///   - line: The source line.
  ///   - link: The link that ends the registration.
  ///   - handler: Called with the payload and the actor the poster runs on, if the compiler knew it.
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
