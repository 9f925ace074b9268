/// How rows end, and what that means to those that wait for them.
extension LaunchAgenda {
  /// Records the end of a row that ran, or was to run.
  ///
  /// What needs it is skipped if it did not finish; what else waits for it may have its turn.
  ///
  /// - Complexity: O(*d*) in the number of those that wait for it, and for those that are skipped.
  internal mutating func end(_ place: Place, _ times: LaunchTimes?, _ outcome: LaunchOutcome) {
    guard rows[place - base].status == .running else { return }
    if rows[place - base].isCounted { runningTasks -= 1 }
    if hopping == place { hopping = nil }
    open[rows[place - base].phase.index] -= 1
    // Who was called directly needs no claim, and has returned.
    if !rows[place - base].isEnding { rows[place - base].hasReturned = true }
    if times == nil { rows[place - base].turn = nil }
    rows[place - base].times = times
    rows[place - base].outcome = outcome
    rows[place - base].status = .ended
    release(place, isFinished: outcome.isFinished)
  }

  /// Lets one record the end of a row that runs: its work, or whoever gives it up.
  ///
  /// - Returns: Whether nobody else does or did.
  internal mutating func claimEnd(_ place: Place, hasReturned: Bool) -> Bool {
    guard has(place) else { return false }
    if hasReturned { rows[place - base].hasReturned = true }
    guard rows[place - base].status == .running, !rows[place - base].isEnding else { return false }
    rows[place - base].isEnding = true
    return true
  }

  /// Marks a row as undone.
  internal mutating func setUndone(_ place: Place) { rows[place - base].outcome = .undone }

  /// Takes a waiting row out; what needs it is skipped.
  ///
  /// - Returns: The row, or `nil` if it does not wait.
  internal mutating func withdraw(_ serial: UInt64) -> LaunchRow? {
    guard let index = rows.place(of: serial), rows[index].status == .waiting else { return nil }
    rows[index].status = .withdrawn
    open[rows[index].phase.index] -= 1
    release(base + index, isFinished: false)
    return rows[index]
  }

  /// Gives a waiting row an outcome without its turn.
  internal mutating func skip(_ place: Place, _ outcome: LaunchOutcome) {
    guard rows[place - base].status == .waiting else { return }
    markSkipped(place, outcome)
    release(place, isFinished: false)
  }

  /// Gives every waiting row of some phases an outcome without its turn.
  internal mutating func skipAll(from first: LaunchPhase = .early, _ outcome: LaunchOutcome) {
    for index in rows.indices where rows[index].status == .waiting && rows[index].phase >= first {
      markSkipped(base + index, outcome)
    }
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
    skipped.append(place)
  }
}
