internal import EventBus

/// The state of one registration, from which its entry in the report is made.
package struct LaunchRow: Sendable {
  /// The progress of a row.
  enum Status: Sendable {
    /// It waits for its turn.
    case waiting
    /// It was withdrawn before its turn.
    case withdrawn
    /// It was handed out and has not begun: its condition is being evaluated, or it waits for its
    /// actor.
    case starting
    /// Its worker was called.
    case running
    /// Its outcome is determined and is being recorded.
    case ending
    /// It has its outcome without its turn, and the registration is yet to be dismissed.
    case skipped
    /// It has its outcome.
    case ended

    /// A Boolean value that indicates whether nothing remains to be done.
    var isOver: Bool { self == .withdrawn || self == .ended }
  }

  /// The registration.
  package let registration: LaunchRegistration
  /// Its number, ascending in order of registration, which also withdraws it.
  let number: Int
  /// Its number among the registrations without a name on its line; zero if it has a name.
  let siteNumber: Int
  /// A copy of the property of the registration, which is far away in memory.
  let isAsynchronous: Bool
  /// A copy of the property of the registration.
  let isInline: Bool
  /// The phase in which it runs.
  var phase: LaunchPhase
  /// The progress of the row.
  var status = Status.waiting
  /// Its position in the planned order.
  var rank = 0
  /// The number of rows that it waits for.
  var waitCount = 0
  /// The first and the last edge that leads to it, by their indices in the schedule.
  var edges: (first: Int, last: Int)?
  /// Its number in the order in which workers began, from one; `nil` if it did not run.
  package var turn: Int?
  /// A Boolean value that indicates whether it counts towards the width of the launch.
  var isCounted = false
  /// A Boolean value that indicates whether it timed out and has not returned.
  var isAbandoned = false
  /// A Boolean value that indicates whether a rollback would undo it, or release the value that it made.
  var isUndone = false
  /// The times at which it ran.
  package var times: LaunchTimes?
  /// The outcome, once it is determined and recorded.
  package var outcome: LaunchOutcome?

  /// Creates a row that waits.
  package init(_ registration: LaunchRegistration, number: Int, siteNumber: Int = 0) {
    self.registration = registration
    self.number = number
    self.siteNumber = siteNumber
    isAsynchronous = registration.isAsynchronous
    isInline = registration.isInline
    phase = registration.phase
  }

  /// The name, derived from the source site if none was given.
  package var id: LaunchID { registration.id ?? LaunchID(registration.site, number: siteNumber) }

  /// A Boolean value that indicates whether its worker may still be called.
  var isPending: Bool { status == .waiting || status == .starting }

  /// A Boolean value that indicates whether it was handed out and has no outcome yet.
  var isOut: Bool { status == .starting || status == .running }
}

/// The start of a piece of work, relative to the beginning of its launch, and its duration.
package typealias LaunchTimes = (start: Duration, duration: Duration)

extension [LaunchRow] {
  /// Returns the index of the row with a number, or `nil` if it is not in the array, whose numbers ascend.
  ///
  /// - Complexity: O(1); O(log *n*) after rows were removed.
  func index(of row: Int) -> Int? { index(ofNumber: row) { $0.number } }
}

extension Array {
  /// Returns the index of the element with a number, or `nil` if it is not in the array, whose numbers ascend.
  ///
  /// - Complexity: O(1) if no numbers are missing before it, otherwise O(log *n*).
  @inline(__always)
  func index(ofNumber number: Int, _ numberOf: (Element) -> Int) -> Int? {
    guard let first else { return nil }
    var index = number - numberOf(first)
    if !indices.contains(index) || numberOf(self[index]) != number {
      index = indices.partitionPoint { numberOf(self[$0]) < number }
    }
    return index < count && numberOf(self[index]) == number ? index : nil
  }
}

/// The turn of a row in a launch: a lower rank comes first.
package struct LaunchTurn: HeapElement, Sendable {
  /// The position in the planned order.
  package let rank: Int
  /// The row.
  package let row: Int

  /// Creates a turn.
  package init(rank: Int, row: Int) {
    self.rank = rank
    self.row = row
  }

  /// Returns whether this turn comes before another one.
  package func precedes(_ other: LaunchTurn) -> Bool { rank < other.rank }
}

/// A queue of turns, ordered by rank.
///
/// A plain value. Turns that arrive in order, which are almost all, are stored in an array, and the others
/// in a heap.
package struct LaunchQueue: Sendable {
  private var ordered: [LaunchTurn] = []
  private var start = 0
  private var heap = Heap<LaunchTurn>()

  /// Creates an empty queue.
  package init() {}

  /// The turn of the lowest rank.
  ///
  /// - Complexity: O(1).
  package var first: LaunchTurn? {
    guard start < ordered.count else { return heap.first }
    guard let other = heap.first, other.precedes(ordered[start]) else { return ordered[start] }
    return other
  }

  /// Inserts a turn.
  ///
  /// - Complexity: O(1) if its rank is the highest, otherwise O(log *n*).
  package mutating func insert(_ turn: LaunchTurn) {
    if start < ordered.count, let last = ordered.last, turn.precedes(last) {
      heap.insert(turn)
    } else {
      ordered.append(turn)
    }
  }

  /// Removes and returns the turn of the lowest rank.
  ///
  /// - Complexity: O(1) for turns that arrived in order, otherwise O(log *n*).
  package mutating func popFirst() -> LaunchTurn? {
    guard start < ordered.count else { return heap.isEmpty ? nil : heap.popFirst() }
    if !heap.isEmpty, let other = heap.first, other.precedes(ordered[start]) {
      return heap.popFirst()
    }
    defer {
      start += 1
      if start == ordered.count {
        ordered.removeAll(keepingCapacity: true)
        start = 0
      }
    }
    return ordered[start]
  }

  /// Stops the program if the turns are out of order.
  package func _checkInvariants() {
    heap._checkInvariants()
    assert(start == 0 || start < ordered.count, "the array was not emptied")
    assert(zip(ordered, ordered.dropFirst()).allSatisfy { $0.rank <= $1.rank }, "out of order")
  }
}
