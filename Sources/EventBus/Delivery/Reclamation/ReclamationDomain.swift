public import Synchronization

/// Readers that announce themselves, and what is freed when they have left.
///
/// The rules are in ``Epochs``, ``Limbo`` and ``Fences``; this is the shell with the memory and the lock.
/// Reading takes two atomic additions and no lock. One domain serves one signal, so that a slow handler
/// delays the reclamation of its own signal only.
///
/// **Bound.** With no reader inside nothing waits: ``retire(_:)`` frees before it returns. Otherwise let
/// *R* be the oldest reader inside, and *Q* the oldest reader that was inside when *R* arrived, *R* itself
/// if there was no other. Everything that waits was unlinked after *Q* arrived. Proof: let *X* be unlinked
/// before, with the stamp *t*. The readers inside at that moment had left when *R* arrived, or *Q* would
/// not be the oldest. With the last of them row *t* − 1 was empty and the epoch left *t*; so *R*, and
/// everyone inside now, is in a later row than *t*. The leaving that emptied row *t* has freed *X*.
///
/// No sweep is
/// lost: a writer raises ``pending`` *before* it looks for readers, and a reader looks at it *after* it
/// left, so that either the writer saw the reader gone or the reader sees the flag.
@usableFromInline
package struct ReclamationDomain: ~Copyable, Sendable {
  @usableFromInline
  let epoch = Atomic<UInt>(Epochs.rowCount)
  @usableFromInline
  let pending = Atomic<Bool>(false)
  @usableFromInline
  let cells = Atomic<UInt>(0)
  private let waiting = Locked(Unlinked())

  /// Creates a domain without readers or waiting items.
  ///
  /// It allocates its counters in ``prepare()``.
  package init() {}

  deinit {
    // Nobody reads any more: the owner is being destroyed.
    waiting.withLock { $0.takeFree(at: .max) }.release()
    ReaderCells(address: cells.load(ordering: .acquiring))?.deallocate()
  }

  /// Allocates the counters; called under the owner's lock before the first observer is published.
  package func prepare() {
    guard cells.load(ordering: .relaxed) == 0 else { return }
    cells.store(ReaderCells().address, ordering: .sequentiallyConsistent)
  }

  /// Announces a reader.
  ///
  /// - Parameter isPost: Whether the visit counts among the ``arrivals``.
  /// - Returns: What to give to ``leave(_:)``, or `nil` when there has never been anything to read.
  /// - Complexity: O(1), two sequentially consistent additions for a whole visit. No lock, no allocation.
  @inlinable
  package func enter(isPost: Bool = true) -> Visit? {
    guard let cells = ReaderCells(address: cells.load(ordering: .acquiring)) else { return nil }
    let place = cells.enter(epoch, isPost ? ReaderCells.arrival : 1)
    return Visit(cells: cells, counter: place.counter, inside: place.inside)
  }

  /// Ends a reader's visit and frees what waited for it.
  ///
  /// Called under no lock: what is freed may run code of anybody.
  @inlinable
  package func leave(_ visit: Visit) {
    visit.cells.leave(visit.counter)
    if pending.load(ordering: .sequentiallyConsistent) { sweep() }
  }

  /// Ends a visit that is not to be counted after all, and in which nothing was read.
  package func abandon(_ visit: Visit) {
    visit.cells.abandon(visit.counter)
    if pending.load(ordering: .sequentiallyConsistent) { sweep() }
  }

  /// How many readers are inside now in the calling thread's cell: at least this thread's own.
  package var insideOwnCell: UInt {
    ReaderCells(address: cells.load(ordering: .acquiring))?.insideOwnCell ?? 0
  }

  /// Frees unlinked things as soon as nobody can hold them: now, when no reader is inside.
  ///
  /// - Parameter retirees: What was unlinked before this call.
  /// - Returns: The epoch they were stamped with; zero if they were freed at once.
  @discardableResult
  package func retire(_ retirees: consuming Retirees) -> UInt {
    guard !retirees.isEmpty else { return 0 }
    // The usual case takes no lock and leaves the epoch alone: nobody is inside, cell by cell.
    if isEmpty {
      retirees.forEach { $0.free() }
      return 0
    }
    let unlinked = retirees
    let (free, stamp) = waiting.withLock { waiting in
      let stamp = epoch.load(ordering: .sequentiallyConsistent)
      unlinked.forEach { waiting.limbo.append($0, stamped: stamp) }
      pending.store(true, ordering: .sequentiallyConsistent)
      return (takeFree(&waiting), stamp)
    }
    free.release()
    return stamp
  }

  /// The epoch that something would be stamped with now; zero if it would be freed at once.
  package var stamp: UInt { isEmpty ? 0 : epoch.load(ordering: .sequentiallyConsistent) }

  /// The latch that is opened when what was retired with a stamp has been freed: now, if it has been.
  ///
  /// - Complexity: O(1), however many fences there are.
  package func fence(stamped stamp: UInt) -> Latch {
    let (free, latch) = waiting.withLock { waiting in
      let latch = waiting.fences.latch(stamped: stamp)
      pending.store(true, ordering: .sequentiallyConsistent)
      return (takeFree(&waiting), latch)
    }
    free.release()
    return latch
  }

  private var isEmpty: Bool {
    ReaderCells(address: cells.load(ordering: .acquiring))?.isEmpty ?? true
  }

  /// Frees what nobody can hold any more.
  @usableFromInline
  package func sweep() {
    waiting.withLock { takeFree(&$0) }.release()
  }

  /// How many things wait for readers to leave, fences included.
  package var waitingCount: Int { waiting.withLock { $0.count } }

  /// The number of readers that have ever entered, if the calling one is the only one inside.
  package var arrivalsIfAlone: UInt? {
    ReaderCells(address: cells.load(ordering: .acquiring))?.arrivalsIfAlone
  }

  /// How many readers have ever entered; exact when none is arriving.
  package var arrivals: UInt {
    ReaderCells(address: cells.load(ordering: .acquiring))?.arrivals ?? 0
  }

  /// Two steps are enough: what was stamped with the present epoch is free two epochs on.
  private borrowing func takeFree(_ waiting: inout Unlinked) -> Unlinked.Free {
    if advance() { _ = advance() }
    let free = waiting.takeFree(at: epoch.load(ordering: .sequentiallyConsistent))
    if waiting.isEmpty { pending.store(false, ordering: .sequentiallyConsistent) }
    return free
  }

  /// Moves the epoch on if the rules allow it.
  ///
  /// Called with the lock held.
  private borrowing func advance() -> Bool {
    guard let cells = ReaderCells(address: cells.load(ordering: .acquiring)) else { return true }
    let now = epoch.load(ordering: .sequentiallyConsistent)
    guard cells.isEmpty(row: Epochs.rowHoldingBack(now)) else { return false }
    epoch.store(now &+ 1, ordering: .sequentiallyConsistent)
    return true
  }
}

