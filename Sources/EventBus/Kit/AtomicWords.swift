public import Synchronization

#if canImport(ObjectiveC)
internal import ObjectiveC
#endif

/// A manually deallocated block of atomic words.
///
/// Its address fits into another atomic word, which publishes the block to readers.
@safe @usableFromInline
package struct AtomicWords: @unchecked Sendable {  // Reason: atomic words at a fixed address.
  @usableFromInline
  let base: UnsafeMutablePointer<Atomic<UInt>>

  /// Allocates a block of zeroed words.
  ///
  /// - Parameters:
  ///   - count: The number of words.
  ///   - alignment: The alignment of the first word, in bytes.
  package init(count: Int, alignment: Int = 16) {
    let raw = UnsafeMutableRawPointer.allocate(byteCount: count * 8, alignment: alignment)
    unsafe base = raw.bindMemory(to: Atomic<UInt>.self, capacity: count)  // Reason: fresh.
    for index in 0..<count {
      unsafe (base + index).initialize(to: Atomic(0))  // Reason: within the allocation.
    }
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

  /// Deallocates the block.
  ///
  /// No copy of this value may be used afterwards.
  package func deallocate() {
    unsafe base.deallocate()  // Reason: allocated in `init`; atomic words need no destruction.
  }

  /// Loads a word with sequentially consistent ordering.
  @inlinable
  package subscript(index: Int) -> UInt {
    unsafe base[index].load(ordering: .sequentiallyConsistent)  // Reason: a known count.
  }

  /// Stores a word with sequentially consistent ordering.
  package func store(_ value: UInt, at index: Int) {
    unsafe base[index].store(value, ordering: .sequentiallyConsistent)  // Reason: as above.
  }

  /// Stores a word with releasing ordering: a thread that acquires it also sees all earlier writes.
  package func publish(_ value: UInt, at index: Int) {
    unsafe base[index].store(value, ordering: .releasing)  // Reason: as above.
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

/// Conversions between objects and their addresses, for atomic words and slots.
///
/// An address is valid under one of two rules: ``retained(_:)`` created it and ``release(_:)`` is called
/// once, or a comment at the use names the owner that keeps the object alive.
@usableFromInline
package enum ObjectAddress: Sendable {
  /// Returns the address of an object without retaining it.
  package static func of(_ object: AnyObject) -> UInt {
    unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())  // Reason: a number.
  }

  /// Returns whether an object uses Swift's native reference counting.
  ///
  /// Only for such an object can an unowned reference be formed in its `deinit`; the reference keeps the
  /// memory allocated.
  package static func isCountedBySwift(_ object: AnyObject) -> Bool {
    #if canImport(ObjectiveC)
    !(object is NSObject)
    #else
    true
    #endif
  }

  /// Retains an object and returns its address.
  ///
  /// Balance every call with ``release(_:)``.
  package static func retained(_ object: AnyObject) -> UInt {
    unsafe UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())  // Reason: a number.
  }

  /// Releases an object that ``retained(_:)`` retained.
  ///
  /// May run the object's `deinit`.
  package static func release(_ address: UInt) {
    let pointer = unsafe UnsafeRawPointer(bitPattern: address)  // Reason: from `retained`.
    guard let pointer = unsafe pointer else { return }  // Reason: as above.
    unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release()  // Reason: retained before.
  }

  /// Returns a strong reference to the object at an address, or `nil` for zero.
  package static func object<Object: AnyObject>(_ address: UInt, as type: Object.Type) -> Object? {
    let pointer = unsafe UnsafeRawPointer(bitPattern: address)  // Reason: from `of` or `retained`.
    guard let pointer = unsafe pointer else { return nil }  // Reason: as above.
    return unsafe Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()  // Reason: kept.
  }

  /// Calls a closure with the object at an address, without retaining the object.
  ///
  /// The closure's parameter determines the class: a metatype argument would be looked up at run time.
  ///
  /// - Returns: The closure's result, or `nil` for zero.
  @inlinable
  @inline(__always)
  package static func borrow<Object: AnyObject, Result>(
    _ address: UInt,
    _ body: (Object) -> Result
  ) -> Result? {
    let pointer = unsafe UnsafeRawPointer(bitPattern: address)  // Reason: from `of` or `retained`.
    guard let pointer = unsafe pointer else { return nil }  // Reason: as above.
    let object = unsafe Unmanaged<Object>.fromOpaque(pointer)  // Reason: kept by the caller.
    return unsafe object._withUnsafeGuaranteedRef { body($0) }  // Reason: kept by the caller.
  }
}

/// A lazily created object and three flags, in one atomic word.
///
/// Extra state that most tokens and lifetimes never need costs them eight bytes.
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
