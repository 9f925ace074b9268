internal import EventBus

/// One registration and its progress, from which its entry in the report is made.
package struct LaunchRow: Sendable {
  /// The progress of a row, and what exists only meanwhile.
  enum State: Sendable {
    /// It waits for its turn.
    case waiting(Wait)
    /// It was withdrawn before its turn.
    case withdrawn
    /// It was handed out and has not begun: its condition is being evaluated, or it waits for its
    /// actor.
    case starting(Turn)
    /// Its worker was called.
    case running(Turn)
    /// Its outcome is determined and is being recorded.
    case ending(Turn)
    /// It has its outcome without its turn, and the registration is yet to be dismissed.
    case skipped(LaunchOutcome)
    /// It has its outcome.
    case ended(LaunchResult)
  }

  /// What a row waits for.
  struct Wait: Sendable {
    /// Its position in the planned order.
    var rank = 0
    /// The number of rows that it waits for.
    var count = 0
  }

  /// The turn of a row.
  struct Turn: Sendable {
    /// Its number in the order in which workers began, from one.
    let number: Int
    /// A Boolean value that indicates whether it counts toward the width of the launch.
    let isCounted: Bool
    /// The time at which its worker was called, if it is asynchronous.
    var start: Duration?
  }

  /// The registration.
  package let registration: LaunchItem
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
  var state: State
  /// The first and the last edge that leads to it, by their indices in the schedule.
  var edges: (first: Int, last: Int)?
  /// A Boolean value that indicates whether it timed out and has not returned.
  var isAbandoned = false
  /// A Boolean value that indicates whether a rollback would undo it, or release the value that it made.
  var isUndone = false

  /// Creates a row that waits or, with a result, one that has ended.
  package init(
    _ registration: LaunchItem,
    number: Int,
    siteNumber: Int = 0,
    result: LaunchResult? = nil
  ) {
    self.registration = registration
    self.number = number
    self.siteNumber = siteNumber
    isAsynchronous = registration.isAsynchronous
    isInline = registration.isInline
    phase = registration.phase
    state = if let result { .ended(result) } else { .waiting(Wait()) }
  }

  /// The name, derived from the source site if none was given.
  package var id: LaunchID { registration.id ?? LaunchID(registration.site, number: siteNumber) }

  /// What it waits for; a row that no longer waits has nothing to wait for, and cannot be given anything.
  var wait: Wait {
    get { if case .waiting(let wait) = state { wait } else { Wait() } }
    set { if case .waiting = state { state = .waiting(newValue) } }
  }

  /// The turn, from its beginning until its outcome is recorded.
  var turn: Turn? {
    switch state {
    case .starting(let turn), .running(let turn), .ending(let turn): turn
    case .waiting, .withdrawn, .skipped, .ended: nil
    }
  }

  /// The result, once it is determined and recorded.
  package var result: LaunchResult? {
    switch state {
    case .skipped(let outcome): LaunchResult(outcome)
    case .ended(let result): result
    case .waiting, .withdrawn, .starting, .running, .ending: nil
    }
  }

  /// The outcome, once it is determined and recorded.
  package var outcome: LaunchOutcome? { result?.outcome }

  /// A Boolean value that indicates whether it waits for its turn.
  var isWaiting: Bool { if case .waiting = state { true } else { false } }

  /// A Boolean value that indicates whether it was handed out and has not begun.
  var isStarting: Bool { if case .starting = state { true } else { false } }

  /// A Boolean value that indicates whether its worker was called and has not returned.
  var isRunning: Bool { if case .running = state { true } else { false } }

  /// A Boolean value that indicates whether it has an outcome that is yet to be delivered.
  var isSkipped: Bool { if case .skipped = state { true } else { false } }

  /// A Boolean value that indicates whether it was withdrawn before its turn.
  var isWithdrawn: Bool { if case .withdrawn = state { true } else { false } }

  /// A Boolean value that indicates whether nothing remains to be done.
  var isOver: Bool {
    switch state {
    case .withdrawn, .ended: true
    case .waiting, .starting, .running, .ending, .skipped: false
    }
  }

  /// A Boolean value that indicates whether it waits for nothing but its phase.
  var isReady: Bool { if case .waiting(let wait) = state { wait.count == 0 } else { false } }

  /// A Boolean value that indicates whether its worker may still be called.
  var isPending: Bool { isWaiting || isStarting }

  /// A Boolean value that indicates whether its worker has returned by itself, and its end is recorded.
  var hasReturned: Bool {
    guard case .ended(let result) = state else { return false }
    return result.times != nil && !isAbandoned
  }

  /// A Boolean value that indicates whether it was handed out and has no outcome yet.
  var isOut: Bool { isStarting || isRunning }
}

extension [LaunchRow] {
  /// Returns the index of the row with a number, or `nil` if it is not in the array, whose numbers ascend.
  ///
  /// - Complexity: O(1); O(log *n*) after rows were removed.
  func index(of row: Int) -> Int? { indices.index(ofNumber: row) { self[$0].number } }
}

extension LaunchReport {
  /// Creates a report from rows, whose entries are made on first access.
  package init(rows: [LaunchRow], total: Duration, problems: [LaunchError] = []) {
    self.init(total: total, problems: problems) { rows.compactMap(Entry.init) }
  }
}

extension LaunchReport.Entry {
  /// Creates an entry from a row; `nil` if the row has no outcome.
  init?(_ row: LaunchRow) {
    guard let result = row.result else { return nil }
    let registration = row.registration
    self.init(
      name: registration.id,
      number: row.siteNumber,
      site: registration.site,
      phase: row.phase,
      result: result,
      isSynchronous: !registration.isAsynchronous,
      dependencies: registration.after + registration.afterIfPresent,
      isAbandoned: row.isAbandoned
    )
  }
}
