public import Synchronization

/// Tracks readers, and frees retired items after they have left.
///
/// The rules are in ``Epochs``, ``Limbo`` and ``Fences``; this type adds the memory and the lock. Reading
/// takes two atomic additions and no lock. Each signal has a domain of its own, so a slow handler delays
/// the reclamation of its own signal only.
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
@usableFromInline
package struct ReclamationDomain: ~Copyable, Sendable {
  @usableFromInline
  let epoch = Atomic<UInt>(Epochs.rowCount)
  @usableFromInline
  let pending = Atomic<Bool>(false)
  @usableFromInline
  let cells = Atomic<UInt>(0)
  private let waiting = Locked(Unlinked())

  /// A domain without readers or waiting items.
  ///
  /// The counters are allocated by ``prepare()``.
  package init() {}

  deinit {
    // No reader is left: the owner is being destroyed.
    Self.release(waiting.withLock { $0.takeFree(at: .max) })
    ReaderCells(address: cells.load(ordering: .acquiring))?.deallocate()
  }

  /// Allocates the counters.
  ///
  /// Called under the owner's lock, before the first observer is published.
  package func prepare() {
    guard cells.load(ordering: .relaxed) == 0 else { return }
    cells.store(ReaderCells().address, ordering: .sequentiallyConsistent)
  }

  /// Announces a reader.
  ///
  /// - Parameter isPost: A Boolean value that indicates whether the visit counts among the ``arrivals``.
  /// - Returns: The visit to pass to ``leave(_:)``, or `nil` if no observer has ever been published.
  /// - Complexity: O(1), two sequentially consistent additions for a whole visit. No lock, no allocation.
  @inlinable
  package func enter(isPost: Bool = true) -> Visit? {
    guard let cells = ReaderCells(address: cells.load(ordering: .acquiring)) else { return nil }
    let place = cells.enter(epoch, isPost ? ReaderCells.arrival : 1)
    return Visit(cells: cells, counter: place.counter, inside: place.inside)
  }

  /// Ends a reader's visit and frees the items that waited for it.
  ///
  /// Call it without holding a lock: freeing may run arbitrary code.
  @inlinable
  package func leave(_ visit: Visit) {
    visit.cells.leave(visit.counter)
    if pending.load(ordering: .sequentiallyConsistent) { sweep() }
  }

  /// Ends a visit in which nothing was read, and removes it from the count.
  package func abandon(_ visit: Visit) {
    visit.cells.abandon(visit.counter)
    if pending.load(ordering: .sequentiallyConsistent) { sweep() }
  }

  /// The number of readers inside the calling thread's cell, at least its own.
  package var insideOwnCell: UInt {
    ReaderCells(address: cells.load(ordering: .acquiring))?.insideOwnCell ?? 0
  }

  /// Frees unlinked items as soon as no reader can hold them: immediately, when no reader is inside.
  ///
  /// - Parameter retirees: The items, unlinked before this call.
  /// - Returns: The epoch they were stamped with; zero if they were freed immediately.
  @discardableResult
  package func retire(_ retirees: consuming Retirees) -> UInt {
    guard !retirees.isEmpty else { return 0 }
    // The usual case takes no lock and leaves the epoch alone: each cell in turn is empty.
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
    Self.release(free)
    return stamp
  }

  /// The stamp an item would get now; zero if it would be freed immediately.
  package var stamp: UInt { isEmpty ? 0 : epoch.load(ordering: .sequentiallyConsistent) }

  /// The latch that opens when the items with a stamp have been freed, open already if they have been.
  ///
  /// - Complexity: O(1), however many fences there are.
  package func fence(stamped stamp: UInt) -> Latch {
    let (free, latch) = waiting.withLock { waiting in
      let latch = waiting.fences.latch(stamped: stamp)
      pending.store(true, ordering: .sequentiallyConsistent)
      return (takeFree(&waiting), latch)
    }
    Self.release(free)
    return latch
  }

  private var isEmpty: Bool {
    ReaderCells(address: cells.load(ordering: .acquiring))?.isEmpty ?? true
  }

  /// Frees the items that no reader can hold any more.
  @usableFromInline
  package func sweep() {
    Self.release(waiting.withLock { takeFree(&$0) })
  }

  /// Frees the items, then opens the latches.
  ///
  /// Call it without holding a lock: freeing may run arbitrary code.
  private static func release(_ free: Unlinked.Free) {
    for item in free.items { item.free() }
    for fence in free.fences { fence.open() }
  }

  /// The number of items and fences that wait for readers to leave.
  package var waitingCount: Int { waiting.withLock { $0.count } }

  /// The number of readers that have ever entered, if the caller is the only one inside.
  package var arrivalsIfAlone: UInt? {
    ReaderCells(address: cells.load(ordering: .acquiring))?.arrivalsIfAlone
  }

  /// The number of readers that have ever entered; exact while none is arriving.
  package var arrivals: UInt {
    ReaderCells(address: cells.load(ordering: .acquiring))?.arrivals ?? 0
  }

  /// Two steps are enough: an item stamped with the current epoch is free two epochs later.
  private borrowing func takeFree(_ waiting: inout Unlinked) -> Unlinked.Free {
    if advance() { _ = advance() }
    let free = waiting.takeFree(at: epoch.load(ordering: .sequentiallyConsistent))
    if waiting.isEmpty { pending.store(false, ordering: .sequentiallyConsistent) }
    return free
  }

  /// Advances the epoch if the rules allow it.
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

/// Retired items that a reader may still hold, and the fences that wait for them.
///
/// Not private, because the compiler of Swift 6.3 emits invalid code for clients of a noncopyable type that
/// stores a private one.
package struct Unlinked: Sendable {
  /// Items that no reader can hold any more, and the fences that wait for them.
  typealias Free = (items: [Retired], fences: [Latch])

  var limbo = Limbo<Retired>()
  var fences = Fences()

  var isEmpty: Bool { limbo.isEmpty && fences.isEmpty }
  var count: Int { limbo.count + fences.count }

  mutating func takeFree(at epoch: UInt) -> Free {
    (limbo.takeFree(at: epoch), fences.takeFree(at: epoch))
  }
}

/// A reader's stay in a reclamation domain.
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

  /// A Boolean value that indicates whether the counter holds so many readers that posts may be nesting
  /// without end.
  @inlinable
  package var isCrowded: Bool { inside > 16 }
}

@available(*, unavailable)
extension Visit: Sendable {}
