/// When the length of a queue is reported: as soon as it exceeds 10,000, and then each time twice as much.
///
/// A plain value. It is never reset: a queue that is emptied and grows again is reported when it has become longer than
/// ever.
@usableFromInline
package struct CrowdAlarm: Sendable {
  /// The length that has to be exceeded next.
  @usableFromInline
  package private(set) var threshold = 10_000

  /// Creates the alarm of a new queue.
  @usableFromInline
  package init() {}

  /// Returns whether a length is to be reported, and doubles the threshold as often as it is exceeded.
  @inlinable
  package mutating func isDue(_ length: Int) -> Bool { length > threshold && raise(length) }

  @usableFromInline
  @inline(never)
  mutating func raise(_ length: Int) -> Bool {
    while threshold < length { threshold *= 2 }
    return true
  }
}

/// The number of events that were ever added to a queue, which counts elsewhere those that were opened.
///
/// A plain value. The number of opened events is read only when the queue may have become long.
struct AddedCount: Sendable {
  /// The number of added events, without those that were removed again; wraps.
  private(set) var number: UInt = 0
  private var alarm = CrowdAlarm()
  /// The number at which the length may exceed the threshold of the alarm.
  private var nextLook: UInt = 10_001

  /// Counts an added event.
  ///
  /// - Parameter opened: The number of events that were ever opened; wraps.
  /// - Returns: The length of the queue if it is to be reported, otherwise zero.
  mutating func add(opened: @autoclosure () -> UInt) -> Int {
    number &+= 1
    guard Int(bitPattern: number &- nextLook) >= 0 else { return 0 }
    let length = Int(bitPattern: number &- opened())
    let isDue = alarm.isDue(length)
    nextLook = number &+ UInt(alarm.threshold + 1 - length)
    return isDue ? length : 0
  }

  /// Counts events that were removed without having been opened.
  mutating func remove(_ count: Int) { number &-= UInt(count) }
}
