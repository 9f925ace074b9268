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
