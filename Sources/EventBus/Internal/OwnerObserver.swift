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
