#if canImport(ObjectiveC)
internal import ObjectiveC
#endif
public import Synchronization

/// Conversions between objects and their addresses, for atomic words and slots.
///
/// An address is valid under one of two rules: ``retained(_:)`` created it and ``release(_:)`` is called
/// once, or a comment at the use names the owner that keeps the object alive.
@usableFromInline
package enum ObjectAddress: Sendable {
  /// Returns the address of an object without retaining it, or zero for none.
  @inlinable
  package static func of(_ object: AnyObject?) -> UInt {
    guard let object else { return 0 }
    let reference = unsafe Unmanaged.passUnretained(object)  // Reason: only a number is kept.
    return unsafe UInt(bitPattern: reference.toOpaque())  // Reason: as above.
  }

  /// Returns whether an object uses Swift's native reference counting.
  ///
  /// Only for such an object can an unowned reference be formed in its `deinit`; the reference keeps the
  /// memory allocated.
  static func isCountedBySwift(_ object: AnyObject) -> Bool {
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
    borrow(address) { $0 }
  }

  /// Calls a closure with the object at an address, without retaining the object.
  ///
  /// The closure's parameter determines the class: a metatype argument would be looked up at run time.
  ///
  /// - Returns: The closure's result, or `nil` for zero.
  @inlinable
  @inline(__always)
  static func borrow<Object: AnyObject, Result>(
    _ address: UInt,
    _ body: (Object) -> Result
  ) -> Result? {
    let pointer = unsafe UnsafeRawPointer(bitPattern: address)  // Reason: from `of` or `retained`.
    guard let pointer = unsafe pointer else { return nil }  // Reason: as above.
    let object = unsafe Unmanaged<Object>.fromOpaque(pointer)  // Reason: kept by the caller.
    return unsafe object._withUnsafeGuaranteedRef { body($0) }  // Reason: kept by the caller.
  }
}

/// A manually deallocated block of atomic words that is filled from the front and never moved.
///
/// Its address fits into another atomic word, which publishes the block to readers. A single writer fills
/// the next word and then publishes the count, so words added after a reader has loaded the count lie beyond
/// the end of its walk.
///
/// Blocks hold the slots of sinks, and counters. A slot holds the address of a sink, or zero after its removal.
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
  /// No copy of this value may be used after that.
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
  func publish(_ word: UInt, at index: Int) {
    unsafe base[index].store(word, ordering: .releasing)  // Reason: a known count.
  }

  /// Stores a word that orders nothing.
  @inlinable
  package func note(_ word: UInt, at index: Int) {
    unsafe base[index].store(word, ordering: .relaxed)  // Reason: a known count.
  }

  /// Loads a word that orders nothing.
  @inlinable
  package func noted(at index: Int) -> UInt {
    unsafe base[index].load(ordering: .relaxed)  // Reason: a known count.
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

/// A table of objects by integers, whose lookup takes three loads, no lock and no retain.
///
/// The objects lie in pages, of which there are only those with objects, so that one at a high index costs little.
/// Objects are never removed before the table is deallocated. A directory of pages that is too small is replaced by one
/// twice as large. The table keeps the old ones, since a thread may still be reading them; together they are no larger
/// than the newest.
@usableFromInline
struct ObjectTable: ~Copyable, Sendable {
  private typealias Owned = (objects: [any AnyObject & Sendable], blocks: [AtomicWords])

  /// The number of bits of an index that count within a page.
  @inlinable static var pageBits: Int { 5 }
  /// The bits of an index that count within a page; a remainder would have to look at its sign.
  @inlinable static var pageMask: Int { 1 << pageBits - 1 }

  /// The address of the directory, which holds the addresses of the pages.
  @usableFromInline
  let directory = Atomic<UInt>(0)
  /// The objects, and the directories and pages.
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
    guard let pages = AtomicWords(address: directory.load(ordering: .acquiring)),
      index >> Self.pageBits < pages.count,
      let page = AtomicWords(address: pages[index >> Self.pageBits])
    else { return nil }
    return ObjectAddress.borrow(page[index & Self.pageMask], body)
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
      page(index >> Self.pageBits, &owned.blocks)
        .store(ObjectAddress.of(object), at: index & Self.pageMask)
      return object
    }
  }

  /// Returns a page, creating it if there is none; called with the lock held.
  private borrowing func page(_ number: Int, _ blocks: inout [AtomicWords]) -> AtomicWords {
    let old = AtomicWords(address: directory.load(ordering: .relaxed))
    var pages = old
    if number >= old?.count ?? 0 {
      let new = AtomicWords(zeroes: max(4, 2 * (old?.count ?? 0), number + 1))
      for index in 0..<(old?.count ?? 0) { new.publish(old?[index] ?? 0, at: index) }
      blocks.append(new)
      directory.store(new.address, ordering: .sequentiallyConsistent)
      pages = new
    }
    if let known = AtomicWords(address: pages?[number] ?? 0) { return known }
    let page = AtomicWords(zeroes: 1 << Self.pageBits)
    blocks.append(page)
    pages?.store(page.address, at: number)
    return page
  }

  /// All objects, in insertion order.
  package var objects: [any AnyObject & Sendable] { owned.withLock { $0.objects } }
}

/// Bytes that keep what different threads write in different cache lines.
package struct CacheLine: Sendable {
  private let bytes: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0, 0, 0, 0, 0, 0, 0, 0
  )

  /// Creates the bytes.
  package init() {}
}
