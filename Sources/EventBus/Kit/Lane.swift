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
  /// The address of the object for which a turn was last requested, only to be compared.
  private var newest: UInt = 0

  /// Creates an empty lane without a turn.
  ///
  /// - Parameter limit: The number of elements that wait at most.
  package init(_ limit: BufferLimit = .unlimited) { waiting = BoundedQueue(limit) }

  /// Requests a turn, after something has been added.
  ///
  /// - Parameter requester: The address of the object for which the turn is, for ``requester``.
  /// - Returns: `true` if the caller must schedule the turn.
  package mutating func requestTurn(for requester: UInt = 0) -> Bool {
    newest = requester
    defer { isScheduled = true }
    return !isScheduled
  }

  /// The address of the object for which a turn was last requested; `nil` if none is scheduled or running.
  package var requester: UInt? { isScheduled ? newest : nil }

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
