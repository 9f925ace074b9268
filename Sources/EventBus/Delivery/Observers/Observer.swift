internal import Synchronization

/// An observer of events with one payload type.
///
/// Delivery is one virtual call to an object borrowed from the list: no retain, no release. The handler is
/// a constant of a subclass, since reading a variable would double the cost.
@usableFromInline
package class Observer<Payload: Sendable>: AnyObserver, @unchecked Sendable {  // Reason: stateless.
  /// Delivers an event of a post without special cases.
  ///
  /// - Throws: The error of the handler.
  @usableFromInline
  package func receive(_ payload: Payload) throws -> Reception { .declined }

  /// Delivers an event together with its origin.
  ///
  /// - Throws: The error of the handler.
  package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws -> Reception {
    try receive(payload)
  }
}

/// An observer whose handler is always called by the poster.
package final class PlainObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let handler: @Sendable (Payload) throws -> Void

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The source file of the registration.
  ///   - line: The source line.
  ///   - handler: Called with every payload.
  package required init(
    fileID: StaticString,
    line: UInt,
    handler: @escaping @Sendable (Payload) throws -> Void
  ) {
    self.handler = handler
    super.init(fileID: fileID, line: line)
  }

  @usableFromInline
  override package func receive(_ payload: Payload) throws -> Reception {
    try handler(payload)
    return .called
  }
}

/// The origin of an event, for observers that need more than its payload.
package struct Delivery: Sendable {
  /// The source file of the post.
  package let fileID: StaticString
  /// The source line of the post.
  package let line: UInt
  /// The identity of the sender.
  package let sender: ObjectIdentifier?
  /// The actor the poster runs on, if the compiler knew it.
  package var isolation: (any Actor)?
  /// The registration that the poster excluded.
  package var excluded: TokenIdentity?
  /// Counts the calls for a poster that waits until every handler has finished.
  package var completion: Completion?
  /// The sender of an event that has waited; it may have died.
  package var waitedFrom: SenderIdentity?
  /// The number of the post among those of a replayed event; zero for other events.
  package var number: UInt = 0

  /// Describes one post.
  package init(
    fileID: StaticString,
    line: UInt,
    sender: ObjectIdentifier? = nil,
    isolation: (any Actor)? = nil,
    excluded: TokenIdentity? = nil,
    completion: Completion? = nil
  ) {
    self.fileID = fileID
    self.line = line
    self.sender = sender
    self.isolation = isolation
    self.excluded = excluded
    self.completion = completion
  }

  /// A copy for delivery by code other than the poster.
  package var detached: Delivery {
    var copy = forLater
    copy.completion = completion
    copy.number = number
    return copy
  }

  /// A copy without the parts that are valid only while the post is running.
  package var forLater: Delivery { Delivery(fileID: fileID, line: line, sender: sender) }
}

/// The outcome of one event at one observer.
@usableFromInline
package struct Reception: Equatable, Sendable {
  /// The lowest bit is set if the event reached the handler or its queue.
  @usableFromInline
  package let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The predicate declined the event.
  @inlinable package static var declined: Reception { Reception(rawValue: 0) }
  /// The handler was called.
  @inlinable package static var called: Reception { Reception(rawValue: 1) }
  /// The event waits in the handler's queue.
  @inlinable package static var queued: Reception { Reception(rawValue: 3) }
  /// The owner has died; the registration is to be removed.
  @inlinable package static var ownerLost: Reception { Reception(rawValue: 4) }
  /// The handler was called and threw.
  @inlinable package static var failed: Reception { Reception(rawValue: 5) }
  /// The only call of the handler has already been used.
  @inlinable package static var spent: Reception { Reception(rawValue: 6) }
  /// The registration is paused.
  @inlinable package static var paused: Reception { Reception(rawValue: 8) }
  /// The registration was cancelled while the event was on its way.
  @inlinable package static var cancelled: Reception { Reception(rawValue: 10) }
  /// The poster excluded the registration.
  @inlinable package static var excluded: Reception { Reception(rawValue: 12) }
  /// The observer was registered after the post began.
  @inlinable package static var tooNew: Reception { Reception(rawValue: 14) }
  /// The handler's queue was full.
  @inlinable package static var dropped: Reception { Reception(rawValue: 16) }

  /// Compares two outcomes; written out because a derived comparison is a call.
  @inlinable
  package static func == (left: Reception, right: Reception) -> Bool {
    left.rawValue == right.rawValue
  }

  /// One if the event reached the handler or its queue, otherwise zero.
  @inlinable
  package var reached: Int { Int(rawValue & 1) }
}

/// Counts the unfinished calls of one post, for a poster that waits until all are finished.
package final class Completion: Sendable {
  /// The number of unfinished calls, plus one for the post itself.
  private let open = Atomic<Int>(1)
  private let latch = Latch()
  /// The registrations whose handlers wait for this post; the post does not wait for them.
  package let callers: [ObjectIdentifier]

  /// Creates a count for a post that is about to begin.
  ///
  /// - Parameter callers: The registrations whose handlers wait for this post.
  package init(callers: [ObjectIdentifier] = []) { self.callers = callers }

  /// Counts a call that will be made later.
  package func begin() { open.wrappingAdd(1, ordering: .relaxed) }

  /// Ends a call that was made or dropped, or the post itself.
  package func finish() {
    let left = open.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if left == 0 { latch.open() }
  }

  /// A Boolean value that indicates whether every call has finished.
  package var isDone: Bool { latch.isOpen }

  /// Waits until every call has finished.
  ///
  /// Returns early when the waiting task is cancelled.
  package func wait() async { await latch.wait() }
}

extension TokenIdentity {
  /// Returns whether this is the registration of an observer in a list.
  package func isMeant(_ observer: AnyObserver, of list: ObserverList) -> Bool {
    if let link = observer.link { return ObjectIdentifier(link) == target }
    return ObjectIdentifier(list) == target && observer.address == handle
  }
}
