/// What became of one event at one observer.
@usableFromInline
package struct Reception: Equatable, Sendable {
  /// The lowest bit says that the event reached the handler or its queue.
  @usableFromInline
  package let rawValue: UInt8

  @inlinable
  internal init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The handler's predicate did not want it.
  @inlinable package static var declined: Reception { Reception(rawValue: 0) }
  /// The handler was called.
  @inlinable package static var called: Reception { Reception(rawValue: 1) }
  /// It waits in a queue for the handler.
  @inlinable package static var queued: Reception { Reception(rawValue: 3) }
  /// The owner is gone; the registration is to be removed.
  @inlinable package static var ownerLost: Reception { Reception(rawValue: 4) }
  /// The handler was called and threw.
  @inlinable package static var failed: Reception { Reception(rawValue: 5) }
  /// The one call of the handler has been used.
  @inlinable package static var spent: Reception { Reception(rawValue: 6) }
  /// The registration is paused.
  @inlinable package static var paused: Reception { Reception(rawValue: 8) }
  /// The registration was cancelled while the event was on its way.
  @inlinable package static var cancelled: Reception { Reception(rawValue: 10) }
  /// The poster excluded it.
  @inlinable package static var excluded: Reception { Reception(rawValue: 12) }
  /// It was registered after the post began.
  @inlinable package static var tooNew: Reception { Reception(rawValue: 14) }
  /// The queue in front of the handler was full.
  @inlinable package static var dropped: Reception { Reception(rawValue: 16) }

  /// Whether the two are the same; written out because a derived comparison is a call.
  @inlinable
  package static func == (left: Reception, right: Reception) -> Bool {
    left.rawValue == right.rawValue
  }

  /// One if the event reached the handler or its queue, else zero.
  @inlinable
  package var reached: Int { Int(rawValue & 1) }
}
