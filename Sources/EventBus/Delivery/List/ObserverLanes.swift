internal import Synchronization

/// The observers of one list by priority, with the rules for adding, removing and compacting them.
///
/// A plain value, guarded by the list's lock. Every distinct priority has a lane: a block of slots filled
/// in order of registration. The view for readers, a ``PublishedLanes``, is kept in step.
///
/// **Bound.** After any change a lane has at most max(8, 2 × its observers) filled slots. Adding and
/// removing are amortized O(1): a copy of *n* observers follows at least *n* / 2 additions or removals.
package struct ObserverLanes: Sendable {
  private struct Lane: Sendable {
    let priority: Int
    var block: SlotBlock
    var live = 0
  }

  private static let smallest = 8
  /// Sorted by priority, highest first.
  private var lanes: [Lane] = []
  /// The index of the lane that `PublishedLanes.sole` publishes.
  private var primary = 0

  /// An empty collection.
  package init() {}

  /// A Boolean value that indicates whether the observers are in more than one lane.
  package var isSplit: Bool { lanes.count > 1 }

  /// Returns whether an observer of a priority may need an additional lane.
  package func splits(with priority: Int) -> Bool {
    !lanes.isEmpty && !lanes.contains { $0.priority == priority }
  }

  /// Links an observer behind all others of its priority.
  ///
  /// - Parameters:
  ///   - observer: The observer; the list retains it.
  ///   - priority: Its priority.
  ///   - published: The view for readers.
  /// - Returns: The items that the change unlinked.
  /// - Complexity: Amortized O(1), plus O(*p*) in the number of distinct priorities.
  package mutating func append(
    _ observer: AnyObserver,
    priority: Int,
    to published: borrowing PublishedLanes
  ) -> Retirees {
    var retirees = Retirees()
    let index = laneIndex(for: priority, published, &retirees)
    let filled = lanes[index].block.count
    if filled == lanes[index].block.capacity || isSparse(filled + 1, lanes[index].live + 1) {
      rebuild(index, published, &retirees)
    }
    let slot = lanes[index].block.append(ObjectAddress.retained(observer))
    observer.slot.store(UInt32(slot), ordering: .relaxed)
    lanes[index].live += 1
    published.changeLive(by: 1)
    return retirees
  }

  /// Unlinks an observer.
  ///
  /// - Returns: The unlinked items: the observer first, if it was linked.
  /// - Complexity: Amortized O(1), plus O(*p*) in the number of distinct priorities.
  package mutating func remove(
    _ observer: AnyObserver,
    from published: borrowing PublishedLanes
  ) -> Retirees {
    var retirees = Retirees()
    let slot = Int(observer.slot.load(ordering: .relaxed))
    let address = observer.address
    guard
      let index = lanes.firstIndex(where: { slot < $0.block.count && $0.block[slot] == address })
    else { return retirees }
    lanes[index].block.replace(slot, by: 0)
    lanes[index].live -= 1
    published.changeLive(by: -1)
    retirees.append(Retired(object: observer.address))
    let live = lanes[index].live
    if live == 0, lanes.count > 1 {
      dropLane(index, published, &retirees)
    } else if isSparse(lanes[index].block.count, live) {
      rebuild(index, published, &retirees)
    }
    return retirees
  }

  /// Unlinks everything.
  ///
  /// - Returns: Every observer and all storage.
  /// - Complexity: O(*n*) in the number of filled slots.
  package mutating func removeAll(from published: borrowing PublishedLanes) -> Retirees {
    var retirees = Retirees()
    published.sole.store(0, ordering: .sequentiallyConsistent)
    replaceTable(published, by: nil, &retirees)
    for lane in lanes {
      for slot in 0..<lane.block.count where lane.block[slot] != 0 {
        AnyObserver.borrow(lane.block[slot]) { observer in
          observer.flags.bitwiseOr(AnyObserver.cancelled, ordering: .sequentiallyConsistent)
          retirees.append(Retired(object: observer.address))
        }
      }
      retirees.append(Retired(lane.block))
    }
    published.live.store(0, ordering: .sequentiallyConsistent)
    lanes = []
    primary = 0
    return retirees
  }

  /// The number of filled slots, including emptied ones, which is what the bound limits.
  package var slotCount: Int { lanes.reduce(0) { $0 + $1.block.count } }

  /// Returns whether a lane has too many filled slots for its number of observers.
  private func isSparse(_ filled: Int, _ live: Int) -> Bool {
    filled > max(Self.smallest, 2 * live)
  }

  private mutating func laneIndex(
    for priority: Int,
    _ published: borrowing PublishedLanes,
    _ retirees: inout Retirees
  ) -> Int {
    let place = lanes.firstIndex { $0.priority <= priority } ?? lanes.count
    if place < lanes.count, lanes[place].priority == priority { return place }
    let lane = Lane(priority: priority, block: SlotBlock(capacity: Self.smallest))
    if lanes.count == 1, lanes[0].live == 0 {
      // The last lane was kept for the next observer, which has another priority.
      retirees.append(Retired(lanes[0].block))
      lanes[0] = lane
      publish(published, &retirees)
      return 0
    }
    lanes.insert(lane, at: place)
    if lanes.count > 1, place <= primary { primary += 1 }
    publish(published, &retirees)
    return place
  }

  private mutating func dropLane(
    _ index: Int,
    _ published: borrowing PublishedLanes,
    _ retirees: inout Retirees
  ) {
    let lane = lanes.remove(at: index)
    if index < primary { primary -= 1 } else if index == primary { primary = 0 }
    publish(published, &retirees)
    retirees.append(Retired(lane.block))
  }

  /// Copies a lane's observers into a block with as much free space again.
  private mutating func rebuild(
    _ index: Int,
    _ published: borrowing PublishedLanes,
    _ retirees: inout Retirees
  ) {
    let old = lanes[index].block
    let new = SlotBlock(capacity: max(Self.smallest, 2 * lanes[index].live))
    for slot in 0..<old.count where old[slot] != 0 {
      let place = new.append(old[slot])
      AnyObserver.borrow(old[slot]) { $0.slot.store(UInt32(place), ordering: .relaxed) }
    }
    lanes[index].block = new
    if index == primary { published.sole.store(new.address, ordering: .sequentiallyConsistent) }
    SlotBlock(address: published.table.load(ordering: .relaxed))?.replace(
      2 * index + 1,
      by: new.address
    )
    retirees.append(Retired(old))
  }

  /// Publishes a new table after the set of lanes has changed.
  private func publish(_ published: borrowing PublishedLanes, _ retirees: inout Retirees) {
    let table = SlotBlock(capacity: 2 * lanes.count)
    for lane in lanes {
      _ = table.append(UInt(bitPattern: lane.priority))
      _ = table.append(lane.block.address)
    }
    replaceTable(published, by: table, &retirees)
    published.sole.store(lanes[primary].block.address, ordering: .sequentiallyConsistent)
  }

  private func replaceTable(
    _ published: borrowing PublishedLanes,
    by table: SlotBlock?,
    _ retirees: inout Retirees
  ) {
    let old = published.table.exchange(table?.address ?? 0, ordering: .sequentiallyConsistent)
    if let old = SlotBlock(address: old) { retirees.append(Retired(old)) }
  }
}
