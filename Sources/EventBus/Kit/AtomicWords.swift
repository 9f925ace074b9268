public import Synchronization

/// A manually deallocated block of atomic words that is filled from the front and never moved.
///
/// Its address fits into another atomic word, which publishes the block to readers. A single writer fills
/// the next word and then publishes the count, so words added after a reader has loaded the count lie beyond
/// the end of its walk.
///
/// Blocks hold the slots of observers, tables, and counters. A slot holds the address of an observer, or
/// zero after its removal.
@safe @usableFromInline
package struct AtomicWords: @unchecked Sendable {  // Reason: atomic words at a fixed address.
  /// The first word; the count and the capacity precede it.
  @usableFromInline
  let base: UnsafeMutablePointer<Atomic<UInt>>

  /// Allocates a block without words.
  ///
  /// - Parameters:
  ///   - capacity: The maximum number of words.
  ///   - alignment: The alignment of the allocation, which begins with a header of two words.
  package init(capacity: Int, alignment: Int = 16) {
    let count = capacity + 2
    let size = count * MemoryLayout<UInt>.size
    let raw = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: alignment)
    let words = unsafe raw.bindMemory(to: Atomic<UInt>.self, capacity: count)  // Reason: fresh.
    for index in 0..<count {
      unsafe (words + index).initialize(to: Atomic(0))  // Reason: within the allocation.
    }
    unsafe base = words + 2  // Reason: as above.
    unsafe base[-1].store(UInt(capacity), ordering: .relaxed)  // Reason: not published yet.
  }

  /// Allocates a block of zeroed words.
  ///
  /// - Parameters:
  ///   - count: The number of words.
  ///   - alignment: The alignment of the allocation, which begins with a header of two words.
  package init(zeroes count: Int, alignment: Int = 16) {
    self.init(capacity: count, alignment: alignment)
    unsafe base[-2].store(UInt(count), ordering: .relaxed)  // Reason: not published yet.
  }

  /// Creates a reference to the block with this ``address``; fails for zero.
  @inlinable
  package init?(address: UInt) {
    let pointer = unsafe UnsafeMutablePointer<Atomic<UInt>>(bitPattern: address)  // Reason: ours.
    guard let pointer = unsafe pointer else { return nil }  // Reason: ours.
    unsafe base = pointer  // Reason: from `address`.
  }

  /// The address of the block, for storage in an atomic word.
  @inlinable
  package var address: UInt { unsafe UInt(bitPattern: base) }  // Reason: a number.

  /// Deallocates the block, but not the objects at the addresses that it holds.
  ///
  /// No copy of this value may be used afterwards.
  package func deallocate() {
    unsafe (base - 2).deallocate()  // Reason: from `init`; atomic words need no destruction.
  }

  /// The number of words, including those that were set to zero.
  @inlinable
  package var count: Int {
    Int(unsafe base[-2].load(ordering: .sequentiallyConsistent))  // Reason: the header.
  }

  /// The maximum number of words.
  package var capacity: Int {
    Int(unsafe base[-1].load(ordering: .relaxed))  // Reason: the header, a constant.
  }

  /// The word at an index, with sequentially consistent ordering.
  ///
  /// - Parameter index: A number below ``count``.
  @inlinable
  package subscript(index: Int) -> UInt {
    unsafe base[index].load(ordering: .sequentiallyConsistent)  // Reason: a known count.
  }

  /// Adds a word and publishes it.
  ///
  /// Called with the writer's lock held and below ``capacity``.
  ///
  /// - Returns: The word's index.
  @discardableResult
  package func append(_ word: UInt) -> Int {
    let index = count
    // Publication: a reader that sees the count sees the word. Nothing is removed, so no stronger order is
    // needed.
    publish(word, at: index)
    publish(UInt(index + 1), at: -2)
    return index
  }

  /// Stores a word with sequentially consistent ordering.
  package func store(_ word: UInt, at index: Int) {
    unsafe base[index].store(word, ordering: .sequentiallyConsistent)  // Reason: as above.
  }

  /// Stores a word with releasing ordering: a thread that acquires it also sees all earlier writes.
  package func publish(_ word: UInt, at index: Int) {
    unsafe base[index].store(word, ordering: .releasing)  // Reason: a known count.
  }

  /// Adds to a word with wrapping arithmetic and sequentially consistent ordering.
  ///
  /// - Returns: The sum.
  @inlinable
  @discardableResult
  package func add(_ value: UInt, at index: Int) -> UInt {
    unsafe base[index].wrappingAdd(value, ordering: .sequentiallyConsistent)  // Reason: as above.
      .newValue
  }
}
