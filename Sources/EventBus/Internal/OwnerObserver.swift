/// An observer that belongs to an object, which it holds weakly and passes to its handler.
package final class OwnerObserver<Owner: AnyObject & Sendable, Payload: Sendable>:
  Observer<Payload>, @unchecked Sendable  // Reason: constant.
{
  private weak let owner: Owner?
  private let handler: @Sendable (Owner, Payload) throws -> Void
  private let home: ObserverLink
  private let tells: Bool

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The file of the registration.
  ///   - line: Its line.
  ///   - owner: The object it belongs to.
  ///   - tells: Whether the owner ends the registration itself when it dies.
  ///   - link: Ends the registration.
  ///   - handler: Called with the owner, which is held for the duration of the call.
  package init(
    fileID: StaticString,
    line: UInt,
    owner: Owner,
    tells: Bool,
    link: ObserverLink,
    handler: @escaping @Sendable (Owner, Payload) throws -> Void
  ) {
    self.owner = owner
    self.tells = tells
    self.handler = handler
    home = link
    super.init(fileID: fileID, line: line)
  }

  @usableFromInline
  override package func receive(_ payload: Payload) throws -> Reception {
    guard let owner else { return .ownerLost }
    try handler(owner, payload)
    return .called
  }

  override package var needsSweeping: Bool { !tells }
  override package var hasLostOwner: Bool { owner == nil }
  override package var ownerType: String? { "\(Owner.self)" }
  override package var link: ObserverLink? { home }
}
