public import Synchronization

/// Readers that announce themselves, and what is freed when they have left.
///
/// The rules are in ``Epochs`` and ``Limbo``; this is the shell with the memory and the lock. Reading
/// takes two atomic additions and no lock. One domain serves one signal, so that a slow handler delays
/// the reclamation of its own signal only.
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
  internal let epoch = Atomic<UInt>(Epochs.rowCount)
  @usableFromInline
  internal let pending = Atomic<Bool>(false)
  @usableFromInline
  internal let cells = Atomic<UInt>(0)
  private let limbo = Locked(Limbo<Retired>())

  /// Creates a domain without readers or waiting items.
  ///
  /// It allocates its counters in ``prepare()``.
  package init() {}

  deinit {
    // Nobody reads any more: the owner is being destroyed.
    let rest = limbo.withLock { $0.takeFree(at: .max) }
    for item in rest { item.free() }
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
    let (items, stamp) = limbo.withLock { limbo in
      let stamp = epoch.load(ordering: .sequentiallyConsistent)
      unlinked.forEach { limbo.append($0, stamped: stamp) }
      pending.store(true, ordering: .sequentiallyConsistent)
      return (takeFree(&limbo), stamp)
    }
    for item in items { item.free() }
    return stamp
  }

  /// The epoch that something would be stamped with now; zero if it would be freed at once.
  package var stamp: UInt { isEmpty ? 0 : epoch.load(ordering: .sequentiallyConsistent) }

  /// Frees an item together with what was retired with a stamp: now, if that has been freed.
  package func call(_ item: Retired, whenFree stamp: UInt) {
    let items = limbo.withLock { limbo in
      limbo.append(item, stamped: stamp)
      pending.store(true, ordering: .sequentiallyConsistent)
      return takeFree(&limbo)
    }
    for item in items { item.free() }
  }

  private var isEmpty: Bool {
    ReaderCells(address: cells.load(ordering: .acquiring))?.isEmpty ?? true
  }

  /// Frees what nobody can hold any more.
  @usableFromInline
  package func sweep() {
    let items = limbo.withLock { limbo in takeFree(&limbo) }
    for item in items { item.free() }
  }

  /// How many things wait for readers to leave.
  package var waitingCount: Int { limbo.withLock { $0.count } }

  /// The number of readers that have ever entered, if the calling one is the only one inside.
  package var arrivalsIfAlone: UInt? {
    ReaderCells(address: cells.load(ordering: .acquiring))?.arrivalsIfAlone
  }

  /// How many readers have ever entered; exact when none is arriving.
  package var arrivals: UInt {
    ReaderCells(address: cells.load(ordering: .acquiring))?.arrivals ?? 0
  }

  /// Two steps are enough: what was stamped with the present epoch is free two epochs on.
  private borrowing func takeFree(_ limbo: inout Limbo<Retired>) -> [Retired] {
    if advance() { _ = advance() }
    let items = limbo.takeFree(at: epoch.load(ordering: .sequentiallyConsistent))
    if limbo.isEmpty { pending.store(false, ordering: .sequentiallyConsistent) }
    return items
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
