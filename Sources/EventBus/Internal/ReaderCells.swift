public import Synchronization

/// The counters in which readers announce themselves: one row per epoch, spread over padded cells.
///
/// A thread uses the cell its stack falls into, so that two processors seldom share a cache line; the
/// choice only affects speed, and a reader leaves the very counter it entered. A counter holds two
/// numbers: how many readers are inside (low bits) and how many have ever entered (high bits), so that
/// one addition announces a reader and counts it.
///
/// Allocated with the first observer, never moved, freed with its owner.
@safe @usableFromInline
package struct ReaderCells: @unchecked Sendable {  // Reason: atomic counters, never moved.
  /// One reader inside, one more ever entered.
  @usableFromInline
  package static let arrival: UInt = (1 << 20) | 1
  /// The bits that say how many readers are inside; 1,048,575 at most, nested calls included.
  @usableFromInline
  package static let insideMask: UInt = (1 << 20) - 1

  @usableFromInline
  internal static let cellCount = 16
  /// Counters from one cell to the next: 64 bytes, a cache line.
  @usableFromInline
  internal static let stride = 8

  @usableFromInline
  internal let base: UnsafeMutablePointer<Atomic<UInt>>

  /// Allocates counters, all zero.
  package init() {
    let count = Self.cellCount * Self.stride
    let raw = UnsafeMutableRawPointer.allocate(
      byteCount: count * MemoryLayout<Atomic<UInt>>.stride,
      alignment: 64
    )
    unsafe base = raw.bindMemory(to: Atomic<UInt>.self, capacity: count)  // Reason: just allocated.
    for index in 0..<count {
      unsafe (base + index).initialize(to: Atomic(0))  // Reason: within the allocation.
    }
  }

  /// Takes up the counters whose ``address`` was kept.
  @inlinable
  package init?(address: UInt) {
    guard let pointer = unsafe UnsafeMutablePointer<Atomic<UInt>>(bitPattern: address) else {
      return nil
    }  // Reason: came from `address`.
    unsafe base = pointer  // Reason: as above.
  }

  /// The address, to be kept in an atomic word.
  package var address: UInt { unsafe UInt(bitPattern: base) }  // Reason: only a number.

  /// Frees the counters. Nobody may use them afterwards.
  package func deallocate() {
    unsafe base.deallocate()  // Reason: allocated in `init`; trivial contents.
  }

  /// Announces a reader.
  ///
  /// - Parameter epoch: The epoch counter, read before and again after.
  /// - Returns: The address of the counter to leave again.
  @inlinable
  package func enter(_ epoch: borrowing Atomic<UInt>) -> UInt {
    let cell = unsafe ownCell  // Reason: lives as long as these counters.
    while true {
      let seen = epoch.load(ordering: .sequentiallyConsistent)
      let counter = unsafe cell + Epochs.row(of: seen)  // Reason: a cell has room for all rows.
      unsafe counter.pointee.wrappingAdd(Self.arrival, ordering: .sequentiallyConsistent)  // Reason: as above.
      if epoch.load(ordering: .sequentiallyConsistent) == seen {
        return UInt(bitPattern: counter)
      }
      unsafe counter.pointee.wrappingSubtract(Self.arrival, ordering: .sequentiallyConsistent)  // Reason: as above.
    }
  }

  /// Takes a reader's announcement back.
  ///
  /// - Parameter counter: What ``enter(_:)`` returned.
  @inlinable
  package static func leave(_ counter: UInt) {
    guard let pointer = unsafe UnsafeMutablePointer<Atomic<UInt>>(bitPattern: counter) else {
      return
    }  // Reason: from `enter`.
    unsafe pointer.pointee.wrappingSubtract(1, ordering: .sequentiallyConsistent)  // Reason: as above.
  }

  /// The calling thread's cell.
  @inlinable
  internal var ownCell: UnsafeMutablePointer<Atomic<UInt>> {
    // Stacks lie half a megabyte (Darwin's workers) or eight megabytes (Linux) apart, so folding both
    // distances into the low bits gives threads born in a row different cells.
    var probe: UInt8 = 0
    let address = unsafe withUnsafeMutablePointer(to: &probe) { UInt(bitPattern: $0) } >> 19  // Reason: only a number.
    let cell = Int((address ^ (address >> 4)) & UInt(Self.cellCount - 1))
    return unsafe base + cell &* Self.stride  // Reason: `cell` is below `cellCount`.
  }

  /// Whether no reader is announced in a row.
  ///
  /// Reads the cells one after the other. A reader that will stay is in one cell from its arrival to
  /// its departure, and new ones go to other rows, so a cell once seen empty stays without such readers.
  package func isEmpty(row: Int) -> Bool {
    for cell in 0..<Self.cellCount {
      let value = unsafe base[cell &* Self.stride &+ row].load(ordering: .sequentiallyConsistent)  // Reason: within the allocation.
      if value & Self.insideMask != 0 { return false }
    }
    return true
  }

  /// How many readers have ever stayed; exact when none is arriving.
  package var arrivals: UInt {
    var sum: UInt = 0
    for cell in 0..<Self.cellCount {
      for row in 0..<Int(Epochs.rowCount) {
        sum &+= unsafe base[cell &* Self.stride &+ row].load(ordering: .relaxed) >> 20  // Reason: within the allocation.
      }
    }
    return sum
  }

  /// How many readers are inside now in the calling thread's cell: at least this thread's own.
  package var insideOwnCell: UInt {
    var sum: UInt = 0
    for row in 0..<Int(Epochs.rowCount) {
      sum &+= unsafe ownCell[row].load(ordering: .relaxed) & Self.insideMask  // Reason: within the cell.
    }
    return sum
  }
}
