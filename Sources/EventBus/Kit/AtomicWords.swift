public import Synchronization

#if canImport(ObjectiveC)
internal import ObjectiveC
#endif

/// A run of atomic words at a fixed address, freed by hand.
///
/// The address fits into an atomic word of its own; that is how such memory is published to readers.
@safe @usableFromInline
package struct AtomicWords: @unchecked Sendable {  // Reason: atomic words at a fixed address.
  @usableFromInline
  let base: UnsafeMutablePointer<Atomic<UInt>>

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

/// Objects as plain numbers, for atomic words and slots.
///
/// Whoever keeps an address also keeps the object, by one of two rules: the number was made with
/// ``retained(_:)`` and is released once, or somebody named at the use keeps the object meanwhile.
@usableFromInline
package enum ObjectAddress: Sendable {
  /// The address of an object that somebody else keeps.
  package static func of(_ object: AnyObject) -> UInt {
    unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())  // Reason: a number.
  }

  /// Whether Swift counts the references to an object.
  ///
  /// An unowned reference to it may be formed in its `deinit` then, and keeps its memory.
  package static func isCountedBySwift(_ object: AnyObject) -> Bool {
    #if canImport(ObjectiveC)
    !(object is NSObject)
    #else
    true
    #endif
  }

  /// The address of an object, with a reference that ``release(_:)`` ends.
  package static func retained(_ object: AnyObject) -> UInt {
    unsafe UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())  // Reason: a number.
  }

  /// Ends the reference that ``retained(_:)`` began, which may run code of anybody.
  package static func release(_ address: UInt) {
    let pointer = unsafe UnsafeRawPointer(bitPattern: address)  // Reason: from `retained`.
    guard let pointer = unsafe pointer else { return }  // Reason: as above.
    unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release()  // Reason: retained before.
  }

  /// The object at an address, with a reference of its own, or nothing for zero.
  package static func object<Object: AnyObject>(_ address: UInt, as type: Object.Type) -> Object? {
    let pointer = unsafe UnsafeRawPointer(bitPattern: address)  // Reason: from `of` or `retained`.
    guard let pointer = unsafe pointer else { return nil }  // Reason: as above.
    return unsafe Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()  // Reason: kept.
  }

  /// Calls a closure with the object at an address, without counting a reference.
  ///
  /// The class is the closure's parameter: a metatype argument would be looked up at run time.
  ///
  /// - Returns: What the closure returns, or nothing for zero.
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

/// An object that is made when it is first asked for, and a few flags, in one atomic word.
///
/// What most tokens and lifetimes never need costs them eight bytes.
package struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The bits an object's address never uses.
  private static var flagMask: UInt { 7 }
  private let word: Atomic<UInt>

  /// Creates a reference without an object.
  ///
  /// - Parameter flags: Flags set from the start, below 8.
  package init(flags: UInt = 0) { word = Atomic(flags) }

  deinit { ObjectAddress.release(word.load(ordering: .acquiring) & ~Self.flagMask) }

  /// The flags that are set.
  package var flags: UInt { word.load(ordering: .sequentiallyConsistent) & Self.flagMask }

  /// The object, if there is one.
  package var object: Object? { Self.object(in: word.load(ordering: .sequentiallyConsistent)) }

  /// Sets a flag, for good.
  ///
  /// - Returns: `false` if it was set before.
  package borrowing func set(_ flag: UInt) -> Bool {
    word.bitwiseOr(flag, ordering: .sequentiallyConsistent).oldValue & flag == 0
  }

  /// The object, made if there is none.
  ///
  /// - Parameters:
  ///   - make: Makes the object. Another thread may win; then what was made is let go.
  ///   - didMake: Called with the new object and the flags at the moment others could find it.
  /// - Returns: The one object there is.
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
