public import Synchronization

/// A lazily created object and three flags, in one atomic word.
///
/// Extra state that most registrations and lifetimes never need costs them eight bytes.
package struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The bits that are always zero in an object's address.
  private static var flagMask: UInt { 7 }
  private let word: Atomic<UInt>

  /// Creates a reference without an object.
  ///
  /// - Parameter flags: The initial flags, less than 8.
  package init(flags: UInt = 0) { word = Atomic(flags) }

  deinit { ObjectAddress.release(word.load(ordering: .acquiring) & ~Self.flagMask) }

  /// The flags that are set.
  package var flags: UInt { word.load(ordering: .sequentiallyConsistent) & Self.flagMask }

  /// The object, or `nil` if it has not been created.
  package var object: Object? { Self.object(in: word.load(ordering: .sequentiallyConsistent)) }

  /// Calls a closure with the object, if it has been created, without retaining it: the reference does.
  borrowing func borrow<Result>(_ body: (Object) -> Result) -> Result? {
    ObjectAddress.borrow(word.load(ordering: .sequentiallyConsistent) & ~Self.flagMask, body)
  }

  /// Sets a flag permanently.
  ///
  /// - Returns: `false` if the flag was already set.
  package borrowing func set(_ flag: UInt) -> Bool {
    word.bitwiseOr(flag, ordering: .sequentiallyConsistent).oldValue & flag == 0
  }

  /// Returns the object, creating it if there is none.
  ///
  /// - Parameters:
  ///   - make: Creates the object. If another thread is first, the new object is discarded.
  ///   - didMake: Called with the new object and the flags at the moment of its publication.
  /// - Returns: The only object.
  package borrowing func object(
    orMake make: () -> Object,
    didMake: (Object, UInt) -> Void = { _, _ in }
  ) -> Object {
    if let known = object { return known }
    let made = make()
    let address = ObjectAddress.retained(made)
    var expected = flags
    while true {
      let (done, actual) = word.compareExchange(
        expected: expected,
        desired: expected | address,
        ordering: .sequentiallyConsistent
      )
      if done {
        didMake(made, expected)
        return made
      }
      if let others = Self.object(in: actual) {
        ObjectAddress.release(address)
        return others
      }
      expected = actual
    }
  }

  private static func object(in word: UInt) -> Object? {
    ObjectAddress.object(word & ~flagMask, as: Object.self)
  }
}

/// A table of objects by small integers, whose lookup takes two loads, no lock and no retain.
///
/// Objects are never removed before the table is deallocated. A block that is too small is replaced by one
/// twice as large. The table keeps the old blocks, since a thread may still be reading them; together they
/// are no larger than the newest.
@usableFromInline
struct ObjectTable: ~Copyable, Sendable {
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
