public import Synchronization

/// A table of objects by small integers, whose lookup takes two loads, no lock and no retain.
///
/// Objects are never removed before the table is deallocated. A block that is too small is replaced by one
/// twice as large. The table keeps the old blocks, since a thread may still be reading them; together they
/// are no larger than the newest.
@usableFromInline
package struct ObjectTable: ~Copyable, Sendable {
  private typealias Owned = (objects: [any AnyObject & Sendable], blocks: [AtomicWords])

  @usableFromInline
  let block = Atomic<UInt>(0)
  private let owned = Locked<Owned>(([], []))

  /// Creates an empty table.
  package init() {}

  deinit {
    let blocks = owned.withLock { $0.blocks }
    for block in blocks { block.deallocate() }
  }

  /// Calls a closure with the object at an index.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - body: Called with the object. The caller knows the class: each index belongs to one type.
  /// - Returns: The closure's result, or `nil` when there is no object.
  @inlinable
  @inline(__always)
  package borrowing func with<Object: AnyObject, Result>(
    _ index: Int,
    _ body: (Object) -> Result
  ) -> Result? {
    guard let block = AtomicWords(address: block.load(ordering: .acquiring)), index < block.count
    else { return nil }
    return ObjectAddress.borrow(block[index], body)
  }

  /// Returns the object at an index, creating it if there is none.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - make: Creates the object, under the table's lock.
  /// - Returns: The only object at the index.
  package borrowing func object<Object: AnyObject & Sendable>(
    _ index: Int,
    orMake make: () -> Object
  ) -> Object {
    owned.withLock { owned in
      if let known = with(index, { (known: Object) in known }) { return known }
      let object = make()
      owned.objects.append(object)
      let address = ObjectAddress.of(object)
      let old = AtomicWords(address: block.load(ordering: .relaxed))
      if let old, index < old.count {
        old.store(address, at: index)
      } else {
        let count = old?.count ?? 0
        let new = AtomicWords(zeroes: max(16, 2 * count, index + 1))
        for slot in 0..<count { new.publish(old?[slot] ?? 0, at: slot) }
        new.publish(address, at: index)
        owned.blocks.append(new)
        block.store(new.address, ordering: .sequentiallyConsistent)
      }
      return object
    }
  }

  /// All objects, in insertion order.
  package var objects: [any AnyObject & Sendable] { owned.withLock { $0.objects } }
}
