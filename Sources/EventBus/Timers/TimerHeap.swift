/// A timer that waits for its deadline, as an element of a heap.
///
/// The timer that must be served first leaves the heap first; among equals, the one that was registered
/// first.
package struct TimerDeadline<Instant: InstantProtocol>: HeapElement, Sendable {
  /// The earliest instant at which the timer may be served.
  package let instant: Instant
  /// The latest instant at which the timer must be served.
  package let latest: Instant
  /// The registration number, which decides among equals.
  package let order: UInt64
  /// The slot of the timer in its table.
  package let slot: Int

  /// Creates a deadline.
  package init(_ instant: Instant, latest: Instant, order: UInt64, slot: Int) {
    self.instant = instant
    self.latest = latest
    self.order = order
    self.slot = slot
  }

  /// Returns whether this timer must be served before another one.
  package func precedes(_ other: TimerDeadline) -> Bool {
    // The first comparison usually decides.
    if latest < other.latest { return true }
    return order < other.order && !(other.latest < latest)
  }
}

extension Heap {
  /// Returns the instant of the next wake-up and the latest instant that would do, or `nil` if no timer waits.
  ///
  /// A wake-up is postponed to later deadlines within every timer's tolerance, so that it serves several
  /// timers. Only the front of the heap is considered. A timer without a neighbour is not delayed.
  ///
  /// - Complexity: O(1).
  package func wakeUp<Instant>() -> (instant: Instant, latest: Instant)?
  where Element == TimerDeadline<Instant> {
    guard let first else { return nil }
    let near = prefix(16).lazy.map(\.instant).filter { $0 <= first.latest }
    return (near.max() ?? first.instant, first.latest)
  }
}
