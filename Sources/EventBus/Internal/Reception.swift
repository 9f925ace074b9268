/// What became of one event at one observer.
@usableFromInline
package struct Reception: Equatable, Sendable {
  @usableFromInline
  internal let rawValue: UInt8

  @inlinable
  internal init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The handler did not want it.
  @usableFromInline package static let declined = Reception(rawValue: 0)
  /// The handler was called.
  @usableFromInline package static let called = Reception(rawValue: 1)
  /// It waits in a queue for the handler.
  @usableFromInline package static let queued = Reception(rawValue: 3)
  /// The owner is gone; the registration is to be removed.
  @usableFromInline package static let ownerLost = Reception(rawValue: 4)

  /// One if the event reached the handler or its queue, else zero.
  @inlinable
  package var reached: Int { Int(rawValue & 1) }
}
