internal import EventBus

/// Ends of work: by itself, by a limit, by a failure, a cancellation or a stop; and their effect on other work.
extension LaunchMachine {
  /// Claims the right to record the end of a worker that has returned or whose condition does not hold.
  ///
  /// - Returns: `true` if the row had no outcome yet.
  package mutating func claimEnd(_ row: Int) -> Bool {
    guard let index = rows.index(of: row) else { return false }
    guard rows[index].isOut else {
      rows[index].isAbandoned = false
      return false
    }
    rows[index].state = .ending
    return true
  }

  /// Claims the right to record that a worker exceeded its time limit.
  ///
  /// A synchronous worker that has begun must be awaited.
  ///
  /// - Returns: The row to abandon.
  package mutating func giveUp(_ row: Int) -> Row? {
    guard let index = rows.index(of: row), rows[index].isOut,
      rows[index].state == .starting || rows[index].kind == .task
    else { return nil }
    rows[index].state = .ending
    rows[index].isAbandoned = true
    return rows[index]
  }

  /// Records the end of a row that ran or was handed out.
  ///
  /// The outcome must be published before this call, so that it is available to all code that runs as a
  /// result. If the row did not finish, the rows that need it are skipped; other dependants become ready.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - outcome: The outcome.
  ///   - start: The time at which its worker was called; `nil` if it was not.
  ///   - duration: The time that the worker took.
  /// - Complexity: O(*d*) in the number of its dependants and of the dependants of skipped rows.
  package mutating func end(
    _ row: Int,
    _ outcome: LaunchOutcome,
    from start: Duration? = nil,
    for duration: Duration = .zero
  ) {
    defer { checkInvariants(ofSize: rows.count, _checkInvariants()) }
    guard let index = rows.index(of: row) else { return }
    if rows[index].isAbandoned { outbox.append(.cancelled(row)) }
    leave(index, for: .ended)
    (rows[index].outcome, rows[index].start, rows[index].duration) = (outcome, start, duration)
    if rows[index].edges != nil { release(index, isFinished: outcome.isFinished) }
    if outcome.isFinished {
      keep(index)
    } else if stage == .launching && policy != .continue && isFailure(outcome) {
      if verdict == .fine { verdict = .failed }
      halt(.skipped(because: rows[index].id))
    }
    if stage == .launched { releaseEndedRows() }
  }

  /// Keeps work that has finished, although its end is not recorded yet, if its value may have to be undone or closed.
  ///
  /// Called under the lock under which the value is stored: other work may use the value from then on, and what that
  /// makes is closed first.
  package mutating func keepValue(of row: Int) {
    // After the closing, the value is closed when the end is recorded.
    if !isClosed, let index = rows.index(of: row) { keep(index) }
  }

  /// Keeps finished work that may have to be undone or closed, unless it is kept.
  ///
  /// A rollback also releases a value that was made from one that is undone.
  private mutating func keep(_ index: Int) {
    if rows[index].isKept { return }
    let item = rows[index].item
    if isClosed && item.isClosable { return outbox.append(.late(item)) }
    rows[index].isUndone =
      keepsForRollback
      && (item.isUndoable
        || item.makes != nil
          && item.needs.contains { names[$0.name].flatMap { self[$0] }?.isUndone ?? false })
    rows[index].isKept = rows[index].isUndone || item.isClosable
    if rows[index].isKept { kept.append((rows[index].number, item)) }
  }

  /// Returns whether an outcome fails a launch whose policy is to stop.
  ///
  /// A worker that ends because its launch was cancelled has not failed.
  private func isFailure(_ outcome: LaunchOutcome) -> Bool {
    let isCancelled = halt != nil && verdict == .fine
    return outcome.isFailure && !(isCancelled && outcome.isCancellation)
  }

  /// Skips everything that has not begun, and cancels what runs.
  package mutating func cancel() {
    defer { checkInvariants(ofSize: rows.count, _checkInvariants()) }
    if stage == .launching { halt(.skipped(because: nil)) }
  }

  /// Skips everything that has not begun, and abandons asynchronous work, because the time limit of the launch was reached.
  ///
  /// The ends are claimed before the work is cancelled: work that then returns has exceeded the limit all the same.
  ///
  /// - Returns: The rows to record as timed out.
  package mutating func expire() -> [Row] {
    defer { checkInvariants(ofSize: rows.count, _checkInvariants()) }
    guard stage == .launching else { return [] }
    if policy != .continue && verdict == .fine { verdict = .failed }
    let late = rows.filter { $0.state == .running && $0.kind == .task }
      .compactMap { giveUp($0.number) }
    halt(.skipped(because: nil))
    return late
  }

