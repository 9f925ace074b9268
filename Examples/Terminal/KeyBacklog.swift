private import Synchronization

/// Counts and limits the keys that were typed and not yet handled.
///
/// Keys typed while the program is busy are handled later. Without a limit, a key held down in the
/// meantime, or a file sent to the terminal, would keep the program busy for a long time.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
package final class KeyBacklog: Sendable {
  /// The maximum number of pending keys; further ones are dropped.
  package static let limit = 256

  private let waiting = Atomic<Int>(0)

  package init() {}

  /// Counts a typed key.
  ///
  /// - Returns: `false` if the limit is reached; the key is not counted, and the caller drops it.
  package func add() -> Bool {
    var count = waiting.load(ordering: .relaxed)
    while count < Self.limit {
      let (isDone, actual) = waiting.compareExchange(
        expected: count,
        desired: count + 1,
        ordering: .relaxed
      )
      if isDone { return true }
      count = actual
    }
    return false
  }

  /// A Boolean value that indicates whether every key has been handled.
  package var isEmpty: Bool { waiting.load(ordering: .relaxed) == 0 }

  /// Removes a handled key from the count.
  package func remove() { waiting.wrappingSubtract(1, ordering: .relaxed) }
}
