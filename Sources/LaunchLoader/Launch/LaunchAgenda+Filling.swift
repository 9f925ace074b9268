/// Putting rows on the agenda: those of the launch, and those that join it.
extension LaunchAgenda {
  /// Puts the rows of a roster on an empty agenda, in their order, all in the usual phase.
  ///
  /// - Complexity: O(*n*).
  mutating func fill(from roster: inout LaunchRoster) {
    // Taken out by the one that changes them, because rows that two have are copied.
    rows = roster.takeRows()
    nextPlace = rows.count
    phase = .standard
    lastRank = rows.count
    for place in rows.indices where rows[place].status == .waiting {
      rows[place].rank = place
      open[phase.index] += 1
      enqueue(place)
    }
  }

  /// Puts rows on an empty agenda, as planned.
  ///
  /// - Parameters:
  ///   - rows: All rows.
  ///   - places: Those that were planned.
  ///   - schedule: The plan for them.
  /// - Complexity: O(*n* + *e*) in the numbers of rows and of dependencies.
  mutating func fill(
    _ rows: [LaunchRow],
    planned places: [Place],
    _ schedule: LaunchPlanner.Schedule
  ) {
    self.rows = rows
    nextPlace = rows.count
    for (index, place) in places.enumerated() {
      self.rows[place].phase = schedule.phases[index]
      open[schedule.phases[index].index] += 1
    }
    for (rank, index) in schedule.order.enumerated() {
      let place = places[index]
      self.rows[place].rank = rank
      phases[schedule.phases[index].index].append(place)
      for edge in schedule.waits[index] where schedule.excluded[edge.target] == nil {
        wait(place, for: places[edge.target], isHard: edge.isHard)
      }
    }
    for index in schedule.excluded.keys.sorted() {
      skip(places[index], .skipped(because: schedule.excluded[index]))
    }
    lastRank = rows.count
    openPhase()
  }

  /// Adds a row, behind those that are there.
  ///
  /// - Returns: Its place.
  mutating func append(_ row: LaunchRow) -> Place {
    let place = nextPlace
    rows.append(row)
    if !keptPlaces.isEmpty { keptPlaces.append(place) }
    nextPlace += 1
    if row.status == .waiting { open[row.phase.index] += 1 }
    return place
  }

  /// Makes a row wait for another one, which has not ended.
  mutating func wait(_ place: Place, for target: Place, isHard: Bool) {
    waitCounts[place, default: 0] += 1
    dependants[target, default: []].append(Dependant(place: place, isHard: isHard))
  }

  /// Gives a row that was added its turn, now or when its phase and what it waits for allow.
  mutating func schedule(_ place: Place) {
    lastRank += 1
    rows[index(of: place)].rank = lastRank
    if rows[index(of: place)].phase > phase {
      phases[rows[index(of: place)].phase.index].append(place)
    } else if waitCounts[place] == nil {
      enqueue(place)
    }
  }

  /// Moves a waiting row to an earlier phase, because something of that phase waits for it; the caller
  /// schedules it.
  ///
  /// - Returns: Whether it was in a later one.
  mutating func move(_ place: Place, to earlier: LaunchPhase) -> Bool {
    let later = rows[index(of: place)].phase
    guard rows[index(of: place)].status == .waiting && later > earlier else { return false }
    open[later.index] -= 1
    open[earlier.index] += 1
    rows[index(of: place)].phase = earlier
    return true
  }
}
