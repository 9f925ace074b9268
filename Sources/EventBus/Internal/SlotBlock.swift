public import Synchronization

/// A fixed number of slots that are filled from the front and never moved.
///
/// Readers take the count once and walk that many slots without a lock; a slot holds the address of an
/// observer, or zero once it was removed. A writer, one at a time, fills the next slot and then
/// publishes the count, so what is added during a walk lies beyond its end.
@safe @usableFromInline
package struct SlotBlock: @unchecked Sendable {  // Reason: atomic words; freed by reclamation only.
  /// The count, the capacity, then the slots.
  @usableFromInline
  internal let words: UnsafeMutablePointer<Atomic<UInt>>

  /// Allocates empty slots.
  package init(capacity: Int) {
    unsafe words = .allocate(capacity: capacity + 2)  // Reason: freed by `deallocate`.
    for index in 0..<capacity + 2 {
      let value = index == 1 ? UInt(capacity) : 0
      unsafe (words + index).initialize(to: Atomic(value))  // Reason: within the allocation.
    }
  }

  /// Takes up the block whose ``address`` was kept, or nothing for zero.
  @inlinable
  package init?(address: UInt) {
    guard let pointer = unsafe UnsafeMutablePointer<Atomic<UInt>>(bitPattern: address) else {
      return nil
    }  // Reason: from `address`.
    unsafe words = pointer  // Reason: as above.
  }

  /// The address, to be kept in an atomic word.
  package var address: UInt { unsafe UInt(bitPattern: words) }  // Reason: only a number.

  /// Frees the memory. What the slots refer to is not touched.
  package func deallocate() {
    unsafe words.deallocate()  // Reason: allocated in `init`; trivial contents.
  }

  /// How many slots have been filled, the emptied ones included.
  @inlinable
  package var count: Int {
    Int(unsafe words[0].load(ordering: .sequentiallyConsistent))  // Reason: within the allocation.
  }

  /// How many slots there are.
  package var capacity: Int {
    Int(unsafe words[1].load(ordering: .relaxed))  // Reason: within the allocation.
  }

  /// The address in a slot, or zero.
  ///
  /// - Parameter index: Below ``count``.
  @inlinable
  package subscript(index: Int) -> UInt {
    unsafe words[index &+ 2].load(ordering: .sequentiallyConsistent)  // Reason: below the count.
  }

  /// Fills the next slot and publishes it. Called with the list's lock held and room left.
  ///
  /// - Returns: The slot's index.
  package func append(_ observer: UInt) -> Int {
    let index = count
    unsafe words[index + 2].store(observer, ordering: .releasing)  // Reason: there is room.
    unsafe words[0].store(UInt(index + 1), ordering: .sequentiallyConsistent)  // Reason: within the allocation.
    return index
  }

  /// Changes a filled slot. Called with the list's lock held.
  package func replace(_ index: Int, by word: UInt) {
    unsafe words[index + 2].store(word, ordering: .sequentiallyConsistent)  // Reason: below the count.
  }

  /// Empties a slot. Called with the list's lock held.
  package func clear(_ index: Int) {
    unsafe words[index + 2].store(0, ordering: .sequentiallyConsistent)  // Reason: below the count.
  }
}
