/// An observer of events of one type.
///
/// Delivery is one virtual call to an object that is borrowed from the list: no retain, no release. The
/// handler is a constant of a subclass, since reading a variable would cost as much again.
@usableFromInline
package class Observer<Payload: Sendable>: AnyObserver, @unchecked Sendable {  // Reason: stateless.
  /// Hands over an event from a post without peculiarities.
  ///
  /// - Throws: What the handler throws.
  @usableFromInline
  package func receive(_ payload: Payload) throws -> Reception { .declined }

  /// Hands over an event together with where it came from.
  ///
  /// - Throws: What the handler throws.
  package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws -> Reception {
    try receive(payload)
  }
}

/// The plainest observer: a handler that is called where the poster is.
package final class PlainObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let handler: @Sendable (Payload) throws -> Void

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The file of the registration.
  ///   - line: Its line.
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

/// Where an event came from, for observers that need to know more than its payload.
package struct Delivery: Sendable {
  /// The file of the post.
  package let fileID: StaticString
  /// The line of the post.
  package let line: UInt
  /// The sender, by identity only.
  package let sender: ObjectIdentifier?
  /// The actor the poster runs on, where the compiler knew.
  package var isolation: (any Actor)?
  /// The registration the poster does not want to reach.
  package var excluded: TokenIdentity?
  /// Whoever waits until every handler has finished.
  package var completion: Completion?
  /// The sender of an event that has waited, who may have died.
  package var waitedFrom: SenderIdentity?
  /// The number of the post among those of an event that is replayed; zero for others.
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

  /// The same for a delivery by somebody else than the poster.
  package var withoutPlace: Delivery {
    var copy = forLater
    copy.completion = completion
    copy.number = number
    return copy
  }

  /// The same without what is of use only while the post is running.
  package var forLater: Delivery { Delivery(fileID: fileID, line: line, sender: sender) }
}

/// Which registration a token stands for.
package struct TokenIdentity: Sendable {
  private let target: ObjectIdentifier
  private let handle: UInt

  /// Names the registration of a target.
  package init(_ target: TokenTarget, handle: UInt) {
    self.target = ObjectIdentifier(target)
    self.handle = handle
  }

  /// Whether an observer of a list is meant.
  package func isMeant(_ observer: AnyObserver, of list: ObserverList) -> Bool {
    if let link = observer.link { return ObjectIdentifier(link) == target }
    return ObjectIdentifier(list) == target && observer.address == handle
  }
}

/// What became of one event at one observer.
@usableFromInline
package struct Reception: Equatable, Sendable {
  /// The lowest bit says that the event reached the handler or its queue.
  @usableFromInline
  package let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) { self.rawValue = rawValue }

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

/// What came of one post so far.
@usableFromInline
package struct DeliveryTally: Sendable {
  /// How many handlers were called or have the event in their queue.
  @usableFromInline
  package var reached: Int

  /// Nothing yet.
  @inlinable
  package init() {
    reached = 0
  }

  /// Hands the event to one observer and notes what came of it.
  ///
  /// - Parameters:
  ///   - observer: The observer; passed over when it does not admit the call.
  ///   - list: The list in which the post meets it.
  ///   - failed: Told of an error the handler throws.
  ///   - hand: Calls the observer.
  /// - Returns: What came of it.
  @inlinable
  @discardableResult
  package mutating func hand<Payload>(
    to observer: Observer<Payload>,
    in list: ObserverList,
    failed: (any Error, AnyObserver) -> Void,
    _ hand: (Observer<Payload>) throws -> Reception
  ) -> Reception {
    guard observer.isReceptive || observer.admits(in: list) else { return .paused }
    do {
      let reception = try hand(observer)
      reached &+= reception.reached
      return reception
    } catch {
      reached &+= 1
      failed(error, observer)
      return .failed
    }
  }
}

/// Counts the calls one post still has to make, for whoever waits until all are done.
package final class Completion: Sendable {
  private struct State {
    /// The post itself counts as one.
    var open = 1
  }

  private let state = Locked(State())
  private let latch = Latch()
  /// The registrations whose handlers wait for this post: it does not wait for them.
  package let callers: [ObjectIdentifier]

  /// Counts the post that is about to begin.
  ///
  /// - Parameter callers: The registrations whose handlers wait for this post.
  package init(callers: [ObjectIdentifier] = []) { self.callers = callers }

  /// One more call will be made later.
  package func begin() { state.withLock { $0.open += 1 } }

  /// A call was made, or never will be; or the post has ended.
  package func finish() {
    let isDone = state.withLock { state in
      state.open -= 1
      return state.open == 0
    }
    if isDone { latch.open() }
  }

  /// Whether every call has been made.
  package var isDone: Bool { latch.isOpen }

  /// Waits until every call has been made.
  ///
  /// Returns early when the waiting task is cancelled.
  package func wait() async { await latch.wait() }
}
