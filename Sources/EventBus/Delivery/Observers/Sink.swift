public import Synchronization

/// A handler in an observer list, without its payload type, as the list sees it.
///
/// The fields are packed: the size of a sink is part of what the library promises.
@usableFromInline
package class AnySink: @unchecked Sendable {  // Reason: atomics and constants.
  /// Set in ``entry`` while no call may begin: a copy of what the registration knows, for posts.
  ///
  /// Changed with the lock of the list held.
  static var closed: UInt64 { 1 << 63 }
  /// Set, and never cleared, for a sink that is not a ``PlainSink``.
  @inlinable static var general: UInt64 { 1 << 62 }
  /// The bits of ``entry`` below the flags: the number.
  @inlinable static var numberMask: UInt64 { general - 1 }
  /// The bits of ``entry`` of a sink that is not closed.
  @inlinable static var openMask: UInt64 { numberMask | general }

  /// The position in the order of all registrations of one bus, set before the sink is published, and the flags above.
  ///
  /// One comparison tells whether a plain handler may be called.
  @usableFromInline
  let entry: Atomic<UInt64>
  /// The registration.
  @usableFromInline
  package let registration: ObserverRegistration
  /// The priority.
  package let priority: Int

  /// Creates a sink that is in no list yet.
  package init(
    _ registration: ObserverRegistration,
    priority: Int,
    flags: UInt64 = AnySink.general
  ) {
    (self.registration, self.priority) = (registration, priority)
    entry = Atomic(flags)
  }

  /// The position in the order of all registrations of one bus.
  ///
  /// Set once, before the sink is published.
  package final var number: UInt {
    get { UInt(truncatingIfNeeded: entry.load(ordering: .relaxed) & Self.numberMask) }
    set { entry.bitwiseOr(UInt64(newValue), ordering: .relaxed) }
  }

  /// The address, for storage in a slot.
  package final var address: UInt { ObjectAddress.of(self) }

  /// True if no call may begin.
  final var isClosed: Bool { entry.load(ordering: .relaxed) & Self.closed != 0 }

  /// Allows or forbids calls; called with the lock of the list held.
  final func setClosed(_ isClosed: Bool) {
    if isClosed {
      entry.bitwiseOr(Self.closed, ordering: .sequentiallyConsistent)
    } else {
      entry.bitwiseAnd(~Self.closed, ordering: .sequentiallyConsistent)
    }
  }

  /// True if the owner or the sender may die without notice.
  final var isWatched: Bool { ownerClass != nil || group != nil }

  /// True if the owner or the sender has died.
  ///
  /// Loads both: see ``hasLostOwner``.
  final var isOrphaned: Bool { hasLostOwner || group?.hasLostSender ?? false }

  // MARK: What differs between kinds

  /// The mailbox of the actor on which the handler runs.
  var mailbox: Mailbox? { nil }

  /// The mailbox of the only actor that may load the owner and the sender; `nil` for any thread.
  var home: Mailbox? { nil }

  /// The class of the owner, if there is one.
  var ownerClass: AnyClass? { nil }

  /// True if the owner has died.
  ///
  /// Loads the owner, and so may end up holding its last reference. Read it without a lock, and only on the
  /// actor of ``home``.
  var hasLostOwner: Bool { false }

  /// True if the owner is known to be alive, any thread may load it, and there is no particular
  /// sender: the common answer of a probe.
  ///
  /// False if unknown.
  var isSurelyOfUse: Bool { ownerClass == nil && group == nil }

  /// The observers of the only sender that is observed, if there is one.
  var group: SenderGroup? { nil }

  /// Stores the group of the only sender; called once, with the lock of the list held, before the sink is published.
  func enter(_ group: SenderGroup) {}

  /// True if events may wait for the handler, to be called after their post.
  var isCalledLater: Bool { false }

  /// The events that wait for the handler, and those discarded; `nil` if events never wait.
  var content: QueueContent? { nil }

  /// Removes the events that wait for the handler, when the registration has ended.
  ///
  /// Called once, with no lock held.
  ///
  /// - Returns: The events; the caller releases them when nothing else is left to do.
  func takeWaiting() -> Discarded? { nil }
}

