public import Synchronization

/// One registration as the list sees it: its place, its number, where it was written, whether it lives.
///
/// Fields are packed: the size of an observer is part of what the library promises.
@safe @usableFromInline
package class AnyObserver: @unchecked Sendable {  // Reason: atomics.
  /// Set once the registration has ended; a walk that meets it goes on.
  package static let cancelled: UInt8 = 1
  /// Set while the registration is paused.
  package static let paused: UInt8 = 2
  /// Set while every call is counted by itself, see ``CallCount``.
  package static let counting: UInt8 = 4

  /// The place in the order of all registrations of one bus; set before the observer is published.
  @usableFromInline
  let number = Atomic<UInt>(0)
  private let file: UnsafePointer<UInt8>
  /// The slot that holds this observer, guarded by the lock of its list.
  package let slot = Atomic<UInt32>(0)
  private let lineLow: UInt16
  private let lineHigh: UInt8
  /// Zero while calls may be made and need not be counted.
  @usableFromInline
  let flags = Atomic<UInt8>(AnyObserver.counting)
  /// How often the handler was called.
  package let calls = CallCount()

  /// Creates an observer that is in no list yet.
  ///
  /// - Parameters:
  ///   - fileID: The file of the registration.
  ///   - line: Its line; kept up to 16,777,215.
  package init(fileID: StaticString, line: UInt) {
    let known: StaticString = fileID.hasPointerRepresentation ? fileID : "?"
    unsafe file = known.utf8Start  // Reason: static text.
    let kept = min(line, 0xFF_FFFF)
    lineLow = UInt16(truncatingIfNeeded: kept)
    lineHigh = UInt8(truncatingIfNeeded: kept >> 16)
  }

  /// The place in the order of all registrations of one bus.
  package final var order: UInt { number.load(ordering: .relaxed) }

  /// The observers of the sender this one is for, where it named one; set before it is published.
  package var senderGroup: SenderGroup? { nil }

  /// Takes note of the group it belongs to.
  ///
  /// Called with the list's lock held.
  package func join(_ group: SenderGroup) {}

  /// Whether the registration has ended.
  package final var isCancelled: Bool { flags.load(ordering: .relaxed) & Self.cancelled != 0 }

  /// Takes note that the registration has ended.
  ///
  /// Called while the observer is linked.
  package final func stopCalls() {
    flags.bitwiseOr(Self.cancelled, ordering: .sequentiallyConsistent)
  }

  /// What ends as soon as the registration has ended, not only when the observer is freed.
  package var dependent: (any Finishable)? { nil }

  /// Whether its link knows of every call.
  package var countsCalls: Bool { false }

  /// Stops calls, or lets them through.
  ///
  /// Called with the lock held that counts the pauses.
  package final func setPaused(_ isPaused: Bool) {
    if isPaused {
      flags.bitwiseOr(Self.paused, ordering: .sequentiallyConsistent)
    } else {
      flags.bitwiseAnd(~Self.paused, ordering: .sequentiallyConsistent)
    }
  }

  /// Whether calls may be made and need not be counted: nothing is to be asked before one.
  @inlinable
  package final var isReceptive: Bool { flags.load(ordering: .relaxed) == 0 }

  /// Decides about a call where ``isReceptive`` is false, and counts it or its absence.
  ///
  /// - Parameter list: The list in which a post met the observer.
  /// - Returns: Whether the handler is to be called.
  @usableFromInline
  package final func admits(in list: ObserverList) -> Bool {
    let flags = flags.load(ordering: .relaxed)
    guard flags & (Self.cancelled | Self.paused) == 0 else {
      calls.addMissed()
      return false
    }
    if flags & Self.counting != 0 { count(in: list) }
    return true
  }

  private func count(in list: ObserverList) {
    calls.add()
    let isSettled = calls.settle(in: list) {
      flags.load(ordering: .acquiring) & Self.counting != 0
    }
    if isSettled { flags.bitwiseAnd(~Self.counting, ordering: .releasing) }
  }

  /// The file of the registration.
  package final var fileID: String { unsafe String(cString: file) }  // Reason: static.

  /// The line of the registration.
  package final var line: UInt { UInt(lineHigh) << 16 | UInt(lineLow) }

  /// Whether there is an owner, which is held weakly.
  package var hasOwner: Bool { false }

  /// Whether the owner has died.
  ///
  /// Loads it, so that it is asked under no lock, and only on the actor of ``home``: the load may become
  /// the last reference to the owner.
  package var hasLostOwner: Bool { false }

  /// The mailbox of the only actor on which the owner and the sender may be loaded; nothing for any
  /// thread.
  package var home: Mailbox? { nil }

  /// Whether the owner or the sender may die unnoticed.
  package final var isWatched: Bool { hasOwner || senderGroup != nil }

  /// Whether the owner or the sender has died.
  ///
  /// Loads them: see ``hasLostOwner``.
  package final var isOrphaned: Bool { hasLostOwner || (senderGroup?.hasLostSender ?? false) }

  /// The place in ``WatchedObservers``, guarded by the lock of the list.
  package var watchPlace: Int {
    get { 0 }
    set {}
  }

  /// Whether its calls depend on where an event comes from.
  package var isBound: Bool { false }

  /// Whether the registration belongs to an object, and has this name if one is given.
  package func belongs(to owner: AnyObject, as id: AnyHashable?) -> Bool { false }

  /// The name of the owner's type, where there is an owner.
  package var ownerType: String? { nil }

  /// Whether calls are stopped for the time being.
  package final var isPaused: Bool { flags.load(ordering: .relaxed) & Self.paused != 0 }

  /// Counts the calls of the handler.
  ///
  /// - Parameter posts: Returns the number of posts that have visited the list so far.
  /// - Returns: The number of calls, exact while no post is running.
  package func deliveredCount(of posts: () -> UInt) -> Int {
    let isCounting = flags.load(ordering: .acquiring) & Self.counting != 0
    return isCounting ? calls.counted : calls.derived(from: posts)
  }

  /// How many events were discarded in front of its handler.
  package var droppedCount: UInt { 0 }

  /// What ends the registration when it is not ended by its token, where there is such a thing.
  package var link: ObserverLink? { nil }

  /// The address, to be kept in a slot.
  package final var address: UInt { ObjectAddress.of(self) }

  /// Calls a closure with the observer at an address that is kept by a list or a visit.
  @discardableResult
  package static func borrow<Result>(
    _ address: UInt,
    _ body: (AnyObserver) -> Result
  ) -> Result? {
    ObjectAddress.borrow(address, body)
  }
}
