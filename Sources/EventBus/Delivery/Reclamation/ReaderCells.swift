public import Synchronization

/// The rules of epoch-based reclamation, as arithmetic on plain numbers.
///
/// Readers walk the observers without a lock. Writers unlink observers, and must not free them while a
/// reader may still use them. Time is divided into *epochs*:
///
/// - A reader announces itself in the row of the epoch it read, then reads the epoch again. If the epoch
///   has advanced meanwhile, the reader withdraws its announcement and retries.
/// - A writer unlinks an item, then stamps it with the epoch it reads *after* the unlinking.
/// - The epoch may advance from *e* to *e* + 1 when no reader is announced for *e* − 1.
/// - An item stamped *t* may be freed at epoch *t* + 2.
///
/// Why this is safe: A reader announced for *r* saw the epoch *r* after its announcement was visible. If
/// *r* > *t*, the epoch passed *t* before the reader loaded its first pointer, so the unlinking, which
/// precedes the stamp, was visible to it: it cannot hold the item. If *r* ≤ *t*, the epoch cannot have
/// reached *t* + 2 while the reader is inside, because the step from *r* + 1 to *r* + 2 requires row *r* to
/// be empty. So at *t* + 2 no reader holds the item. Every access named here is sequentially consistent;
/// the argument relies on their single total order.
///
/// If a scan of the cells after the unlinking finds no reader at all, the item may be freed at once,
/// whatever the epoch: a reader that holds it stays in its cell until it leaves.
///
/// Three rows would suffice, since at epoch *e* only rows *e* and *e* − 1 can hold readers that stay; there
/// are four because a mask is cheaper than a remainder.
///
/// The scheme is that of K. Fraser, "Practical lock-freedom", 2004, section 5.2.3, with counted rows
/// instead of a list of threads.
@usableFromInline
package enum Epochs: Sendable {
  /// The number of rows.
  @usableFromInline
  package static let rowCount: UInt = 4

  /// The row in which a reader of this epoch announces itself.
  @inlinable
  package static func row(of epoch: UInt) -> Int { Int(epoch & (rowCount - 1)) }

  /// The row that must be empty before this epoch may advance.
  @inlinable
  package static func rowHoldingBack(_ epoch: UInt) -> Int { row(of: epoch &- 1) }

  /// Returns whether no reader can hold an item any more.
  ///
  /// - Parameters:
  ///   - stamp: The epoch, read after the item was unlinked.
  ///   - epoch: The current epoch.
  /// - Returns: `true` from two epochs after the stamp.
  @inlinable
  package static func mayFree(stamped stamp: UInt, at epoch: UInt) -> Bool { epoch >= stamp &+ 2 }
}

/// The counters in which readers announce themselves: one row per epoch, spread over padded cells.
///
/// A thread uses the cell that its stack address maps to, so two processors rarely share a cache line. The
/// choice affects speed only; a reader leaves the same counter that it entered. A counter holds two
/// numbers: the readers inside (low bits) and all readers that ever entered (high bits). One addition thus
/// announces a reader and counts it.
///
/// Allocated with the first observer, never moved, freed with its owner.
@usableFromInline
package struct ReaderCells: Sendable {
  /// One reader inside, and one more that ever entered.
  @inlinable
  package static var arrival: UInt { (1 << 20) | 1 }
  /// The bits that count the readers inside; 1,048,575 at most, nested calls included.
  @usableFromInline
  package static let insideMask: UInt = (1 << 20) - 1

  @usableFromInline
  static let cellCount = 8
  /// The number of counters from one cell to the next: 64 bytes, a cache line.
  @usableFromInline
  static let stride = 8

  @usableFromInline
  let words: AtomicWords

  /// Allocates zeroed counters.
  package init() {
    words = AtomicWords(count: Self.cellCount * Self.stride, alignment: 64)
  }

  /// Restores the counters from their ``address``; `nil` for zero.
  @inlinable
  package init?(address: UInt) {
    guard let words = AtomicWords(address: address) else { return nil }
    self.words = words
  }

  /// The address, for storage in an atomic word.
  package var address: UInt { words.address }

  /// Frees the counters.
  package func deallocate() { words.deallocate() }

  /// Announces a reader.
  ///
  /// - Parameters:
  ///   - epoch: The epoch counter, read before and after the announcement.
  ///   - arrival: ``arrival``, or 1 for a reader that is not counted.
  /// - Returns: The counter to pass to ``leave(_:)``, and the number of readers in it now.
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

  /// Withdraws a reader's announcement.
  ///
  /// - Parameter counter: The counter that ``enter(_:_:)`` returned.
  @inlinable
  package func leave(_ counter: Int) { words.add(0 &- 1, at: counter) }

  /// Withdraws an announcement and its count.
  ///
  /// - Parameter counter: The counter that ``enter(_:_:)`` returned.
  package func abandon(_ counter: Int) { words.add(0 &- Self.arrival, at: counter) }

  /// The calling thread's cell.
  ///
  /// Stacks lie half a megabyte (Darwin's workers) or eight megabytes (Linux) apart, so folding both
  /// distances into the low bits gives threads created in succession different cells.
  @inlinable
  static var ownCell: Int {
    var probe: UInt8 = 0
    let address = unsafe withUnsafePointer(to: &probe) { UInt(bitPattern: $0) }  // Reason: number.
    return Int(((address >> 19) ^ (address >> 23)) & UInt(cellCount - 1))
  }

  /// Returns whether a row contains no reader.
  ///
  /// Reads the cells one after the other. A reader that stays is in one cell from its arrival to its
  /// departure, and new readers enter other rows, so a cell once seen empty remains without staying
  /// readers.
  package func isEmpty(row: Int) -> Bool {
    for cell in 0..<Self.cellCount where words[cell &* Self.stride &+ row] & Self.insideMask != 0 {
      return false
    }
    return true
  }

  /// A Boolean value that indicates whether no reader is announced at all.
  ///
  /// When read after an item was unlinked, a cell that is empty at any moment holds no reader that could
  /// have found the item: such a reader would be in its cell from before the unlinking until it left.
  package var isEmpty: Bool {
    for cell in 0..<Self.cellCount {
      let place = cell &* Self.stride
      let inside = words[place] | words[place &+ 1] | words[place &+ 2] | words[place &+ 3]
      if inside & Self.insideMask != 0 { return false }
    }
    return true
  }

  /// The number of readers that have ever stayed; exact while none is arriving.
  package var arrivals: UInt {
    sum(cells: 0..<Self.cellCount) { $0 >> 20 }
  }

  /// The number of readers that have ever stayed, if the caller is the only one inside.
  ///
  /// Exact if two reads agree: then no reader arrived between them.
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

  /// The number of readers inside the calling thread's cell, at least its own.
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
