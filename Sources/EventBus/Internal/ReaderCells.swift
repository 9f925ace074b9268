public import Synchronization

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
  internal static let cellCount = 8
  /// Counters from one cell to the next: 64 bytes, a cache line.
  @usableFromInline
  internal static let stride = 8

  @usableFromInline
  internal let words: AtomicWords

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
  internal static var ownCell: Int {
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
