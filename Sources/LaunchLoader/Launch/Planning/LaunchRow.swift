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
