/// Something unlinked that is owed its end: an object to release, or a slot block to free.
package struct Retired: Sendable {
  /// The address; the lowest bit says that it is a block's.
  private let word: UInt

  /// An object whose reference, begun with `ObjectAddress.retained`, is to be released.
  package init(object address: UInt) { word = address }

  /// A slot block that is to be freed.
  package init(_ block: SlotBlock) { word = block.address | 1 }

  /// Releases the object, which may run code of anybody, or frees the block.
  ///
  /// Called once, under no lock.
  package func free() {
    if word & 1 == 1 {
      SlotBlock(address: word & ~1)?.deallocate()
    } else {
      ObjectAddress.release(word)
    }
  }
}
