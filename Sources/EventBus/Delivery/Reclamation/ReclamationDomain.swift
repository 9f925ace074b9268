public import Synchronization

/// Tracks readers, and frees unlinked items once no reader can hold them.
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
/// If a scan of the counters after the unlinking finds no reader at all, the item may be freed at once,
/// whatever the epoch: a reader that holds it stays in its counter until it leaves.
///
/// Three rows would suffice, since at epoch *e* only rows *e* and *e* − 1 can hold readers that stay; there
/// are four because a mask is cheaper than a remainder.
///
/// The scheme is that of K. Fraser, "Practical lock-freedom", 2004, section 5.2.3, with counted rows
/// instead of a list of threads.
///
/// **Cost.** A visit takes two atomic additions and no lock. Each signal has a domain of its own, so a slow
/// handler delays the reclamation of its own signal only.
///
/// **Bound.** With no reader inside nothing waits: ``retire(_:)`` frees before it returns. Otherwise let
/// *R* be the oldest reader inside, and *Q* the oldest reader that was inside when *R* arrived, *R* itself
/// if there was no other. Everything that waits was unlinked after *Q* arrived. Proof: let *X* be unlinked
/// before, with the stamp *t*. The readers inside at that moment had left when *R* arrived, or *Q* would
/// not be the oldest. With the last of them row *t* − 1 was empty and the epoch left *t*; so *R*, and every
/// reader inside now, is in a later row than *t*. The departure that emptied row *t* has freed *X*.
///
/// No sweep is lost: a writer sets ``pending`` *before* it looks for readers, and a reader checks it
/// *after* it left. So either the writer saw the reader gone, or the reader sees the flag.
///
/// **Counters.** Readers announce themselves in counters: one row per epoch, spread over padded cells. A
/// thread uses the cell that its stack address maps to, so two processors rarely share a cache line. The
/// choice affects only speed; a reader leaves the counter that it entered. The counters are allocated with the
/// first observer, never moved, and freed with the domain.
@usableFromInline
package struct ReclamationDomain: ~Copyable, Sendable {
  /// The number of rows.
  @inlinable static var rowCount: UInt { 4 }
  @inlinable static var cellCount: Int { 8 }
  /// The number of counters from one cell to the next: 64 bytes, a cache line.
  @inlinable static var stride: Int { 64 / MemoryLayout<UInt>.size }

  @usableFromInline
  let epoch = Atomic<UInt>(Self.rowCount)
  /// Set while items or latches are waiting.
  @usableFromInline
  let pending = Atomic<Bool>(false)
  /// The address of the counters; zero until the first observer is about to be published.
  @usableFromInline
  let counters = Atomic<UInt>(0)
  private let waiting = Locked(RetiredItems<UInt>())

  /// Creates a domain without readers or waiting items.
  ///
  /// The counters are allocated by ``prepare()``.
  package init() {}

  deinit {
    // No reader is left: the owner is being destroyed.
    Self.release(waiting.withLock { $0.takeFree(at: .max) })
    cells?.deallocate()
  }

  /// Allocates the counters.
  ///
  /// Called under the owner's lock, before the first observer is published.
  package func prepare() {
    guard counters.load(ordering: .relaxed) == 0 else { return }
    // With the header, the rows of a cell lie in one cache line.
    let count = (Self.cellCount - 1) * Self.stride + Int(Self.rowCount)
    let cells = AtomicWords(zeroes: count, alignment: 64)
    counters.store(cells.address, ordering: .sequentiallyConsistent)
  }

  /// Announces a reader.
  ///
  /// - Returns: The visit to pass to ``leave(_:)``, or `nil` if no observer has ever been published.
  /// - Complexity: O(1), two sequentially consistent additions for a whole visit. No lock, no allocation.
  @inlinable
  package func enter() -> Visit? {
    guard let cells else { return nil }
    let cell = Self.ownCell &* Self.stride
    while true {
      let seen = epoch.load(ordering: .sequentiallyConsistent)
      let counter = cell &+ Self.row(of: seen)
      cells.add(1, at: counter)
      if epoch.load(ordering: .sequentiallyConsistent) == seen {
        return Visit(cells: cells, counter: counter)
      }
      cells.add(0 &- 1, at: counter)
    }
  }

  /// Ends a reader's visit and frees the items that waited for it.
  ///
  /// Call it without holding a lock: freeing may run arbitrary code.
  @inlinable
  package func leave(_ visit: Visit) {
    visit.cells.add(0 &- 1, at: visit.counter)
    if pending.load(ordering: .sequentiallyConsistent) { sweep() }
  }

  /// Frees unlinked items as soon as no reader can hold them: immediately, when no reader is inside.
  ///
  /// - Parameter unlinked: The items, unlinked before this call.
  /// - Returns: The epoch they were stamped with; zero if they were freed immediately.
  @discardableResult
  package func retire(_ unlinked: UnlinkedItems) -> UInt {
    if unlinked.isEmpty { return 0 }
    // Without readers this takes no lock and leaves the epoch alone: each cell in turn is empty.
    if isEmpty {
      unlinked.forEach(UnlinkedItems.free)
      return 0
    }
    let (free, stamp) = waiting.withLock { waiting in
      let stamp = epoch.load(ordering: .sequentiallyConsistent)
      unlinked.forEach { waiting.append($0, stamped: stamp) }
      pending.store(true, ordering: .sequentiallyConsistent)
      return (takeFree(&waiting), stamp)
    }
    Self.release(free)
    return stamp
  }

  /// The stamp an item would get now; zero if it would be freed immediately.
  package var stamp: UInt { isEmpty ? 0 : epoch.load(ordering: .sequentiallyConsistent) }

  /// Returns the latch that opens when the items with a stamp have been freed, open already if they have
  /// been.
  ///
  /// - Complexity: O(1), however many tasks wait.
  package func latch(stamped stamp: UInt) -> Latch {
    let (free, latch) = waiting.withLock { waiting in
      let latch = waiting.latch(stamped: stamp)
      pending.store(true, ordering: .sequentiallyConsistent)
      return (takeFree(&waiting), latch)
    }
    Self.release(free)
    return latch
  }

  /// Frees the items that no reader can hold any more.
  @usableFromInline
  package func sweep() {
    Self.release(waiting.withLock { takeFree(&$0) })
  }

  /// The number of items and latches that wait for readers to leave.
  package var waitingCount: Int { waiting.withLock { $0.count } }

  /// Stops the program if items wait that need not, or ``pending`` is wrong.
  ///
  /// Called while no other thread uses the domain.
  package func _checkInvariants() {
    waiting.withLock { waiting in
      waiting._checkInvariants(at: epoch.load(ordering: .sequentiallyConsistent))
      assert(
        pending.load(ordering: .sequentiallyConsistent) == !waiting.isEmpty,
        "departing readers would not free the waiting items, or look for items in vain"
      )
      assert(waiting.isEmpty || !isEmpty, "items wait although no reader is inside")
    }
  }

  /// Frees the items, then opens the latches.
  ///
  /// Call it without holding a lock: freeing may run arbitrary code.
  private static func release(_ free: (items: [UInt], latches: [Latch])) {
    free.items.forEach(UnlinkedItems.free)
    for latch in free.latches { latch.open() }
  }

  /// Two steps are enough: an item stamped with the current epoch is free two epochs later.
  private borrowing func takeFree(
    _ waiting: inout RetiredItems<UInt>
  ) -> (items: [UInt], latches: [Latch]) {
    if advance() { _ = advance() }
    let free = waiting.takeFree(at: epoch.load(ordering: .sequentiallyConsistent))
    if waiting.isEmpty { pending.store(false, ordering: .sequentiallyConsistent) }
    return free
  }

  /// Advances the epoch if the rules allow it.
  ///
  /// Called with the lock held.
  private borrowing func advance() -> Bool {
    let now = epoch.load(ordering: .sequentiallyConsistent)
    guard isEmpty(row: Self.rowHoldingBack(now)) else { return false }
    epoch.store(now &+ 1, ordering: .sequentiallyConsistent)
    return true
  }
}

