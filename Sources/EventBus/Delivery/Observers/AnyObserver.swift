public import Synchronization

/// An observer without its payload type, as the list sees it.
///
/// The fields are packed: the size of an observer is part of what the library promises.
@usableFromInline
package class AnyObserver: @unchecked Sendable {  // Reason: atomics.
  /// Set in ``entry`` once the registration has ended; walks skip the observer.
  package static var cancelled: UInt64 { 1 << 63 }
  /// Set while the registration is paused.
  package static var paused: UInt64 { 1 << 62 }
  /// Set, and never cleared, for an observer that is not a ``PlainObserver``.
  @inlinable package static var indirect: UInt64 { 1 << 61 }
  /// The bits of ``entry`` below the flags: the number.
  @inlinable package static var numberMask: UInt64 { indirect - 1 }

  /// The position in the order of all registrations of one bus, set before the observer is published, and
  /// the flags above.
  ///
  /// The flags are the high bits. One comparison with the newest number that a post calls therefore tells
  /// whether the handler is called without further questions.
  @usableFromInline
  let entry: Atomic<UInt64>
  /// The call that registered the observer.
  package let site: CallSite
  /// The slot that holds this observer, guarded by the lock of its list.
  package let slot = Atomic<UInt32>(0)

  /// Creates an observer that is in no list yet.
  ///
  /// - Parameters:
  ///   - site: The call that registers the observer.
  ///   - flags: The initial flags.
  package init(at site: CallSite, flags: UInt64 = AnyObserver.indirect) {
    self.site = site
    entry = Atomic(flags)
  }

  /// The position in the order of all registrations of one bus.
  ///
  /// Set once, before the observer is published, and before another thread can know its link: a flag that is
  /// set meanwhile would be lost.
  package final var order: UInt {
    get { UInt(truncatingIfNeeded: entry.load(ordering: .relaxed) & Self.numberMask) }
    set { entry.store(entry.load(ordering: .relaxed) | UInt64(newValue), ordering: .relaxed) }
  }

  private final func has(_ flag: UInt64) -> Bool { entry.load(ordering: .relaxed) & flag != 0 }

  /// The group of the only sender it observes, if it is restricted to one; set before publication.
  package var senderGroup: SenderGroup? { nil }

  /// Stores the group the observer belongs to.
  ///
  /// Called with the list's lock held.
  package func join(_ group: SenderGroup) {}

  /// A Boolean value that indicates whether the registration has ended.
  package final var isCancelled: Bool { has(Self.cancelled) }

  /// A Boolean value that indicates whether the registration has ended, in one order with
  /// ``ObserverRegistration/beginCallOnActor()``.
  package final var isCancelledInOrder: Bool {
    entry.load(ordering: .sequentiallyConsistent) & Self.cancelled != 0
  }

  /// Marks the registration as ended.
  ///
  /// Called while the observer is linked.
  package final func stopCalls() {
    entry.bitwiseOr(Self.cancelled, ordering: .sequentiallyConsistent)
  }

  /// An object that finishes as soon as the registration ends, before the observer is freed.
  package var dependent: (any Finishable)? { nil }

  /// A Boolean value that indicates whether the link counts every call.
  package var countsCalls: Bool { false }

  /// The mailbox of the only actor on which the handler is called, by posters or later.
  package var callingMailbox: Mailbox? { nil }

  /// Pauses or resumes calls.
  ///
  /// Called with the lock held that guards the number of pauses.
  package final func setPaused(_ isPaused: Bool) {
    if isPaused {
      entry.bitwiseOr(Self.paused, ordering: .sequentiallyConsistent)
    } else {
      entry.bitwiseAnd(~Self.paused, ordering: .sequentiallyConsistent)
    }
  }

  /// A Boolean value that indicates whether calls are allowed.
  package final var isReceptive: Bool { !has(Self.cancelled | Self.paused) }

  /// A Boolean value that indicates whether there is an owner, which is held weakly.
  package var hasOwner: Bool { false }

  /// A Boolean value that indicates whether the owner has died.
  ///
  /// Loads the owner, and so may end up holding its last reference. Read it without a lock, and only on the
  /// actor of ``home``.
  package var hasLostOwner: Bool { false }

  /// The mailbox of the only actor that may load the owner and the sender; `nil` for any thread.
  package var home: Mailbox? { nil }

  /// A Boolean value that indicates whether the owner or the sender may die without notice.
  package final var isWatched: Bool { has(Self.indirect) && (hasOwner || senderGroup != nil) }

  /// A Boolean value that indicates whether the owner or the sender has died.
  ///
  /// Loads both: see ``hasLostOwner``.
  package final var isOrphaned: Bool { hasLostOwner || (senderGroup?.hasLostSender ?? false) }

  /// The position in ``WatchedObservers``, guarded by the lock of the list.
  package var watchedPosition: Int {
    get { 0 }
    set {}
  }

  /// A Boolean value that indicates whether a post has used the only call of the handler.
  package var isSpent: Bool { false }

  /// Returns whether the registration belongs to an object and, if an identifier is given, carries it.
  package func belongs(to owner: AnyObject, as id: AnyHashable?) -> Bool { false }

  /// The name of the owner's type, if there is an owner.
  package var ownerType: String? { nil }

  /// A Boolean value that indicates whether calls are paused.
  package final var isPaused: Bool { has(Self.paused) }

  /// The number of events discarded before they reached the handler.
  package var droppedCount: UInt { 0 }

  /// The number of events that wait for the handler, or in the buffer of the stream.
  package var waitingCount: Int { 0 }

  /// A Boolean value that indicates whether events go to the buffer of a stream.
  package var isStream: Bool { false }

  /// The link that ends the registration without its token; `nil` for plain observers.
  package var link: ObserverRegistration? { nil }

  /// The address, for storage in a slot.
  package final var address: UInt { ObjectAddress.of(self) }

  /// Calls a closure with the observer at an address; a list or a visit keeps the observer alive.
  @discardableResult
  package static func borrow<Result>(
    _ address: UInt,
    _ body: (AnyObserver) -> Result
  ) -> Result? {
    ObjectAddress.borrow(address, body)
  }
}

extension TokenIdentity {
  /// Returns whether this is the registration of an observer in a list.
  package func identifies(_ observer: AnyObserver, of list: ObserverList) -> Bool {
    if let link = observer.link { return ObjectIdentifier(link) == target }
    return ObjectIdentifier(list) == target && observer.address == handle
  }
}
