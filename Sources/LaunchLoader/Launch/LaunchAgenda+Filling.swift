/// Adding rows to the agenda, for the launch and during it.
extension LaunchAgenda {
  /// Fills an empty agenda with the rows of a roster, in order, all in the standard phase.
  ///
  /// - Complexity: O(*n*).
  mutating func fill(from roster: inout LaunchRoster) {
    // Taken before they are changed, because shared rows would be copied.
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

  /// Fills an empty agenda with rows as planned.
  ///
  /// - Parameters:
  ///   - rows: All rows.
  ///   - places: The places of the planned rows.
  ///   - schedule: The plan for these rows.
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

  /// Appends a row.
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

  /// Makes a row wait for another row, which has not ended.
  mutating func wait(_ place: Place, for target: Place, isHard: Bool) {
    waitCounts[place, default: 0] += 1
    dependants[target, default: []].append((place, isHard))
  }

  /// Assigns a rank to a row that was added, and enqueues it now or when its phase and its dependencies
  /// permit.
  mutating func schedule(_ place: Place) {
    lastRank += 1
    rows[index(of: place)].rank = lastRank
    if rows[index(of: place)].phase > phase {
      phases[rows[index(of: place)].phase.index].append(place)
    } else if waitCounts[place] == nil {
      enqueue(place)
    }
  }

  /// Moves a waiting row to an earlier phase that depends on it; the caller then schedules it.
  ///
  /// - Returns: `true` if the row was in a later phase.
  mutating func move(_ place: Place, to earlier: LaunchPhase) -> Bool {
    let later = rows[index(of: place)].phase
    guard rows[index(of: place)].status == .waiting && later > earlier else { return false }
    open[later.index] -= 1
    open[earlier.index] += 1
    rows[index(of: place)].phase = earlier
    return true
  }
}
