/// The observers of one list whose owner or sender may die unnoticed, in no order.
///
/// A plain value behind the list's lock; it keeps nothing. An observer knows its place, so that it is
/// removed in O(1).
package struct WatchedObservers: Sendable {
  private static let smallest = 32
  private var addresses: [UInt] = []

  /// Creates an empty collection.
  package init() {}

  /// How many observers there are.
  package var count: Int { addresses.count }

  /// The addresses of all.
  package var all: [UInt] { addresses }

  /// The address of the observer at a place, or zero beyond the last.
  package subscript(place: Int) -> UInt { place < addresses.count ? addresses[place] : 0 }

  /// Adds an observer.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func insert(_ observer: AnyObserver) {
    observer.watchPlace = addresses.count
    addresses.append(observer.address)
  }

  /// Removes an observer; the last one takes its place.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func remove(_ observer: AnyObserver) {
    let place = observer.watchPlace
    guard self[place] == observer.address, let last = addresses.popLast() else { return }
    if place < addresses.count {
      addresses[place] = last
      AnyObserver.borrow(last) { $0.watchPlace = place }
    }
    if addresses.capacity > max(Self.smallest, 4 * addresses.count) { shrink() }
  }

  private mutating func shrink() {
    var fewer: [UInt] = []
    fewer.reserveCapacity(2 * addresses.count)
    fewer += addresses
    addresses = fewer
  }
}
