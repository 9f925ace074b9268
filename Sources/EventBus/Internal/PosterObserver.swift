internal import Synchronization

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
