public import Synchronization

/// Objects by small whole numbers: reading is two loads, without a lock and without a count.
///
/// Objects are added and stay until the table dies. A table that has become too small is replaced by one
/// twice as large; the former ones are kept as well, since somebody may be reading them, which adds up
/// to no more than the last.
@usableFromInline
package struct ObjectTable: ~Copyable, Sendable {
  private struct Owned {
    var objects: [any AnyObject & Sendable] = []
    var blocks: [SlotBlock] = []
  }

  @usableFromInline
  let block = Atomic<UInt>(0)
  private let owned = Locked(Owned())

  /// Creates an empty table.
  package init() {}

  deinit {
    let blocks = owned.withLock { $0.blocks }
    for block in blocks { block.deallocate() }
  }

  /// Calls a closure with the object at a number.
  ///
  /// - Parameters:
  ///   - index: The number.
  ///   - body: Called with the object, whose class the caller knows: a number is given to one type.
  /// - Returns: What the closure returns, or `nil` when there is no object.
  @inlinable
  @inline(__always)
  package borrowing func with<Object: AnyObject, Result>(
    _ index: Int,
    _ body: (Object) -> Result
  ) -> Result? {
    guard let block = SlotBlock(address: block.load(ordering: .acquiring)), index < block.count
    else { return nil }
    return ObjectAddress.borrow(block[index], body)
  }

  /// The object at a number, made if there is none.
  ///
  /// - Parameters:
  ///   - index: The number.
  ///   - make: Makes the object, under the table's lock.
  /// - Returns: The object there is now.
  package borrowing func object<Object: AnyObject & Sendable>(
    _ index: Int,
    orMake make: () -> Object
  ) -> Object {
    owned.withLock { owned in
      if let known = with(index, { (known: Object) in known }) { return known }
      let object = make()
      owned.objects.append(object)
      let old = SlotBlock(address: block.load(ordering: .relaxed))
      if let old, index < old.count {
        old.replace(index, by: ObjectAddress.of(object))
      } else {
        let new = Self.copy(of: old, with: ObjectAddress.of(object), at: index)
        owned.blocks.append(new)
        block.store(new.address, ordering: .sequentiallyConsistent)
      }
      return object
    }
  }

  /// All objects, in the order they were added.
  package var objects: [any AnyObject & Sendable] { owned.withLock { $0.objects } }

  private static func copy(of old: SlotBlock?, with address: UInt, at index: Int) -> SlotBlock {
    let count = old?.count ?? 0
    let new = SlotBlock(capacity: max(16, 2 * count, index + 1))
    for place in 0..<new.capacity {
      let former = place < count ? old?[place] ?? 0 : 0
      _ = new.append(place == index ? address : former)
    }
    return new
  }
}
