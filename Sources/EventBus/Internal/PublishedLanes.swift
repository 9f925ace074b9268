public import Synchronization

/// What readers see of an observer list: two words that lead to its slots.
///
/// Changed only with the list's lock held, read by announced readers only.
@usableFromInline
package struct PublishedLanes: ~Copyable, Sendable {
  /// The block of one lane, the only one unless the list is split; zero when there is none.
  @usableFromInline
  internal let sole = Atomic<UInt>(0)
  /// A block whose slots are, in order of priority, pairs of a priority and a lane's block.
  internal let table = Atomic<UInt>(0)
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
