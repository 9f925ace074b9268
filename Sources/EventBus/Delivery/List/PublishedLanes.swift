public import Synchronization

/// What readers see of an observer list: two words that lead to its slots.
///
/// Changed only with the list's lock held, read by announced readers only.
@usableFromInline
package struct PublishedLanes: ~Copyable, Sendable {
  /// The block of one lane, the only one unless the list is split; zero when there is none.
  @usableFromInline
  let sole = Atomic<UInt>(0)
  /// A block whose slots are, in order of priority, pairs of a priority and a lane's block.
  let table = Atomic<UInt>(0)
  /// How many observers are linked.
  @usableFromInline
  package let live = Atomic<Int>(0)

  /// Nothing published.
  package init() {}

  /// Changes the number of observers.
  ///
  /// Called with the list's lock held.
  package borrowing func changeLive(by change: Int) {
    live.store(live.load(ordering: .relaxed) + change, ordering: .releasing)
  }

  /// The lanes, from the highest priority to the lowest, as they are now.
  package var lanes: LaneCursor {
    LaneCursor(table: SlotBlock(address: table.load(ordering: .sequentiallyConsistent)))
  }

  /// Calls a closure with every linked observer, by priority and number.
  ///
  /// Only for announced readers.
  package borrowing func forEach(_ body: (AnyObserver, _ priority: Int) -> Void) {
    var lanes = lanes
    while let lane = lanes.next() {
      for index in 0..<lane.block.count {
        let word = lane.block[index]
        if word != 0 { AnyObserver.borrow(word) { body($0, lane.priority) } }
      }
    }
  }
}

/// Walks the lanes of a list by falling priority.
package struct LaneCursor {
  private let table: SlotBlock?
  private let end: Int
  private var index = 0

  /// Begins before the first lane of a table, or at the end without one.
  package init(table: SlotBlock? = nil) {
    self.table = table
    end = table?.count ?? 0
  }

  /// The next lane, or nothing after the last.
  package mutating func next() -> (priority: Int, block: SlotBlock)? {
    while let table, index < end {
      defer { index += 2 }
      if let block = SlotBlock(address: table[index + 1]) {
        return (Int(bitPattern: table[index]), block)
      }
    }
    return nil
  }
}

/// A fixed number of slots that are filled from the front and never moved.
///
/// Readers take the count once and walk that many slots without a lock; a slot holds the address of an
/// observer, or zero once it was removed. A writer, one at a time, fills the next slot and then
/// publishes the count, so what is added during a walk lies beyond its end.
@usableFromInline
package struct SlotBlock: Sendable {
  /// The count, the capacity, then the slots.
  @usableFromInline
  let words: AtomicWords

  /// Allocates empty slots.
  package init(capacity: Int) {
    words = AtomicWords(count: capacity + 2)
    words.store(UInt(capacity), at: 1)
  }

  /// Takes up the block whose ``address`` was kept, or nothing for zero.
  @inlinable
  package init?(address: UInt) {
    guard let words = AtomicWords(address: address) else { return nil }
    self.words = words
  }

  /// The address, to be kept in an atomic word.
  package var address: UInt { words.address }

  /// Frees the memory.
  ///
  /// What the slots refer to is not touched.
  package func deallocate() { words.deallocate() }

  /// How many slots have been filled, the emptied ones included.
  @inlinable
  package var count: Int { Int(words[0]) }

  /// How many slots there are.
  package var capacity: Int { Int(words[1]) }

  /// What a slot holds, or zero.
  ///
  /// - Parameter index: Below ``count``.
  @inlinable
  package subscript(index: Int) -> UInt { words[index &+ 2] }

  /// Fills the next slot and publishes it.
  ///
  /// Called with the list's lock held and room left.
  ///
  /// - Returns: The slot's index.
  package func append(_ word: UInt) -> Int {
    let index = count
    // Publication: a reader that sees the count sees the slot. Nothing is taken away, so no more order
    // is needed.
    words.publish(word, at: index + 2)
    words.publish(UInt(index + 1), at: 0)
    return index
  }

  /// Changes a filled slot, to zero for an empty one.
  ///
  /// Called with the list's lock held.
  package func replace(_ index: Int, by word: UInt) { words.store(word, at: index + 2) }
}
