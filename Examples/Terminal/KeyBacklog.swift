private import Synchronization

/// Counts the keys that were typed and wait to be obeyed, so that no more than a few hundred do.
///
/// Keys typed while the program is busy are obeyed later. Without a bound, a key held down meanwhile, or a
/// file that is sent to the terminal, would keep the program busy long after that.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
package final class KeyBacklog: Sendable {
  /// How many keys wait at most; further ones are dropped.
  package static let limit = 256

  private let waiting = Atomic<Int>(0)

  package init() {}

  /// Counts a key that was typed.
  ///
  /// - Returns: `false` when too many wait already: then this one is not counted, and is to be dropped.
  package func add() -> Bool {
    if waiting.wrappingAdd(1, ordering: .relaxed).newValue <= Self.limit { return true }
    remove()
    return false
  }

  /// Counts a key that was added and waits no longer.
  package func remove() { waiting.wrappingSubtract(1, ordering: .relaxed) }
}
