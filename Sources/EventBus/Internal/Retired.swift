/// Something unlinked that is owed its end: an object to release, or a slot block to free.
@safe
package struct Retired: Sendable {
  /// The address; the lowest bit says that it is a block's.
  private let word: UInt

  /// An object whose unbalanced reference is to be released.
  package init(_ object: Unmanaged<AnyObject>) {
    word = unsafe UInt(bitPattern: object.toOpaque())  // Reason: only a number.
  }

  /// A slot block that is to be freed.
  package init(_ block: SlotBlock) {
    word = block.address | 1
  }

  /// Releases the object, which may run code of anybody, or frees the block. Called once, under no lock.
  package func free() {
    if word & 1 == 1 {
      SlotBlock(address: word & ~1)?.deallocate()
    } else if let pointer = unsafe UnsafeRawPointer(bitPattern: word) {  // Reason: from `toOpaque`.
      unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release()  // Reason: the reference `init` took over.
    }
  }
}

/// What one change to an observer list unlinked: usually one or two things, without an allocation.
package struct Retirees: Sendable {
  private var first: Retired?
  private var second: Retired?
  private var others: [Retired] = []

  /// Nothing.
  package init() {}

  /// Whether nothing was unlinked.
  package var isEmpty: Bool { first == nil }

  /// Adds one thing.
  package mutating func append(_ item: Retired) {
    if first == nil {
      first = item
    } else if second == nil {
      second = item
    } else {
      others.append(item)
    }
  }

  /// Calls a closure with each thing, in the order it was added.
  package func forEach(_ body: (Retired) -> Void) {
    if let first { body(first) }
    if let second { body(second) }
    for item in others { body(item) }
  }
}
