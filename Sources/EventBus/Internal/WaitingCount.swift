public import Synchronization

/// How many envelopes wait in the mailboxes of one bus.
@usableFromInline
package final class WaitingCount: Sendable {
  @usableFromInline
  internal let count = Atomic<Int>(0)
  /// How many found their receiver dead.
  internal let lost = Atomic<Int>(0)

  /// Nothing waits.
  package init() {}

  /// Whether something waits.
  @inlinable
  package var isZero: Bool { count.load(ordering: .acquiring) == 0 }

  /// Changes the count.
  package func add(_ change: Int) { count.wrappingAdd(change, ordering: .sequentiallyConsistent) }
}
