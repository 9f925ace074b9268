internal import EventBus

/// Ends of rows, and their effect on dependants.
extension LaunchSchedule {
  /// Lets the worker of a row begin, unless the row has an outcome.
  ///
  /// Called where the worker runs.
  ///
  /// - Returns: `true` if the caller must call the worker.
  mutating func claimBegin(_ row: Int, at start: Duration?) -> Bool {
    guard let index = rows.index(of: row) else { return false }
    guard case .starting(var turn) = rows[index].state else {
      rows[index].isAbandoned = false
      return false
    }
    turn.start = start
    rows[index].state = .running(turn)
    return true
  }

  /// Claims the right to record the end of a worker that has returned or whose condition does not hold.
  ///
  /// - Returns: `true` if the row had no outcome yet.
  mutating func claimEnd(_ row: Int) -> Bool {
    guard let index = rows.index(of: row) else { return false }
    guard rows[index].isOut, let turn = rows[index].turn else {
      rows[index].isAbandoned = false
      return false
    }
    rows[index].state = .ending(turn)
    return true
  }

  /// Claims the right to record that a row exceeded its time limit.
  ///
  /// A synchronous worker that has begun must be awaited.
  ///
  /// - Returns: `true` if the row can be abandoned.
  mutating func giveUp(_ row: Int) -> Bool {
    guard let index = rows.index(of: row), rows[index].isOut, let turn = rows[index].turn,
      rows[index].isStarting || rows[index].registration.isAsynchronous
    else { return false }
    rows[index].state = .ending(turn)
    rows[index].isAbandoned = true
    return true
  }

  /// Abandons all asynchronous workers that run.
  ///
  /// - Returns: Their rows.
  /// - Complexity: O(*n*).
  mutating func giveUpRunning() -> [Int] {
    rows.filter(\.isRunning).map(\.number).filter { giveUp($0) }
  }

  /// Records the end of a row that ran or was handed out.
  ///
  /// If the row did not finish, the rows that need it are skipped; other dependants become ready.
  ///
  /// - Complexity: O(*d*) in the number of its dependants and of the dependants of skipped rows.
  mutating func end(_ index: Int, _ times: LaunchTimes?, _ outcome: LaunchOutcome) {
    guard !rows[index].isStarting, let turn = rows[index].turn else { return }
    makeRoom(index)
    open[rows[index].phase.index] -= 1
    let number = times == nil ? nil : turn.number
    rows[index].state = .ended(LaunchResult(outcome, turn: number, times: times))
    if rows[index].edges != nil { release(index, isFinished: outcome.isFinished) }
  }

  /// Replaces the outcome of a row that has ended, because its work was undone.
  mutating func replaceOutcome(of row: Int, by outcome: LaunchOutcome) {
    guard let index = rows.index(of: row), case .ended(let result) = rows[index].state else {
      return
    }
    rows[index].state = .ended(LaunchResult(outcome, turn: result.turn, times: result.times))
  }

  /// Withdraws a row that has not begun, and skips the rows that need it.
  ///
  /// - Returns: Its registration, if the row was withdrawn; `nil` if it has begun or ended.
  mutating func withdraw(_ row: Int) -> LaunchItem? {
    guard let index = rows.index(of: row), rows[index].isPending else { return nil }
    makeRoom(index)
    open[rows[index].phase.index] -= 1
    rows[index].state = .withdrawn
    release(index, isFinished: false)
    return rows[index].registration
  }

  /// Gives a waiting row an outcome without its turn.
  mutating func skip(_ index: Int, _ outcome: LaunchOutcome) {
    guard rows[index].isWaiting else { return }
    markSkipped(index, outcome)
    release(index, isFinished: false)
  }

  /// Gives an outcome to every row, from a phase on, that has not begun.
  ///
  /// - Returns: Those rows that were handed out.
  /// - Complexity: O(*n*).
  mutating func skipAll(from first: LaunchPhase = .early, _ outcome: LaunchOutcome) -> [Int] {
    var starting: [Int] = []
    for index in rows.indices where rows[index].isPending && rows[index].phase >= first {
      if rows[index].isStarting { starting.append(rows[index].number) }
      makeRoom(index)
      markSkipped(index, outcome)
    }
    return starting
  }

  /// Removes and returns the rows that were withdrawn before the launch if they outnumber the others and
  /// are more than eight.
  ///
  /// - Complexity: Amortized O(1).
  mutating func takeWithdrawnRows() -> [LaunchRow] {
    withdrawnCount += 1
    guard withdrawnCount > max(8, rows.count / 2) else { return [] }
    withdrawnCount = 0
    return takeRows(where: \.isWithdrawn)
  }

  /// Removes and returns the ended rows if all rows have ended, or if they outnumber the others and are
  /// more than eight.
  ///
  /// - Complexity: Amortized O(1), and O(*d*) in the number of dependants of a row.
  mutating func takeEndedRows() -> [LaunchRow] {
    let openCount = open.reduce(0, +)
    if openCount == 0 {
      defer { removeAll() }
      return rows
    }
    return rows.count > max(8, 2 * openCount) ? takeRows(where: \.isOver) : []
  }

  private mutating func takeRows(where isTaken: (LaunchRow) -> Bool) -> [LaunchRow] {
    let taken = rows.filter(isTaken)
    let waiting = rows.indices.filter { !isTaken(rows[$0]) }.map { dependants(of: $0) }
    rows.removeAll(where: isTaken)
    edges = []
    for (target, dependants) in waiting.enumerated() {
      rows[target].edges = nil
      for (row, isHard) in dependants {
        if let index = rows.index(of: row) { connect(index, to: target, isHard: isHard) }
      }
    }
    return taken
  }

  /// Releases the capacity that a handed-out row occupies, so that others can begin.
  private mutating func makeRoom(_ index: Int) {
    if rows[index].turn?.isCounted == true { runningTasks -= 1 }
    if hopping == rows[index].number { hopping = nil }
  }

  /// Notifies the dependants of a row that it has ended, and skips, transitively, those that needed it.
  private mutating func release(_ index: Int, isFinished: Bool) {
    var (index, isFinished) = (index, isFinished)
    // The skipped rows whose dependants are not yet notified.
    var skipped: [Int] = []
    while true {
      var next = rows[index].edges.take()?.first
      while let edge = next {
        let (row, isHard, following) = edges[edge]
        next = following
        guard let waiting = rows.index(of: row), rows[waiting].isWaiting else { continue }
        if isFinished || !isHard {
          rows[waiting].wait.count -= 1
          if rows[waiting].isReady && rows[waiting].phase <= phase { enqueue(waiting) }
        } else {
          markSkipped(waiting, .skipped(because: rows[index].id))
          skipped.append(waiting)
        }
      }
      guard let next = skipped.popLast() else { return }
      (index, isFinished) = (next, false)
    }
  }

  private mutating func markSkipped(_ index: Int, _ outcome: LaunchOutcome) {
    rows[index].state = .skipped(outcome)
    _ = skipped.append(rows[index].number)
  }
}
