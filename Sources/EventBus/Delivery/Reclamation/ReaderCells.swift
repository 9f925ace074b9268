public import Synchronization

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

/// The counters in which readers announce themselves: one row per epoch, spread over padded cells.
///
/// A thread uses the cell its stack falls into, so that two processors seldom share a cache line; the
/// choice only affects speed, and a reader leaves the very counter it entered. A counter holds two
/// numbers: how many readers are inside (low bits) and how many have ever entered (high bits), so that
/// one addition announces a reader and counts it.
///
/// Allocated with the first observer, never moved, freed with its owner.
@usableFromInline
package struct ReaderCells: Sendable {
  /// One reader inside, one more ever entered.
  @inlinable
  package static var arrival: UInt { (1 << 20) | 1 }
  /// The bits that say how many readers are inside; 1,048,575 at most, nested calls included.
  @usableFromInline
  package static let insideMask: UInt = (1 << 20) - 1

  @usableFromInline
  static let cellCount = 8
  /// Counters from one cell to the next: 64 bytes, a cache line.
  @usableFromInline
  static let stride = 8

  @usableFromInline
  let words: AtomicWords

  /// Allocates counters, all zero.
  package init() {
    words = AtomicWords(count: Self.cellCount * Self.stride, alignment: 64)
  }

  /// Takes up the counters whose ``address`` was kept, or nothing for zero.
  @inlinable
  package init?(address: UInt) {
    guard let words = AtomicWords(address: address) else { return nil }
    self.words = words
  }

  /// The address, to be kept in an atomic word.
  package var address: UInt { words.address }

  /// Frees the counters.
  package func deallocate() { words.deallocate() }

  /// Announces a reader.
  ///
  /// - Parameters:
  ///   - epoch: The epoch counter, read before and again after.
  ///   - arrival: ``arrival``, or 1 for a reader that is not to be counted.
  /// - Returns: The counter to ``leave(_:)`` again, and how many readers are in it now.
  @inlinable
  package func enter(_ epoch: borrowing Atomic<UInt>, _ arrival: UInt) -> (
    counter: Int, inside: UInt
  ) {
    let cell = Self.ownCell &* Self.stride
    while true {
      let seen = epoch.load(ordering: .sequentiallyConsistent)
      let counter = cell &+ Epochs.row(of: seen)
      let sum = words.add(arrival, at: counter)
      if epoch.load(ordering: .sequentiallyConsistent) == seen {
        return (counter, sum & Self.insideMask)
      }
      words.add(0 &- arrival, at: counter)
    }
  }

  /// Takes a reader's announcement back.
  ///
  /// - Parameter counter: What ``enter(_:_:)`` returned.
  @inlinable
  package func leave(_ counter: Int) { words.add(0 &- 1, at: counter) }

  /// Takes back an announcement that is not to be counted after all.
  ///
  /// - Parameter counter: What ``enter(_:_:)`` returned.
  package func abandon(_ counter: Int) { words.add(0 &- Self.arrival, at: counter) }

  /// The calling thread's cell.
  ///
  /// Stacks lie half a megabyte (Darwin's workers) or eight megabytes (Linux) apart, so folding both
  /// distances into the low bits gives threads born in a row different cells.
  @inlinable
  static var ownCell: Int {
    var probe: UInt8 = 0
    let address = unsafe withUnsafePointer(to: &probe) { UInt(bitPattern: $0) }  // Reason: number.
    return Int(((address >> 19) ^ (address >> 23)) & UInt(cellCount - 1))
  }

  /// Whether no reader is announced in a row.
  ///
  /// Reads the cells one after the other. A reader that will stay is in one cell from its arrival to
  /// its departure, and new ones go to other rows, so a cell once seen empty stays without such readers.
  package func isEmpty(row: Int) -> Bool {
    for cell in 0..<Self.cellCount where words[cell &* Self.stride &+ row] & Self.insideMask != 0 {
      return false
    }
    return true
  }

  /// Whether no reader is announced at all.
  ///
  /// Looked at after an item was unlinked, a cell that is empty for one moment holds no reader that could
  /// have found the item: such a reader was in it from before the unlinking until it left.
  package var isEmpty: Bool {
    for cell in 0..<Self.cellCount {
      let place = cell &* Self.stride
      let inside = words[place] | words[place &+ 1] | words[place &+ 2] | words[place &+ 3]
      if inside & Self.insideMask != 0 { return false }
    }
    return true
  }

  /// How many readers have ever stayed; exact when none is arriving.
  package var arrivals: UInt {
    sum(cells: 0..<Self.cellCount) { $0 >> 20 }
  }

  /// The number of readers that have ever stayed, if the calling one is the only one inside.
  ///
  /// Exact if the answer is the same twice: then no reader has arrived meanwhile.
  package var arrivalsIfAlone: UInt? {
    var (sum, inside): (UInt, UInt) = (0, 0)
    for cell in 0..<Self.cellCount {
      for row in 0..<Int(Epochs.rowCount) {
        let word = words[cell &* Self.stride &+ row]
        inside &+= word & Self.insideMask
        sum &+= word >> 20
      }
      if inside > 1 { return nil }
    }
    return sum
  }

  /// How many readers are inside now in the calling thread's cell: at least this thread's own.
  package var insideOwnCell: UInt {
    sum(cells: Self.ownCell..<Self.ownCell + 1) { $0 & Self.insideMask }
  }

  private func sum(cells: Range<Int>, _ part: (UInt) -> UInt) -> UInt {
    var sum: UInt = 0
    for cell in cells {
      for row in 0..<Int(Epochs.rowCount) { sum &+= part(words[cell * Self.stride + row]) }
    }
    return sum
  }
}