  /// Refuses all further registrations, and cancels work that runs after the launch; a running launch continues with
  /// its work.
  ///
  /// - Returns: The work to settle, and whether there will be no launch.
  package mutating func stop() -> (refused: [LaunchItem], endsAll: Bool) {
    defer { checkInvariants(ofSize: rows.count, _checkInvariants()) }
    guard !isStopping else { return ([], false) }
    readNames()
    isStopping = true
    if stage == .launched {
      _ = skipAll(.refused)
      cancelRunning()
    }
    guard stage == .collecting else { return ([], false) }
    let refused = rows.filter { $0.state == .waiting }
    for row in refused where row.item.id != nil { record(.refused, of: row) }
    outbox.append(.released(rows))
    rows = []
    return (refused.map(\.item), true)
  }

  /// Prevents all further work from beginning, and cancels what runs.
  mutating func halt(_ outcome: LaunchOutcome) {
    guard halt == nil else { return }
    halt = outcome
    _ = skipAll(outcome)
    cancelRunning()
  }

  private mutating func cancelRunning() {
    for row in rows where row.state == .running || row.state == .ending {
      outbox.append(.cancelled(row.number))
    }
  }

  /// Gives an outcome to every row, from a phase on, that has not begun.
  ///
  /// - Returns: `true` if there are such rows.
  /// - Complexity: O(*n*).
  mutating func skipAll(from first: LaunchPhase = .early, _ outcome: LaunchOutcome) -> Bool {
    for index in rows.indices where rows[index].isPending && rows[index].phase >= first {
      markSkipped(index, outcome)
    }
    return !skipped.isEmpty
  }

  /// Gives a waiting row an outcome without its turn.
  mutating func skip(_ index: Int, _ outcome: LaunchOutcome) {
    markSkipped(index, outcome)
    release(index, isFinished: false)
  }

  private mutating func markSkipped(_ index: Int, _ outcome: LaunchOutcome) {
    makeRoom(index)
    (rows[index].state, rows[index].outcome) = (.skipped, outcome)
    _ = skipped.append(rows[index].number)
  }

  /// Changes the state of a row to a final one.
  mutating func leave(_ index: Int, for state: Row.State) {
    makeRoom(index)
    open[rows[index].phase.index] -= 1
    rows[index].state = state
  }

  /// Releases the capacity that a handed-out row occupies, so that others can begin, and its tasks.
  private mutating func makeRoom(_ index: Int) {
    if rows[index].isInTask {
      if rows[index].state == .starting { outbox.append(.cancelled(rows[index].number)) }
      outbox.append(.ended(rows[index].number))
    }
    if rows[index].isCounted { runningTasks -= 1 }
    rows[index].isCounted = false
    if hopping == rows[index].number { hopping = nil }
  }

  /// Notifies the dependants of a row that it has ended, and skips, transitively, those that needed it.
  mutating func release(_ index: Int, isFinished: Bool) {
    var (index, isFinished) = (index, isFinished)
    // The skipped rows whose dependants are not yet notified.
    var skipped: [Int] = []
    while true {
      var next = rows[index].edges.take()?.first
      while let edge = next {
        let (row, isHard, following) = edges[edge]
        next = following
        guard let waiting = rows.index(of: row), rows[waiting].state == .waiting else { continue }
        if isFinished || !isHard {
          rows[waiting].blockers -= 1
          offer(waiting)
        } else {
          markSkipped(waiting, .skipped(because: rows[index].id))
          skipped.append(waiting)
        }
      }
      guard let next = skipped.popLast() else { return }
      (index, isFinished) = (next, false)
    }
  }

  /// Removes ended rows, all of them or when they outnumber the others, and keeps the results of named ones.
  ///
  /// - Complexity: Amortized O(1).
  mutating func releaseEndedRows(records: Bool = true) {
    let openCount = open.reduce(0, +)
    guard openCount == 0 || rows.count > max(8, 2 * openCount) else { return }
    if rows.isEmpty { return }
    let ended = openCount == 0 ? rows : rows.filter(\.isOver)
    if records {
      for row in ended {
        guard let outcome = row.outcome, let id = row.item.id, names[id] == row.number else {
          continue
        }
        record(outcome, of: row)
      }
      outbox.append(.released(ended))
    }
    if openCount == 0 {
      (rows, edges, ranked) = ([], [], [])
      (calls, hops, tasks) = (RankSet(), RankSet(), RankSet())
    } else {
      rows.removeAll(where: \.isOver)
    }
  }
}
