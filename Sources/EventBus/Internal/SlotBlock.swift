/// A fixed number of slots that are filled from the front and never moved.
///
/// Readers take the count once and walk that many slots without a lock; a slot holds the address of an
/// observer, or zero once it was removed. A writer, one at a time, fills the next slot and then
/// publishes the count, so what is added during a walk lies beyond its end.
@usableFromInline
package struct SlotBlock: Sendable {
  /// The count, the capacity, then the slots.
  @usableFromInline
  internal let words: AtomicWords

  /// Allocates empty slots.
  package init(capacity: Int) {
    words = AtomicWords(count: capacity + 2)
    words.store(UInt(capacity), at: 1)
  }

  /// Takes up the block whose ``address`` was kept, or nothing for zero.
  @inlinable
  package init?(address: UInt) {
    guard let words = AtomicWords(address: address) else { return nil }
    self.words = words
  }

  /// The address, to be kept in an atomic word.
  package var address: UInt { words.address }

  /// Frees the memory.
  ///
  /// What the slots refer to is not touched.
  package func deallocate() { words.deallocate() }

  /// How many slots have been filled, the emptied ones included.
  @inlinable
  package var count: Int { Int(words[0]) }

  /// How many slots there are.
  package var capacity: Int { Int(words[1]) }

  /// What a slot holds, or zero.
  ///
  /// - Parameter index: Below ``count``.
  @inlinable
  package subscript(index: Int) -> UInt { words[index &+ 2] }

  /// Fills the next slot and publishes it.
  ///
  /// Called with the list's lock held and room left.
  ///
  /// - Returns: The slot's index.
  package func append(_ word: UInt) -> Int {
    let index = count
    // Publication: a reader that sees the count sees the slot. Nothing is taken away, so no more order
    // is needed.
    words.publish(word, at: index + 2)
    words.publish(UInt(index + 1), at: 0)
    return index
  }

  /// Changes a filled slot, to zero for an empty one.
  ///
  /// Called with the list's lock held.
  package func replace(_ index: Int, by word: UInt) { words.store(word, at: index + 2) }
}
