/// The elements that wait for an actor or a task, and whether a turn is scheduled that takes them.
///
/// A plain value. A burst costs one turn: the first element requires one, and later elements find it
/// scheduled. From then until ``endTurn(hasMore:)`` returns `false` a turn is on its way or running, so
/// elements never wait without one.
///
/// Use it behind a lock; schedule turns after unlocking.
package struct Lane<Element> {
  /// The elements that no turn has taken yet.
  package var waiting: BoundedQueue<Element>
  /// A Boolean value that indicates whether a turn is scheduled or running.
  package private(set) var isScheduled = false

  /// Creates an empty lane without a turn.
  ///
  /// - Parameter limit: The number of elements that wait at most.
  package init(_ limit: BufferLimit = .unlimited) { waiting = BoundedQueue(limit) }

  /// Requests a turn, after something has been added.
  ///
  /// - Returns: `true` if the caller must schedule the turn.
  package mutating func requestTurn() -> Bool {
    defer { isScheduled = true }
    return !isScheduled
  }

  /// Ends a turn.
  ///
  /// - Parameter hasMore: Whether there is work besides the waiting elements.
  /// - Returns: `true` if the caller must schedule another turn.
  package mutating func endTurn(hasMore: Bool = false) -> Bool {
    isScheduled = hasMore || !waiting.isEmpty
    return isScheduled
  }

  /// Checks that elements wait only while a turn is scheduled.
  package func _checkInvariants() {
    assert(isScheduled || waiting.isEmpty, "elements wait without a turn")
  }
}

extension Lane: Sendable where Element: Sendable {}
