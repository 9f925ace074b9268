/// The objects and blocks that one change to an observer list unlinked.
///
/// One or two items, the usual number, need no allocation.
package struct UnlinkedItems: Sendable {
  /// Addresses with the lowest bit set for a block; zero for none.
  private var first: UInt = 0
  private var second: UInt = 0
  /// `nil` for none: the release of an empty array is a call.
  private var others: [UInt]?

  /// Creates an empty collection.
  package init() {}

  /// A Boolean value that indicates whether nothing was unlinked.
  package var isEmpty: Bool { first == 0 }

  /// Adds an object whose reference came from ``ObjectAddress/retained(_:)``.
  package mutating func append(object address: UInt) {
    if first == 0 {
      first = address
    } else if second == 0 {
      second = address
    } else {
      if others == nil { others = [] }
      others?.append(address)
    }
  }

  /// Adds a block.
  package mutating func append(_ block: AtomicWords) { append(object: block.address | 1) }

  /// Adds all items of another change.
  package mutating func append(contentsOf others: Self) { others.forEach { append(object: $0) } }

  /// Calls a closure with each item, in the order of addition.
  package func forEach(_ body: (UInt) -> Void) {
    if first != 0 { body(first) }
    if second != 0 { body(second) }
    others?.forEach(body)
  }

  /// Releases an object, which may run arbitrary code, or frees a block.
  ///
  /// Called once for each item, without a lock held.
  package static func free(_ item: UInt) {
    if item & 1 == 1 {
      AtomicWords(address: item & ~1)?.deallocate()
    } else {
      ObjectAddress.release(item)
    }
  }
}
