public import Synchronization

/// The view of an observer list for readers: two words that lead to its slots.
///
/// Changed only under the list's lock, and read only by announced readers.
@usableFromInline
package struct PublishedLanes: ~Copyable, Sendable {
  /// The block of the only lane, or of one lane while the list is split; zero when there is none.
  @usableFromInline
  let sole = Atomic<UInt>(0)
  /// A block whose slots alternate between a priority and the block of its lane, highest priority first.
  let table = Atomic<UInt>(0)
  /// The number of linked observers.
  @usableFromInline
  package let live = Atomic<Int>(0)

  /// A view without observers.
  package init() {}

  /// Changes the number of observers.
  ///
  /// Called with the list's lock held.
  package borrowing func changeLive(by change: Int) {
    live.store(live.load(ordering: .relaxed) + change, ordering: .releasing)
  }

  /// Calls a closure with every linked observer, by priority and number.
  ///
  /// For announced readers only.
  package borrowing func forEach(_ body: (AnyObserver, _ priority: Int) -> Void) {
    var walk = ObserverWalk(self)
    while walk.address != 0 {
      let priority = walk.priority
      AnyObserver.borrow(walk.address) { body($0, priority) }
      walk.advance()
    }
  }
}

/// A fixed number of slots that are filled from the front and never moved.
///
/// Readers load the count once and walk that many slots without a lock. A slot holds the address of an
/// observer, or zero after its removal. A single writer fills the next slot and then publishes the count,
/// so observers added during a walk lie beyond its end.
@usableFromInline
package struct SlotBlock: Sendable {
  /// The count and the capacity, followed by the slots.
  @usableFromInline
  let words: AtomicWords

  /// Allocates empty slots.
  package init(capacity: Int) {
    words = AtomicWords(count: capacity + 2)
    words.store(UInt(capacity), at: 1)
  }

  /// Restores the block from its ``address``; `nil` for zero.
  @inlinable
  package init?(address: UInt) {
    guard let words = AtomicWords(address: address) else { return nil }
    self.words = words
  }

  /// The address, for storage in an atomic word.
  package var address: UInt { words.address }

  /// Frees the memory.
  ///
  /// The objects in the slots are not affected.
  package func deallocate() { words.deallocate() }

  /// The number of filled slots, including emptied ones.
  @inlinable
  package var count: Int { Int(words[0]) }

  /// The number of slots.
  package var capacity: Int { Int(words[1]) }

  /// The word in a slot, or zero if it was emptied.
  ///
  /// - Parameter index: A number below ``count``.
  @inlinable
  package subscript(index: Int) -> UInt { words[index &+ 2] }

  /// Fills the next slot and publishes it.
  ///
  /// Called with the list's lock held and at least one slot free.
  ///
  /// - Returns: The slot's index.
  package func append(_ word: UInt) -> Int {
    let index = count
    // Publication: a reader that sees the count sees the slot. Nothing is removed, so no stronger order is
    // needed.
    words.publish(word, at: index + 2)
    words.publish(UInt(index + 1), at: 0)
    return index
  }

  /// Changes a filled slot; zero empties it.
  ///
  /// Called with the list's lock held.
  package func replace(_ index: Int, by word: UInt) { words.store(word, at: index + 2) }
}