/// What was unlinked and may still be in somebody's hands, and who waits until it is not.
package struct Unlinked: Sendable {
  /// What no reader can hold any more.
  package struct Free: Sendable {
    fileprivate let items: [Retired]
    fileprivate let fences: [Latch]

    /// Frees the items, then opens the latches.
    ///
    /// Called under no lock: what is freed may run code of anybody.
    package func release() {
      for item in items { item.free() }
      for fence in fences { fence.open() }
    }
  }

  fileprivate var limbo = Limbo<Retired>()
  fileprivate var fences = Fences()

  fileprivate var isEmpty: Bool { limbo.isEmpty && fences.isEmpty }
  fileprivate var count: Int { limbo.count + fences.count }

  fileprivate mutating func takeFree(at epoch: UInt) -> Free {
    Free(items: limbo.takeFree(at: epoch), fences: fences.takeFree(at: epoch))
  }
}

/// One reader's stay in a reclamation domain.
@usableFromInline
package struct Visit {
  @usableFromInline
  let cells: ReaderCells
  @usableFromInline
  let counter: Int
  @usableFromInline
  let inside: UInt

  @inlinable
  init(cells: ReaderCells, counter: Int, inside: UInt) {
    self.cells = cells
    self.counter = counter
    self.inside = inside
  }

  /// Whether so many readers are in the same counter that posts may be nesting without end.
  @inlinable
  package var isCrowded: Bool { inside > 16 }
}

@available(*, unavailable)
extension Visit: Sendable {}
