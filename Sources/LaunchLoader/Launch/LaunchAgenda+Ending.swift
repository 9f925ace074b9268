/// Ends of rows, and their effect on dependants.
extension LaunchAgenda {
  /// Records the end of a row that ran or was handed out.
  ///
  /// If the row did not finish, the rows that need it are skipped; other dependants become ready.
  ///
  /// - Complexity: O(*d*) in the number of its dependants and of the dependants of skipped rows.
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

  /// Lets the worker of a row begin, unless the row has an outcome.
  ///
  /// Called where the worker runs.
  ///
  /// - Returns: `true` if the caller must call the worker.
  mutating func claimBegin(_ place: Place) -> Bool {
    guard has(place) else { return false }
    guard rows[index(of: place)].status == .starting else {
      rows[index(of: place)].isAbandoned = false
      return false
    }
    rows[index(of: place)].status = .running
    return true
  }

  /// Claims the right to record the end of a worker that has returned or whose condition does not hold.
  ///
  /// - Returns: `true` if the row had no outcome yet.
  mutating func claimEnd(_ place: Place) -> Bool {
    guard isOut(place) else {
      if has(place) { rows[index(of: place)].isAbandoned = false }
      return false
    }
    rows[index(of: place)].status = .ending
    return true
  }

  /// Claims the right to record that a row exceeded its time limit.
  ///
  /// A synchronous worker that has begun must be awaited.
  ///
  /// - Returns: `true` if the row can be abandoned.
  mutating func giveUp(_ place: Place) -> Bool {
    guard isOut(place) else { return false }
    let row = rows[index(of: place)]
    guard row.status == .starting || row.registration.kind == .asynchronous else { return false }
    rows[index(of: place)].status = .ending
    rows[index(of: place)].isAbandoned = true
    return true
  }

  /// Abandons all asynchronous workers that run.
  ///
  /// - Returns: Their places.
  /// - Complexity: O(*n*).
  mutating func giveUpRunning() -> [Place] {
    rows.indices.map(place(at:)).filter { rows[index(of: $0)].status == .running && giveUp($0) }
  }

  /// Withdraws a row that has not begun, and skips the rows that need it.
  ///
  /// - Returns: The place of the row; `nil` if it has begun or ended.
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

  /// Gives an outcome to every row, from a phase on, that has not begun.
  ///
  /// - Returns: The places of those rows that were handed out.
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

  /// Releases the capacity that a handed-out row occupies, so that others can begin.
  private mutating func makeRoom(_ place: Place) {
    if rows[index(of: place)].isCounted {
      rows[index(of: place)].isCounted = false
      runningTasks -= 1
    }
    if hopping == place { hopping = nil }
  }

  /// Notifies the dependants of a row that it has ended, and skips, transitively, those that needed it.
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

  /// Decrements the number of rows that a row waits for.
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
