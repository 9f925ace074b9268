/// How rows end, and what that means to those that wait for them.
extension LaunchAgenda {
  /// Records the end of a row that ran, or was to run.
  ///
  /// What needs it is skipped if it did not finish; what else waits for it may have its turn.
  ///
  /// - Complexity: O(*d*) in the number of those that wait for it, and for those that are skipped.
  internal mutating func end(_ place: Place, _ times: LaunchTimes?, _ outcome: LaunchOutcome) {
    let status = rows[place - base].status
    guard status == .running || status == .ending else { return }
    makeRoom(place)
    open[rows[place - base].phase.index] -= 1
    if times == nil { rows[place - base].turn = nil }
    rows[place - base].times = times
    rows[place - base].outcome = outcome
    rows[place - base].status = .ended
    release(place, isFinished: outcome.isFinished)
  }

  /// Lets the worker of a row begin, where it runs, unless the row has its outcome already.
  ///
  /// - Returns: Whether the caller is to call the worker.
  internal mutating func claimBegin(_ place: Place) -> Bool {
    guard has(place) else { return false }
    guard rows[place - base].status == .starting else {
      rows[place - base].isAbandoned = false
      return false
    }
    rows[place - base].status = .running
    return true
  }

  /// Lets a worker that has returned, or that is not wanted, record its end.
  ///
  /// - Returns: Whether the outcome of the row was open.
  internal mutating func claimEnd(_ place: Place) -> Bool {
    guard isOut(place) else {
      if has(place) { rows[place - base].isAbandoned = false }
      return false
    }
    rows[place - base].status = .ending
    return true
  }

  /// Lets the caller record that a row took too long.
  ///
  /// A synchronous worker that has begun is waited for.
  ///
  /// - Returns: Whether the row can be left behind.
  internal mutating func giveUp(_ place: Place) -> Bool {
    guard isOut(place) else { return false }
    let row = rows[place - base]
    guard row.status == .starting || row.registration.kind == .asynchronous else { return false }
    rows[place - base].status = .ending
    rows[place - base].isAbandoned = true
    return true
  }

  /// Gives up everything asynchronous that runs.
  ///
  /// - Returns: The places.
  /// - Complexity: O(*n*).
  internal mutating func giveUpRunning() -> [Place] {
    rows.indices.filter { rows[$0].status == .running && giveUp(base + $0) }.map { base + $0 }
  }

  /// Marks a row as undone.
  internal mutating func setUndone(_ place: Place, _ outcome: LaunchOutcome) {
    rows[place - base].outcome = outcome
  }

  /// Takes a row out that has not begun; what needs it is skipped.
  ///
  /// - Returns: The place of the row, or `nil` if it is too late.
  internal mutating func withdraw(_ serial: UInt64) -> Place? {
    guard let index = rows.place(of: serial), rows[index].isPending else { return nil }
    makeRoom(base + index)
    rows[index].status = .withdrawn
    open[rows[index].phase.index] -= 1
    release(base + index, isFinished: false)
    return base + index
  }

  /// Gives a waiting row an outcome without its turn.
  internal mutating func skip(_ place: Place, _ outcome: LaunchOutcome) {
    guard rows[place - base].status == .waiting else { return }
    markSkipped(place, outcome)
    release(place, isFinished: false)
  }

  /// Gives every row of some phases that has not begun an outcome.
  ///
  /// - Returns: The places of those that had been handed out.
  internal mutating func skipAll(
    from first: LaunchPhase = .early,
    _ outcome: LaunchOutcome
  ) -> [Place] {
    var starting: [Place] = []
    for index in rows.indices where rows[index].isPending && rows[index].phase >= first {
      if rows[index].status == .starting { starting.append(base + index) }
      makeRoom(base + index)
      markSkipped(base + index, outcome)
    }
    return starting
  }

  /// Gives back what a row that was handed out takes up, for others to begin.
  private mutating func makeRoom(_ place: Place) {
    if rows[place - base].isCounted {
      rows[place - base].isCounted = false
      runningTasks -= 1
    }
    if hopping == place { hopping = nil }
  }

  /// Tells those that wait for a row that it has ended; those that needed it are skipped, and so on.
  private mutating func release(_ place: Place, isFinished: Bool) {
    guard !dependants.isEmpty, let first = dependants.removeValue(forKey: place) else { return }
    var ended = [(place: place, isFinished: isFinished, dependants: first)]
    while let (place, isFinished, dependants) = ended.popLast() {
      for dependant in dependants where rows[dependant.place - base].status == .waiting {
        if isFinished || !dependant.isHard {
          settle(dependant.place)
        } else {
          markSkipped(dependant.place, .skipped(because: rows[place - base].id))
          let next = self.dependants.removeValue(forKey: dependant.place) ?? []
          ended.append((dependant.place, false, next))
        }
      }
    }
  }

  /// Counts one fewer that a row waits for.
  private mutating func settle(_ place: Place) {
    guard let count = waitCounts[place] else { return }
    waitCounts[place] = count > 1 ? count - 1 : nil
    if count == 1 && rows[place - base].phase <= phase { enqueue(place) }
  }

  private mutating func markSkipped(_ place: Place, _ outcome: LaunchOutcome) {
    rows[place - base].status = .ended
    rows[place - base].outcome = outcome
    rows[place - base].turn = nil
    skipped.append(place)
  }
}
