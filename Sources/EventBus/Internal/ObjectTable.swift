public import Synchronization

/// Objects by small whole numbers: reading is two loads, without a lock and without a count.
///
/// Objects are added and stay until the table dies. A table that has become too small is replaced by one
/// twice as large; the former ones are kept as well, since somebody may be reading them, which adds up
/// to no more than the last.
@usableFromInline
package struct ObjectTable: ~Copyable, Sendable {
  private struct Owned {
    var objects: [AnyObject] = []
    var blocks: [SlotBlock] = []
  }

  @usableFromInline
  internal let block = Atomic<UInt>(0)
  private let owned = Locked(Owned())

  /// Creates an empty table.
  package init() {}

  deinit {
    let owned = owned.withLock { owned in
      let all = owned.blocks
      owned.blocks = []
      return all
    }
    for block in owned { block.deallocate() }
  }

  /// Calls a closure with the object at a number.
  ///
  /// - Parameters:
  ///   - index: The number.
  ///   - type: The object's class, which the caller knows: numbers are given to one type each.
  /// - Returns: What the closure returns, or `nil` when there is no object.
  @inlinable
  package borrowing func with<Object: AnyObject, Result>(
    _ index: Int,
    as type: Object.Type,
    _ body: (Object) -> Result
  ) -> Result? {
    guard let block = SlotBlock(address: block.load(ordering: .acquiring)), index < block.count,
      let pointer = unsafe UnsafeRawPointer(bitPattern: block[index])  // Reason: kept by `owned`.
    else { return nil }
    return unsafe Unmanaged<Object>.fromOpaque(pointer)._withUnsafeGuaranteedRef { body($0) }  // Reason: as above.
  }

  /// The object at a number, made if there is none.
  ///
  /// - Parameter make: Makes the object, under the table's lock.
  package borrowing func object<Object: AnyObject>(_ index: Int, orMake make: () -> Object)
    -> Object
  {
    owned.withLock { owned in
      if let known = with(index, as: Object.self, { $0 }) { return known }
      let object = make()
      owned.objects.append(object)
      let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())  // Reason: kept by `owned`.
      let old = SlotBlock(address: block.load(ordering: .relaxed))
      if let old, index < old.count {
        old.replace(index, by: address)
      } else {
        let count = old?.count ?? 0
        let new = SlotBlock(capacity: max(16, 2 * count, index + 1))
        for place in 0..<new.capacity {
          _ = new.append(place == index ? address : place < count ? old?[place] ?? 0 : 0)
        }
        owned.blocks.append(new)
        block.store(new.address, ordering: .sequentiallyConsistent)
      }
      return object
    }
  }

  /// All objects, in the order they were added.
  package var objects: [AnyObject] { owned.withLock { $0.objects } }
}
