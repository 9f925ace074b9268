/// A timer that waits for its deadline, as an element of a heap.
///
/// The timer that must be served first leaves the heap first; among equals, the one that was registered
/// first.
package struct TimerDeadline: HeapElement, Sendable {
  /// The earliest time at which the timer may be served.
  package let time: Int128
  /// The latest time at which the timer must be served.
  package let latest: Int128
  /// The registration number, which decides among equals.
  package let order: UInt64
  /// The slot of the timer in its table.
  package let slot: Int

  /// Creates a deadline.
  package init(_ time: Int128, latest: Int128, order: UInt64, slot: Int) {
    self.time = time
    self.latest = latest
    self.order = order
    self.slot = slot
  }

  /// Returns whether this timer must be served before another one.
  package func precedes(_ other: TimerDeadline) -> Bool {
    latest == other.latest ? order < other.order : latest < other.latest
  }
}

extension Heap<TimerDeadline> {
  /// Returns the time of the next wake-up and the latest time that would do, or `nil` if no timer waits.
  ///
  /// A wake-up is postponed to later deadlines within every timer's tolerance, so that it serves several
  /// timers. Only the front of the heap is considered. A timer without a neighbour is not delayed.
  ///
  /// - Complexity: O(1).
  package func wakeUp() -> (time: Int128, latest: Int128)? {
    guard let first else { return nil }
    let near = prefix(16).lazy.map { $0.time }.filter { $0 <= first.latest }
    return (near.max() ?? first.time, first.latest)
  }
}
