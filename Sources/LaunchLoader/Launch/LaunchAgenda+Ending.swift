/// How rows end, and what that means to those that wait for them.
extension LaunchAgenda {
  /// Records the end of a row that ran, or was to run.
  ///
  /// What needs it is skipped if it did not finish; what else waits for it may have its turn.
  ///
  /// - Complexity: O(*d*) in the number of those that wait for it, and for those that are skipped.
  mutating func end(_ place: Place, _ times: LaunchTimes?, _ outcome: LaunchOutcome) {
    let status = rows[index(of: place)].status
    guard status == .running || status == .ending else { return }
    makeRoom(place)
    open[rows[index(of: place)].phase.index] -= 1
    if times == nil { rows[index(of: place)].turn = nil }
    rows[index(of: place)].times = times
    rows[index(of: place)].outcome = outcome
    rows[index(of: place)].status = .ended
    release(place, isFinished: outcome.isFinished)
  }

  /// Lets the worker of a row begin, where it runs, unless the row has its outcome already.
  ///
  /// - Returns: Whether the caller is to call the worker.
  mutating func claimBegin(_ place: Place) -> Bool {
    guard has(place) else { return false }
    guard rows[index(of: place)].status == .starting else {
      rows[index(of: place)].isAbandoned = false
      return false
    }
    rows[index(of: place)].status = .running
    return true
  }

  /// Lets a worker that has returned, or that is not wanted, record its end.
  ///
  /// - Returns: Whether the outcome of the row was open.
  mutating func claimEnd(_ place: Place) -> Bool {
    guard isOut(place) else {
      if has(place) { rows[index(of: place)].isAbandoned = false }
      return false
    }
    rows[index(of: place)].status = .ending
    return true
  }

  /// Lets the caller record that a row took too long.
  ///
  /// A synchronous worker that has begun is waited for.
  ///
  /// - Returns: Whether the row can be left behind.
  mutating func giveUp(_ place: Place) -> Bool {
    guard isOut(place) else { return false }
    let row = rows[index(of: place)]
    guard row.status == .starting || row.registration.kind == .asynchronous else { return false }
    rows[index(of: place)].status = .ending
    rows[index(of: place)].isAbandoned = true
    return true
  }

  /// Gives up everything asynchronous that runs.
  ///
  /// - Returns: The places.
  /// - Complexity: O(*n*).
  mutating func giveUpRunning() -> [Place] {
    rows.indices.map(place(at:)).filter { rows[index(of: $0)].status == .running && giveUp($0) }
  }

  /// Marks a row as undone.
  mutating func setUndone(_ place: Place, _ outcome: LaunchOutcome) {
    rows[index(of: place)].outcome = outcome
  }

  /// Takes a row out that has not begun; what needs it is skipped.
  ///
  /// - Returns: The place of the row, or `nil` if it is too late.
  mutating func withdraw(_ serial: UInt64) -> Place? {
    guard let index = rows.place(of: serial), rows[index].isPending else { return nil }
    let place = place(at: index)
    makeRoom(place)
    rows[index].status = .withdrawn
    open[rows[index].phase.index] -= 1
    release(place, isFinished: false)
    return place
  }

  /// Gives a waiting row an outcome without its turn.
  mutating func skip(_ place: Place, _ outcome: LaunchOutcome) {
    guard rows[index(of: place)].status == .waiting else { return }
    markSkipped(place, outcome)
    release(place, isFinished: false)
  }

  /// Gives every row of some phases that has not begun an outcome.
  ///
  /// - Returns: The places of those that had been handed out.
  mutating func skipAll(
    from first: LaunchPhase = .early,
    _ outcome: LaunchOutcome
  ) -> [Place] {
    var starting: [Place] = []
    for index in rows.indices where rows[index].isPending && rows[index].phase >= first {
      let place = place(at: index)
      if rows[index].status == .starting { starting.append(place) }
      makeRoom(place)
      markSkipped(place, outcome)
    }
    return starting
  }

  /// Gives back what a row that was handed out takes up, for others to begin.
  private mutating func makeRoom(_ place: Place) {
    if rows[index(of: place)].isCounted {
      rows[index(of: place)].isCounted = false
      runningTasks -= 1
    }
    if hopping == place { hopping = nil }
  }

  /// Tells those that wait for a row that it has ended; those that needed it are skipped, and so on.
  private mutating func release(_ place: Place, isFinished: Bool) {
    guard !dependants.isEmpty, let first = dependants.removeValue(forKey: place) else { return }
    var ended = [(place: place, isFinished: isFinished, dependants: first)]
    while let (place, isFinished, dependants) = ended.popLast() {
      for dependant in dependants where rows[index(of: dependant.place)].status == .waiting {
        if isFinished || !dependant.isHard {
          settle(dependant.place)
        } else {
          markSkipped(dependant.place, .skipped(because: rows[index(of: place)].id))
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
    if count == 1 && rows[index(of: place)].phase <= phase { enqueue(place) }
  }

  private mutating func markSkipped(_ place: Place, _ outcome: LaunchOutcome) {
    rows[index(of: place)].status = .ended
    rows[index(of: place)].outcome = outcome
    rows[index(of: place)].turn = nil
    skipped.append(place)
  }
}
