/// What became of one event at one observer.
@usableFromInline
package struct Reception: Equatable, Sendable {
  @usableFromInline
  internal let rawValue: UInt8

  @inlinable
  internal init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The handler did not want it.
  @inlinable package static var declined: Reception { Reception(rawValue: 0) }
  /// The handler was called.
  @inlinable package static var called: Reception { Reception(rawValue: 1) }
  /// It waits in a queue for the handler.
  @inlinable package static var queued: Reception { Reception(rawValue: 3) }
  /// The owner is gone; the registration is to be removed.
  @inlinable package static var ownerLost: Reception { Reception(rawValue: 4) }

  /// Whether the two are the same; written out because a derived comparison is a call.
  @inlinable
  package static func == (left: Reception, right: Reception) -> Bool {
    left.rawValue == right.rawValue
  }

  /// One if the event reached the handler or its queue, else zero.
  @inlinable
  package var reached: Int { Int(rawValue & 1) }
}
