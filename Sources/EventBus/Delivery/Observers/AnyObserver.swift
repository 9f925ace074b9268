public import Synchronization

/// An observer without its payload type, as the list sees it.
///
/// The fields are packed: the size of an observer is part of what the library promises.
///
/// ## The number of calls
///
/// The addition that announces a post to the reclamation also counts it. A handler without conditions
/// therefore needs no counter of its own: its calls are the posts that arrived, minus those that skipped
/// it, each of which calls ``addMissed()``.
///
/// This holds once it is certain which posts call the handler. A post that was running during the
/// registration may or may not find the handler, so at first every call is counted individually. A post
/// that makes such a call settles the count if no other post is running: the calls of every earlier post
/// are in the count, and every later post will find the handler.
///
/// **Exactness.** The settling post reads the arrivals while no other post is inside, then the count of
/// calls, then the arrivals again. If the arrivals have not changed, no other post was inside in between:
/// it would still be inside, or would have raised the arrivals. Both numbers therefore cover the same
/// posts. All of these have left except the settling one, which has counted its call. Later posts appear in
/// the arrivals only: calls that they count before they see the change are no longer read, and the posts
/// that skip the handler belong to the difference. Two posts cannot settle a count at the same time, since
/// neither would be alone. A post that decided to count before another one settled checks again once it is
/// alone. `CallCountModelTests` searches every interleaving.
@safe @usableFromInline
package class AnyObserver: @unchecked Sendable {  // Reason: atomics.
  /// Set in ``entry`` once the registration has ended; walks skip the observer.
  package static var cancelled: UInt64 { 1 << 63 }
  /// Set while the registration is paused.
  package static var paused: UInt64 { 1 << 62 }
  /// Set while every call is counted individually.
  package static var counting: UInt64 { 1 << 61 }
  /// Set, and never cleared, for an observer that is not a ``PlainObserver``.
  @inlinable package static var indirect: UInt64 { 1 << 60 }
  /// The bits of ``entry`` below the flags: the number.
  @inlinable package static var numberMask: UInt64 { indirect - 1 }

  /// The position in the order of all registrations of one bus, set before the observer is published, and
  /// the flags above.
  ///
  /// The flags are the high bits. One comparison with the newest number that a post calls therefore tells
  /// whether the handler is called without further questions.
  @usableFromInline
  let entry: Atomic<UInt64>
  private let file: UnsafePointer<UInt8>
  /// The slot that holds this observer, guarded by the lock of its list.
  package let slot = Atomic<UInt32>(0)
  private let shortLine: UInt32
  /// The number of calls that were counted individually.
  package let calls = Atomic<UInt>(0)
  /// The number of posts that skipped the handler; once the count has settled, that of the posts without a
  /// call, wrapping.
  private let missed = Atomic<UInt>(0)

  /// Creates an observer that is in no list yet.
  ///
  /// - Parameters:
  ///   - fileID: The source file of the registration.
  ///   - line: The source line.
  ///   - flags: The initial flags.
  package init(
    fileID: StaticString,
    line: UInt,
    flags: UInt64 = AnyObserver.counting | AnyObserver.indirect
  ) {
    let known: StaticString = fileID.hasPointerRepresentation ? fileID : "?"
    unsafe file = known.utf8Start  // Reason: static text.
    shortLine = UInt32(clamping: line)
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

  /// A Boolean value that indicates whether calls are allowed and need no individual count.
  package final var isReceptive: Bool { !has(Self.cancelled | Self.paused | Self.counting) }

  /// Decides about a call where ``isReceptive`` is false or the observer may be too new, and counts the call
  /// or the refusal.
  ///
  /// - Parameters:
  ///   - list: The list in which a post met the observer.
  ///   - newest: The number of the newest observer that the post calls.
  /// - Returns: `true` if the handler is to be called.
  @usableFromInline
  package final func admits(in list: ObserverList, upTo newest: UInt64) -> Bool {
    let entry = entry.load(ordering: .relaxed)
    guard entry & (Self.cancelled | Self.paused) == 0, entry & Self.numberMask <= newest else {
      addMissed()
      return false
    }
    if entry & Self.counting != 0 { count(in: list) }
    return true
  }

  /// Counts a post that skips the handler.
  package final func addMissed() { missed.wrappingAdd(1, ordering: .releasing) }

  /// Takes back the count of a call that ``admits(in:upTo:)`` allowed and that was not made.
  ///
  /// The caller's post is still inside, so only the post itself can have settled the count.
  package final func retractCall() {
    if isCounting { calls.wrappingSubtract(1, ordering: .releasing) }
    addMissed()
  }

  /// Counts one call individually, and settles the count if the calling post is alone.
  private func count(in list: ObserverList) {
    calls.wrappingAdd(1, ordering: .releasing)
    guard let posts = list.postCountIfAlone, isCounting else { return }
    let calls = calls.load(ordering: .acquiring)
    let missed = missed.load(ordering: .acquiring)
    guard list.postCountIfAlone == posts else { return }
    self.missed.wrappingAdd(posts &- calls &- missed, ordering: .releasing)
    entry.bitwiseAnd(~Self.counting, ordering: .releasing)
  }

  private final var isCounting: Bool { entry.load(ordering: .acquiring) & Self.counting != 0 }

  /// The source file of the registration.
  package final var fileID: String { unsafe String(cString: file) }  // Reason: static.

  /// The source line of the registration.
  package final var line: UInt { UInt(shortLine) }

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

  /// Returns the number of calls of the handler.
  ///
  /// - Parameter posts: Returns the number of posts that have visited the list so far.
  /// - Returns: The number of calls; exact while no post is running.
  package func deliveredCount(of posts: () -> UInt) -> Int {
    if isCounting { return Int(clamping: calls.load(ordering: .acquiring)) }
    // Read first: a post that skipped the handler has arrived, so the difference is not negative.
    let missed = missed.load(ordering: .acquiring)
    return max(0, Int(bitPattern: posts() &- missed))
  }

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
  package func isMeant(_ observer: AnyObserver, of list: ObserverList) -> Bool {
    if let link = observer.link { return ObjectIdentifier(link) == target }
    return ObjectIdentifier(list) == target && observer.address == handle
  }
}
