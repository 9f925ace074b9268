internal import Synchronization

/// An observer with conditions: a predicate, one call only, a handler that lives on an actor.
package final class RoutedObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: atomics.
{
  /// How the handler is called, and what is known of its owner.
  package struct Body: Sendable {
    /// Calls the handler, with its owner where it has one.
    package let call: @Sendable (Payload) throws -> Reception
    /// Whether the owner has died.
    package let hasLostOwner: @Sendable () -> Bool
    /// The owner's type.
    package let ownerType: String?
    /// Whether nobody tells when the owner dies.
    package let needsSweeping: Bool

    /// Describes a handler.
    package init(
      ownerType: String? = nil,
      needsSweeping: Bool = false,
      hasLostOwner: @escaping @Sendable () -> Bool = { false },
      call: @escaping @Sendable (Payload) throws -> Reception
    ) {
      self.call = call
      self.hasLostOwner = hasLostOwner
      self.ownerType = ownerType
      self.needsSweeping = needsSweeping
    }
  }

  private let body: Body
  private let predicate: (@Sendable (Payload) -> Bool)?
  private let once: Bool
  private let mailbox: Mailbox?
  private let home: ObserverLink
  private let isClaimed = Atomic<Bool>(false)

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The file of the registration.
  ///   - line: Its line.
  ///   - body: The handler.
  ///   - predicate: Asked on the posting thread; the event is declined when it says no.
  ///   - once: Whether the first event accepted is the last.
  ///   - mailbox: The queue of the actor the handler runs on.
  ///   - link: Ends the registration.
  package init(
    fileID: StaticString,
    line: UInt,
    body: Body,
    predicate: (@Sendable (Payload) -> Bool)?,
    once: Bool,
    mailbox: Mailbox?,
    link: ObserverLink
  ) {
    self.body = body
    self.predicate = predicate
    self.once = once
    self.mailbox = mailbox
    home = link
    super.init(fileID: fileID, line: line)
  }

  @usableFromInline
  override package func receive(_ payload: Payload) throws -> Reception {
    try receive(payload, Delivery(fileID: "?", line: 0))
  }

  override package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    // A handler on an actor has its owner loaded there, so that the last reference is not dropped here.
    if mailbox == nil, body.hasLostOwner() { return .ownerLost }
    if let predicate, !predicate(payload) { return .declined }
    if once, isClaimed.exchange(true, ordering: .acquiringAndReleasing) { return .declined }
    if let mailbox, !mailbox.isHome(of: delivery.isolation) {
      mailbox.enqueue(QueuedDelivery(self, payload, delivery, link: home))
      return .queued
    }
    return try run(payload)
  }

  /// Calls the handler, now that it is in its place.
  fileprivate func run(_ payload: Payload) throws -> Reception {
    if once { home.endByItself() }
    return try body.call(payload)
  }

  override package var needsSweeping: Bool { body.needsSweeping }
  override package var hasLostOwner: Bool { body.hasLostOwner() }
  override package var ownerType: String? { body.ownerType }
  override package var link: ObserverLink? { home }
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

  init(
    _ observer: RoutedObserver<Payload>,
    _ payload: Payload,
    _ delivery: borrowing Delivery,
    link: ObserverLink
  ) {
    self.payload = payload
    self.delivery = Delivery(
      fileID: delivery.fileID,
      line: delivery.line,
      sender: delivery.sender,
      isolation: nil
    )
    self.link = link
  }

  override func open() -> Bool {
    guard let observer = link.begin() else { return true }
    defer { link.finish() }
    guard let observer = observer as? RoutedObserver<Payload> else { return true }
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
