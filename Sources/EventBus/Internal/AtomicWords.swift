public import Synchronization

/// A run of atomic words at a fixed address, freed by hand.
///
/// The address fits into an atomic word of its own; that is how such memory is published to readers.
@safe @usableFromInline
package struct AtomicWords: @unchecked Sendable {  // Reason: atomic words at a fixed address.
  @usableFromInline
  internal let base: UnsafeMutablePointer<Atomic<UInt>>

  /// Allocates words, all zero.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - alignment: The alignment of the first, in bytes.
  package init(count: Int, alignment: Int = 16) {
    let raw = UnsafeMutableRawPointer.allocate(byteCount: count * 8, alignment: alignment)
    unsafe base = raw.bindMemory(to: Atomic<UInt>.self, capacity: count)  // Reason: fresh.
    for index in 0..<count {
      unsafe (base + index).initialize(to: Atomic(0))  // Reason: within the allocation.
    }
  }

  /// Takes up the words whose ``address`` was kept, or nothing for zero.
  @inlinable
  package init?(address: UInt) {
    let pointer = unsafe UnsafeMutablePointer<Atomic<UInt>>(bitPattern: address)  // Reason: ours.
    guard let pointer = unsafe pointer else { return nil }  // Reason: ours.
    unsafe base = pointer  // Reason: from `address`.
  }

  /// The address, to be kept in an atomic word.
  @inlinable
  package var address: UInt { unsafe UInt(bitPattern: base) }  // Reason: a number.

  /// Frees the words.
  ///
  /// Nobody may use them afterwards.
  package func deallocate() {
    unsafe base.deallocate()  // Reason: allocated in `init`; atomic words need no destruction.
  }

  /// Reads a word, sequentially consistent.
  @inlinable
  package subscript(index: Int) -> UInt {
    unsafe base[index].load(ordering: .sequentiallyConsistent)  // Reason: a known count.
  }

  /// Writes a word, sequentially consistent.
  package func store(_ value: UInt, at index: Int) {
    unsafe base[index].store(value, ordering: .sequentiallyConsistent)  // Reason: as above.
  }

  /// Writes a word so that whoever reads it sees what was written before.
  package func publish(_ value: UInt, at index: Int) {
    unsafe base[index].store(value, ordering: .releasing)  // Reason: as above.
  }

  /// Adds to a word, wrapping, sequentially consistent.
  ///
  /// - Returns: The sum.
  @inlinable
  @discardableResult
  package func add(_ value: UInt, at index: Int) -> UInt {
    unsafe base[index].wrappingAdd(value, ordering: .sequentiallyConsistent)  // Reason: as above.
      .newValue
  }
}
