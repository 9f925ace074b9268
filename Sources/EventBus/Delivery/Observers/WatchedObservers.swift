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
