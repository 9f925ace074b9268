/// The sinks of one group, by falling priority and rising number, in one block of slots.
///
/// Members that change it are called with the lock of the observer list held; they return the items that they unlink,
/// to be retired. Announced readers walk the block without the lock: they read its address and its count once. What is
/// added later lies beyond the end that they have read, or in another block.
///
/// A sink whose priority is the lowest is appended in place. Any other moves all to a new block. A removal leaves an
/// empty slot.
///
/// **Bound.** After any change the block has at most max(8, 2 × its sinks) filled slots.
package struct SlotBlock: Sendable {
  private static let smallest = 8

  /// The slots; `nil` before the first addition.
  package private(set) var block: AtomicWords?
  /// The number of sinks.
  package private(set) var live = 0
  /// A priority that no sink is below.
  private var lowest = Int.max

  /// Creates a block without sinks.
  package init() {}

  /// The number of filled slots, including emptied ones, which is what the bound limits.
  package var slotCount: Int { block?.count ?? 0 }

  /// Adds a sink behind all others of its priority.
  ///
  /// - Parameters:
  ///   - sink: The sink, which the block owns from now on; it is retired when it is unlinked.
  ///   - unlinked: Receives a block that was replaced.
  /// - Complexity: Amortized O(1) for a sink that becomes the last one, otherwise O(*n*) in the number of sinks.
  package mutating func insert(_ sink: AnySink, _ unlinked: inout UnlinkedItems) {
    live += 1
    if let block, block.count < block.capacity, sink.priority <= lowest, !isSparse(block.count + 1)
    {
      lowest = sink.priority
      sink.registration.slot = block.append(sink.address)
    } else {
      rebuild(with: sink, &unlinked)
    }
  }

  /// Removes a sink.
  ///
  /// - Parameters:
  ///   - sink: The sink, which is in this block.
  ///   - unlinked: Receives the sink, and a block that was replaced.
  /// - Complexity: Amortized O(1).
  package mutating func remove(_ sink: AnySink, _ unlinked: inout UnlinkedItems) {
    block?.store(0, at: sink.registration.slot)
    live -= 1
    unlinked.append(object: sink.address)
    if isSparse(slotCount) { rebuild(with: nil, &unlinked) }
  }

  /// Gives up the block of a group without sinks.
  package mutating func removeBlock(_ unlinked: inout UnlinkedItems) {
    if let block = block.take() { unlinked.append(block) }
  }

  /// Deallocates the block of a group without sinks, once there are no readers.
  package func deallocate() { block?.deallocate() }

  /// Returns whether there are too many filled slots for the number of sinks.
  private func isSparse(_ filled: Int) -> Bool { filled > max(Self.smallest, 2 * live) }

  /// Moves the sinks, and a new one, to a block with as much free space again.
  private mutating func rebuild(with added: AnySink?, _ unlinked: inout UnlinkedItems) {
    let fresh = AtomicWords(capacity: max(Self.smallest, 2 * live))
    var pending = added
    lowest = .max
    func append(_ sink: AnySink) {
      lowest = sink.priority
      sink.registration.slot = fresh.append(sink.address)
    }
    block?.forEachSink { sink in
      if let added = pending, added.priority > sink.priority {
        append(added)
        pending = nil
      }
      append(sink)
    }
    if let pending { append(pending) }
    removeBlock(&unlinked)
    block = fresh
  }

  /// Stops the program if the order, the count or the bound is wrong.
  ///
  /// Called with the lock held, or while no other thread changes the block.
  package func _checkInvariants() {
    var sinks: [(priority: Int, number: UInt)] = []
    for index in 0..<slotCount {
      _ = ObjectAddress.borrow(block?[index] ?? 0) { (sink: AnySink) in
        sinks.append((sink.priority, sink.number))
        assert(sink.registration.slot == index, "a sink is in another slot")
        assert(sink.priority >= lowest, "a sink is below the lowest priority")
      }
    }
    let isOrdered = zip(sinks, sinks.dropFirst()).allSatisfy { left, right in
      left.priority != right.priority
        ? left.priority > right.priority : left.number <= right.number
    }
    assert(isOrdered, "the sinks are out of order")
    assert(sinks.count == live, "the count is wrong")
    assert(slotCount <= block?.capacity ?? 0, "more slots than room")
    assert(!isSparse(slotCount), "too many emptied slots")
  }
}

extension AtomicWords {
  /// Calls a closure with every sink at the addresses in a block, in order.
  ///
  /// For announced readers, or with the lock of the list held.
  package func forEachSink(_ body: (AnySink) -> Void) {
    for index in 0..<count {
      _ = ObjectAddress.borrow(self[index]) { (sink: AnySink) in body(sink) }
    }
  }
}

/// The observers of one list whose owner or sender may die without notice, in no order.
///
/// A plain value, guarded by the list's lock; it retains nothing. An observer stores its own position, so
/// its removal is O(1).
package struct WatchedObservers: Sendable {
  private static let smallest = 32
  private var addresses: [UInt] = []

  /// An empty collection.
  package init() {}

  /// The number of observers.
  package var count: Int { addresses.count }

  /// The addresses of all observers.
  package var all: [UInt] { addresses }

  /// The address of the observer at a position, or zero beyond the last.
  package subscript(position: Int) -> UInt {
    position < addresses.count ? addresses[position] : 0
  }

  /// Returns the addresses of the observers at the next positions of a probe, zero beyond the last observer.
  ///
  /// Eight at a time, so that a probe takes the list's lock once or twice.
  ///
  /// - Returns: The addresses and their number, which is zero when the probe is complete.
  package func sample(_ probe: inout SweepProbe) -> (addresses: SIMD8<UInt>, count: Int) {
    var (addresses, count) = (SIMD8<UInt>.zero, 0)
    while count < addresses.scalarCount, let position = probe.next() {
      addresses[count] = self[position]
      count += 1
    }
    return (addresses, count)
  }

  /// Adds an observer.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func insert(_ sink: AnySink) {
    sink.registration.watchedPosition = addresses.count
    addresses.append(sink.address)
  }

  /// Removes an observer, and moves the last one to its position.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func remove(_ sink: AnySink) {
    let position = sink.registration.watchedPosition
    guard self[position] == sink.address, let last = addresses.popLast() else { return }
    if position < addresses.count {
      addresses[position] = last
      _ = ObjectAddress.borrow(last) { (sink: AnySink) in
        sink.registration.watchedPosition = position
      }
    }
    if addresses.capacity > max(Self.smallest, 4 * addresses.count) {
      // A copy without the spare capacity.
      addresses = addresses.map(\.self)
    }
  }

  /// Stops the program if an observer has another position, or too much capacity remains.
  package func _checkInvariants() {
    for position in addresses.indices {
      _ = ObjectAddress.borrow(addresses[position]) { (sink: AnySink) in
        assert(sink.registration.watchedPosition == position, "an observer has another position")
      }
    }
    assert(
      addresses.capacity <= max(Self.smallest, 4 * addresses.count),
      "too much capacity for so few observers"
    )
  }
}