/// The events that waited for a handler whose registration has ended; released with no lock held.
package final class Discarded: Sendable {
  private let items: any Sendable

  /// Keeps items until the object is released.
  package init(_ items: any Sendable) { self.items = items }
}

/// A sink of events with one payload type.
///
/// Delivery is one virtual call to an object borrowed from the list: no retain, no release. The post calls the
/// handler of a ``PlainSink`` without it. The other kinds derive from ``GeneralSink``.
@usableFromInline
package class Sink<Payload: Sendable>: AnySink, @unchecked Sendable {  // Reason: stateless.
  /// Receives an event from a post, on the posting thread.
  ///
  /// - Returns: The outcome. Errors of handlers are reported.
  @usableFromInline
  package func receive(_ payload: Payload, _ post: Post) -> Reception { .declined }

  /// This sink as a plain one, which it is if ``AnySink/general`` is not set.
  @inlinable
  final var asPlain: PlainSink<Payload> {
    unsafe unsafeDowncast(self, to: PlainSink<Payload>.self)  // Reason: the flag says so.
  }

  /// The reason for not making a call that hooks surround, just before the handler.
  func refusal(of record: PostRecord) -> Reception? {
    registration.isActive ? nil : registration.refusal
  }

  /// Makes a call with what surrounds it, and reports its error: the only place for both.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - post: The origin of the event.
  ///   - call: Calls the handler.
  /// - Returns: The outcome.
  @inline(__always)
  final func calling(
    _ payload: Payload,
    _ post: Post,
    _ call: () throws -> Reception
  ) -> Reception {
    do {
      guard let record = post.followed else { return try call() }
      return try calling(in: record, post, call)
    } catch {
      registration.list.handlerFailed(error, in: self, payload: payload, post)
      return .failed
    }
  }

  @inline(never)
  private final func calling(
    in record: PostRecord,
    _ post: Post,
    _ call: () throws -> Reception
  ) throws -> Reception {
    let poster = post.actor
    // Looked up where the handler runs, so that no beginning is reported without a call.
    if hasLostOwner {
      registration.endWithOwner()
      return .ownerLost
    }
    let receiver = Receiver(self, on: mailbox?.identity ?? poster)
    return try record.call(receiver, unless: { refusal(of: record) }) {
      // The hook that received the beginning may have ended the registration.
      try registration.isActive ? call() : registration.refusal
    }
  }
}

/// A closure that the posting code calls, without conditions.
///
/// A post that finds no flag in ``AnySink/entry`` calls the handler itself.
@usableFromInline
package final class PlainSink<Payload: Sendable>: Sink<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  @usableFromInline
  let handler: @Sendable (Payload) throws -> Void

  /// Creates a sink.
  package required init(
    _ registration: ObserverRegistration,
    priority: Int,
    _ handler: @escaping @Sendable (Payload) throws -> Void
  ) {
    self.handler = handler
    super.init(registration, priority: priority, flags: 0)
    registration.countsNoCalls()
  }

  override package func receive(_ payload: Payload, _ post: Post) -> Reception {
    calling(payload, post) {
      try handler(payload)
      return .called
    }
  }
}

/// The registration that a followed delivery concerns.
package struct Receiver: Sendable {
  /// The position in the order of all registrations of the bus.
  package let number: UInt
  /// The source site of the registration.
  package let site: CallSite
  /// The actor on which the step takes place, if it is known.
  package let actor: ActorIdentity?

  /// Describes the registration of a sink.
  package init(_ sink: AnySink, on actor: ActorIdentity?) {
    (number, site, self.actor) = (sink.number, sink.registration.site, actor)
  }
}

/// Counts of the events that wait for one handler, for snapshots and errors.
package struct QueueContent: Sendable {
  /// The number of events that wait for the handler, or in the buffer of the stream.
  let waitingCount: Int
  /// The number of events discarded before they reached the handler.
  var droppedCount = 0
  /// Whether this is the buffer of a stream.
  var isStream = false
}