extension ReclamationDomain {
  /// The row in which a reader of this epoch announces itself.
  @inlinable
  package static func row(of epoch: UInt) -> Int { Int(epoch & (rowCount - 1)) }

  /// The row that must be empty before this epoch may advance.
  package static func rowHoldingBack(_ epoch: UInt) -> Int { row(of: epoch &- 1) }

  /// The counters, or `nil` before ``prepare()``.
  @inlinable var cells: AtomicWords? { AtomicWords(address: counters.load(ordering: .acquiring)) }

  /// The calling thread's cell.
  ///
  /// Stacks lie half a megabyte (Darwin's workers) or eight megabytes (Linux) apart, so folding both
  /// distances into the low bits gives threads created in succession different cells. A deep stack may span
  /// two cells: on Darwin, where guard pages shift the stacks, and on main threads.
  @inlinable static var ownCell: Int {
    var probe: UInt8 = 0
    let address = unsafe withUnsafePointer(to: &probe) { UInt(bitPattern: $0) }  // Reason: number.
    return Int(((address >> 19) ^ (address >> 23)) & UInt(cellCount - 1))
  }

  /// The number of readers that are inside.
  package var insideCount: Int {
    guard let cells else { return 0 }
    return (0..<Self.cellCount).reduce(0) { $0 + Int(Self.inside(cells, $1)) }
  }

  /// A Boolean value that indicates whether no reader is announced at all.
  ///
  /// When read after an item was unlinked, a cell that is empty at any moment holds no reader that could
  /// have found the item: such a reader would be in its cell from before the unlinking until it left.
  private var isEmpty: Bool {
    guard let cells else { return true }
    return (0..<Self.cellCount).allSatisfy { Self.inside(cells, $0) == 0 }
  }

  /// Returns whether a row contains no reader.
  ///
  /// Reads the cells one after the other. A reader that stays is in one cell from its arrival to its
  /// departure, and new readers enter other rows, so a cell once seen empty remains without staying
  /// readers.
  private func isEmpty(row: Int) -> Bool {
    guard let cells else { return true }
    return (0..<Self.cellCount).allSatisfy { cells[$0 &* Self.stride &+ row] == 0 }
  }

  /// Returns the number of readers inside a cell.
  private static func inside(_ cells: AtomicWords, _ cell: Int) -> UInt {
    (0..<Int(rowCount)).reduce(0) { $0 &+ cells[cell &* stride &+ $1] }
  }
}

/// A reader's stay in a reclamation domain.
@usableFromInline
package struct Visit {
  @usableFromInline
  let cells: AtomicWords
  @usableFromInline
  let counter: Int

  @inlinable
  init(cells: AtomicWords, counter: Int) {
    self.cells = cells
    self.counter = counter
  }
}

@available(*, unavailable)
extension Visit: Sendable {}
