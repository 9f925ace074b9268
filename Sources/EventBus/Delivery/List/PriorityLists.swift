public import Synchronization

/// The observers of one group in the order of delivery: a list for each priority.
///
/// A list is a block of slots, filled in the order of registration. Announced readers walk the lists
/// without a lock; members that change them are called with the lock of the observer list held. A change
/// that replaces a block publishes the new one and returns the old one, to be retired.
///
/// **Bound.** After any change a block has at most max(8, 2 × its observers) filled slots. Adding and
/// removing are amortized O(1): a copy of *n* observers follows at least *n* / 2 additions or removals.
@usableFromInline
package struct PriorityLists: ~Copyable, Sendable {
  /// One list.
  private struct List {
    /// The position in the table.
    let index: Int
    let priority: Int
    /// The slots.
    let block: AtomicWords
    /// The number of observers.
    var live = 0
  }

  private static let smallest = 8
  /// The number of words for each list in the table.
  @inlinable static var stride: Int { 3 }

  /// The block of the only list, or of one of several; zero when there is none.
  ///
  /// A post that finds no special cases reads only this block. It remains the same when a second list is
  /// added, until its own list is dropped.
  @usableFromInline
  let sole = Atomic<UInt>(0)
  /// A block with three words for each list, highest priority first: the priority, the address of the
  /// list's block and the number of its observers.
  private let table = Atomic<UInt>(0)
  /// The number of linked observers.
  @usableFromInline
  package let live = Atomic<Int>(0)

  /// Creates an empty collection.
  package init() {}

  /// A Boolean value that indicates whether there are several lists.
  package var isSplit: Bool { listCount > 1 }

  /// Returns whether an observer of a priority may need an additional list.
  func splits(with priority: Int) -> Bool {
    tableBlock != nil && firstList { $0.priority == priority } == nil
  }

  /// The number of filled slots, including emptied ones, which is what the bound limits.
  package var slotCount: Int {
    var count = 0
    forEachList { count += $0.block.count }
    return count
  }

  /// Calls a closure with every linked observer, by priority and number.
  ///
  /// For announced readers, or with the lock held.
  @inline(never)
  package func forEach(_ body: (AnyObserver, _ priority: Int) -> Void) {
    forEachList { list in
      for slot in 0..<list.block.count {
        AnyObserver.borrow(list.block[slot]) { body($0, list.priority) }
      }
    }
  }

  /// Links an observer behind all others of its priority.
  ///
  /// - Parameters:
  ///   - address: The observer's address, from ``ObjectAddress/retained(_:)``. The list takes over the
  ///     reference; it is retired when the observer is unlinked.
  ///   - priority: Its priority.
  /// - Returns: The items that the change unlinked.
  /// - Complexity: Amortized O(1), plus O(*p*) in the number of distinct priorities.
  package borrowing func append(retained address: UInt, priority: Int) -> UnlinkedItems {
    var unlinked = UnlinkedItems()
    let list = firstList { $0.priority == priority } ?? addList(priority, &unlinked)
    let (filled, live) = (list.block.count, list.live)
    let needsRoom = filled == list.block.capacity || Self.isSparse(filled + 1, live + 1)
    let block = needsRoom ? rebuild(list, live: live, &unlinked) : list.block
    // Before the publication: a post that reads zero began before any post could find the observer.
    changeLive(of: list, by: 1)
    let slot = block.append(address)
    AnyObserver.borrow(address) { $0.slot = slot }
    return unlinked
  }

  /// Unlinks an observer.
  ///
  /// - Returns: The unlinked items: the observer first, if it was linked.
  /// - Complexity: Amortized O(1), plus O(*p*) in the number of distinct priorities.
  package borrowing func remove(_ observer: AnyObserver) -> UnlinkedItems {
    var unlinked = UnlinkedItems()
    let slot = observer.slot
    let address = observer.address
    guard let list = firstList({ slot < $0.block.count && $0.block[slot] == address })
    else { return unlinked }
    list.block.store(0, at: slot)
    changeLive(of: list, by: -1)
    unlinked.append(object: address)
    if list.live == 1, isSplit {
      replaceLists(list.index..<list.index + 1, &unlinked)
      replaceSole(list.block.address, by: firstList { _ in true }?.block)
      unlinked.append(list.block)
    } else if Self.isSparse(list.block.count, list.live - 1) {
      _ = rebuild(list, live: list.live - 1, &unlinked)
    }
    return unlinked
  }

  /// Unlinks everything.
  ///
  /// - Returns: Every observer and all storage.
  /// - Complexity: O(*n*) in the number of filled slots.
  @inline(never)
  package borrowing func removeAll() -> UnlinkedItems {
    var unlinked = UnlinkedItems()
    sole.store(0, ordering: .sequentiallyConsistent)
    forEachList { list in
      for slot in 0..<list.block.count {
        AnyObserver.borrow(list.block[slot]) { observer in
          observer.stopCalls()
          unlinked.append(object: observer.address)
        }
      }
      unlinked.append(list.block)
    }
    let old = table.exchange(0, ordering: .sequentiallyConsistent)
    if let old = AtomicWords(address: old) { unlinked.append(old) }
    live.store(0, ordering: .sequentiallyConsistent)
    return unlinked
  }

  /// Stops the program if the order, a count or the bound is wrong.
  ///
  /// Called with the lock held, or while no other thread changes the lists.
  package func _checkInvariants() {
    var (priorities, total, isPublished): ([Int], Int, Bool) = ([], 0, false)
    forEachList { list in
      var numbers: [UInt] = []
      for slot in 0..<list.block.count {
        AnyObserver.borrow(list.block[slot]) { observer in
          numbers.append(observer.order)
          assert(observer.slot == slot, "an observer is in another slot")
        }
      }
      assert(numbers == numbers.sorted(), "a list is out of order")
      assert(numbers.count == list.live, "the count of a list is wrong")
      assert(list.live > 0 || !isSplit, "an empty list remains beside others")
      assert(list.block.count <= list.block.capacity, "a list has more slots than room")
      assert(!Self.isSparse(list.block.count, list.live), "too many emptied slots")
      priorities.append(list.priority)
      total += list.live
      isPublished = isPublished || list.block.address == sole.load(ordering: .relaxed)
    }
    assert(zip(priorities, priorities.dropFirst()).allSatisfy { $0 > $1 }, "lists out of order")
    assert(live.load(ordering: .relaxed) == total, "the total count is wrong")
    assert(
      isPublished || priorities.isEmpty && sole.load(ordering: .relaxed) == 0,
      "plain posts read a block that is in no list"
    )
  }

  var tableBlock: AtomicWords? {
    AtomicWords(address: table.load(ordering: .sequentiallyConsistent))
  }

  private var listCount: Int { (tableBlock?.count ?? 0) / Self.stride }

  private func forEachList(_ body: (List) -> Void) {
    _ = firstList { list in
      body(list)
      return false
    }
  }

  private func firstList(_ isMeant: (List) -> Bool) -> List? {
    guard let table = tableBlock else { return nil }
    for index in 0..<table.count / Self.stride {
      let words = index * Self.stride
      guard let block = AtomicWords(address: table[words + 1]) else { continue }
      let list = List(
        index: index,
        priority: Int(bitPattern: table[words]),
        block: block,
        live: Int(table[words + 2])
      )
      if isMeant(list) { return list }
    }
    return nil
  }

  /// Returns whether a list has too many filled slots for its number of observers.
  private static func isSparse(_ filled: Int, _ live: Int) -> Bool {
    filled > max(smallest, 2 * live)
  }

  private func changeLive(of list: List, by change: Int) {
    tableBlock?.publish(UInt(list.live + change), at: list.index * Self.stride + 2)
    let total = live.load(ordering: .relaxed) + change
    if change > 0 {
      live.store(total, ordering: .sequentiallyConsistent)
    } else {
      // A post that still reads the former count looks for an observer in vain.
      live.store(total, ordering: .releasing)
    }
  }

  /// Adds an empty list; it replaces the only list if that has no observers.
  private func addList(_ priority: Int, _ unlinked: inout UnlinkedItems) -> List {
    let block = AtomicWords(capacity: Self.smallest)
    let empty = firstList { $0.live == 0 }
    let index = empty?.index ?? firstList { $0.priority < priority }?.index ?? listCount
    replaceLists(index..<(empty == nil ? index : index + 1), by: (priority, block), &unlinked)
    replaceSole(empty?.block.address ?? 0, by: block)
    if let empty { unlinked.append(empty.block) }
    return List(index: index, priority: priority, block: block)
  }

  /// Copies a list's observers into a block with as much free space again.
  private func rebuild(_ list: List, live: Int, _ unlinked: inout UnlinkedItems) -> AtomicWords {
    let old = list.block
    let new = AtomicWords(capacity: max(Self.smallest, 2 * live))
    for slot in 0..<old.count {
      AnyObserver.borrow(old[slot]) { observer in
        observer.slot = new.append(observer.address)
      }
    }
    replaceSole(old.address, by: new)
    tableBlock?.store(new.address, at: list.index * Self.stride + 1)
    unlinked.append(old)
    return new
  }

  /// Publishes a table in which some lists are removed, or replaced by an empty one.
  private func replaceLists(
    _ range: Range<Int>,
    by list: (priority: Int, block: AtomicWords)? = nil,
    _ unlinked: inout UnlinkedItems
  ) {
    let old = tableBlock
    let oldCount = old?.count ?? 0
    let (start, end) = (range.lowerBound * Self.stride, range.upperBound * Self.stride)
    let inserted = list == nil ? 0 : Self.stride
    let new = AtomicWords(zeroes: oldCount - (end - start) + inserted)
    if let old {
      for word in 0..<start { new.publish(old[word], at: word) }
      for word in end..<oldCount { new.publish(old[word], at: word - end + start + inserted) }
    }
    if let list {
      new.publish(UInt(bitPattern: list.priority), at: start)
      new.publish(list.block.address, at: start + 1)
    }
    table.store(new.address, ordering: .sequentiallyConsistent)
    if let old { unlinked.append(old) }
  }

  /// Publishes another block to plain posts, if they read a block that is replaced.
  private func replaceSole(_ old: UInt, by new: AtomicWords?) {
    if let new, sole.load(ordering: .relaxed) == old {
      sole.store(new.address, ordering: .sequentiallyConsistent)
    }
  }
}
