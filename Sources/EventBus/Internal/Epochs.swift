/// The rules of epoch-based reclamation, as arithmetic on plain numbers.
///
/// Readers walk the observers without a lock; writers unlink, and must not free what they unlinked
/// while a reader may still be looking at it. Time is cut into *epochs*:
///
/// - A reader announces itself in the row of the epoch it read, then reads the epoch again. If it
///   moved meanwhile, the reader takes its announcement back and tries again.
/// - A writer unlinks, then stamps what it unlinked with the epoch it reads *after* the unlinking.
/// - The epoch may move from *e* to *e* + 1 when nobody is announced for *e* − 1.
/// - What was stamped *t* may be freed at epoch *t* + 2.
///
/// Why that is safe. A reader announced for *r* saw the epoch *r* after its announcement was visible.
/// If *r* > *t*, the epoch passed *t* before the reader looked for its first pointer, so the unlinking,
/// which came before the stamp, was visible to it: it cannot hold the item. If *r* ≤ *t*, the epoch
/// cannot have reached *t* + 2 while the reader is in: going from *r* + 1 to *r* + 2 needs row *r*
/// empty. So at *t* + 2 nobody holds the item. Every access named here is sequentially consistent; the
/// argument uses their one order.
///
/// Where no reader at all is seen after the unlinking, one cell after the other, the item may be freed at
/// once, whatever the epoch: a reader that holds it stays in its cell until it leaves.
///
/// Three rows would do, since at epoch *e* only rows *e* and *e* − 1 can hold readers that will stay;
/// there are four because a mask is cheaper than a remainder.
///
/// The scheme is the one of K. Fraser, "Practical lock-freedom", 2004, section 5.2.3, with counted
/// rows instead of a list of threads.
@usableFromInline
package enum Epochs: Sendable {
  /// How many rows of readers there are.
  @usableFromInline
  package static let rowCount: UInt = 4

  /// The row in which a reader announces itself that read this epoch.
  @inlinable
  package static func row(of epoch: UInt) -> Int { Int(epoch & (rowCount - 1)) }

  /// The row that must be empty before this epoch may be followed by the next one.
  @inlinable
  package static func rowHoldingBack(_ epoch: UInt) -> Int { row(of: epoch &- 1) }

  /// Whether nobody can hold any more what was stamped with an epoch.
  ///
  /// - Parameters:
  ///   - stamp: The epoch read after the item was unlinked.
  ///   - epoch: The epoch now.
  /// - Returns: `true` two epochs after the stamp.
  @inlinable
  package static func mayFree(stamped stamp: UInt, at epoch: UInt) -> Bool { epoch >= stamp &+ 2 }
}
