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
  @inlinable static var numberMask: UInt64 { indirect - 1 }

  /// The position in the order of all registrations of one bus, set before the observer is published, and
  /// the flags above.
  ///
  /// The flags are the high bits. One comparison with the newest number that a post calls therefore tells
  /// whether the handler is called without further questions.
  @usableFromInline
  let entry: Atomic<UInt64>
  /// The call that registered the observer.
  package let site: CallSite
  /// The slot that holds this observer, and the flag ``isOnRecord``; guarded by the lock of its list.
  private let place = Atomic<UInt32>(0)

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
  /// Set once, before the observer is published, and before another thread can know its registration: a flag that is
  /// set meanwhile would be lost.
  package final var order: UInt {
    get { UInt(truncatingIfNeeded: entry.load(ordering: .relaxed) & Self.numberMask) }
    set { entry.store(entry.load(ordering: .relaxed) | UInt64(newValue), ordering: .relaxed) }
  }

  /// The slot that holds this observer, guarded by the lock of its list.
  package final var slot: Int {
    get { Int(place.load(ordering: .relaxed) & ~Self.onRecord) }
    set {
      let flag = place.load(ordering: .relaxed) & Self.onRecord
      place.store(UInt32(newValue) | flag, ordering: .relaxed)
    }
  }

  /// A Boolean value that indicates whether the list may know a watcher or pauses of this observer; guarded by
  /// the lock of the list, and never reset.
  final var isOnRecord: Bool { place.load(ordering: .relaxed) & Self.onRecord != 0 }

  /// Notes that the list knows a watcher or pauses of this observer.
  final func putOnRecord() {
    place.store(place.load(ordering: .relaxed) | Self.onRecord, ordering: .relaxed)
  }

  private static var onRecord: UInt32 { 0x8000_0000 }

  private final func has(_ flag: UInt64) -> Bool { entry.load(ordering: .relaxed) & flag != 0 }

  /// A Boolean value that indicates whether the registration has ended.
  package final var isCancelled: Bool { has(Self.cancelled) }

  /// Marks the registration as ended.
  ///
  /// Called while the observer is linked.
  final func stopCalls() {
    entry.bitwiseOr(Self.cancelled, ordering: .sequentiallyConsistent)
  }

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
  final var isReceptive: Bool { !has(Self.cancelled | Self.paused) }

  /// A Boolean value that indicates whether this is not a ``PlainObserver``.
  final var isIndirect: Bool { has(Self.indirect) }

  /// The registration, which may end without its token; `nil` for a plain observer.
  var baseRegistration: Registration? { nil }

  /// A Boolean value that indicates whether the owner has died.
  ///
  /// Loads the owner, and so may end up holding its last reference. Read it without a lock, and only on the
  /// actor of the owner's home.
  var hasLostOwner: Bool { false }

  /// A Boolean value that indicates whether the owner lives, any thread may find that out, and there is no
  /// particular sender: the common answer of a probe, without a look at the registration.
  var isSurelyOfUse: Bool { false }

  /// A Boolean value that indicates whether calls are paused.
  package final var isPaused: Bool { has(Self.paused) }

  /// The address, for storage in a slot.
  package final var address: UInt { ObjectAddress.of(self) }

  /// Calls a closure with the observer at an address; a list or a visit keeps the observer alive.
  @discardableResult
  static func borrow<Result>(
    _ address: UInt,
    _ body: (AnyObserver) -> Result
  ) -> Result? {
    ObjectAddress.borrow(address, body)
  }
}
