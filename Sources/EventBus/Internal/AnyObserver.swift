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

  /// The place in the order of all registrations of one bus; set before the observer is published.
  @usableFromInline
  internal let number = Atomic<UInt>(0)
  private let file: UnsafePointer<UInt8>
  /// The slot that holds this observer, guarded by the lock of its list.
  package let slot = Atomic<UInt32>(0)
  private let lineLow: UInt16
  private let lineHigh: UInt8
  /// Zero while calls may be made.
  @usableFromInline
  internal let flags = Atomic<UInt8>(0)

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

  /// Whether calls may be made.
  @inlinable
  package final var isReceptive: Bool { flags.load(ordering: .relaxed) == 0 }

  /// The file of the registration.
  package final var fileID: String { unsafe String(cString: file) }  // Reason: static.

  /// The line of the registration.
  package final var line: UInt { UInt(lineHigh) << 16 | UInt(lineLow) }

  /// Whether the owner is held weakly and nobody tells when it dies.
  package var needsSweeping: Bool { false }

  /// Whether the owner has died.
  ///
  /// Loads it, so that it is never asked under a lock: the load may be the last to let the owner go.
  package var hasLostOwner: Bool { false }

  /// Whether the registration belongs to an object, and has this name if one is given.
  package func belongs(to owner: AnyObject, as id: AnyHashable?) -> Bool { false }

  /// The name of the owner's type, where there is an owner.
  package var ownerType: String? { nil }

  /// Whether calls are stopped for the time being.
  package final var isPaused: Bool { flags.load(ordering: .relaxed) & Self.paused != 0 }

  /// How many events reached the handler, where the observer counts them itself.
  package var deliveredCount: UInt? { nil }

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
