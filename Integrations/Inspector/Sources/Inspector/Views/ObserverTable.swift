internal import EventBus

/// The observers of a bus over time: one row for all that one line of code has registered.
///
/// A value, driven by samples. A row that only grows is marked, because it may be a leak.
struct ObserverTable: Sendable {
  /// What the observers of a row have in common.
  struct Key: Hashable, Sendable {
    var name: String
    var site: String
    var owner: String?
  }

  /// The observers of one line of code.
  struct Row: Sendable {
    var count = 0
    var alive = 0
    var paused = 0
    var dropped = 0
    var waiting = 0
    /// The counts of the last samples, the newest last.
    var history: [Int] = []
  }

  /// The number of samples that a row remembers.
  static let historyLength = 60
  /// The maximum number of rows; those with the fewest observers are left out.
  static let limit = 1_000

  private(set) var rows: [Key: Row] = [:]
  /// The number of rows that were left out.
  private(set) var omittedCount = 0
  /// The number of all observers.
  private(set) var total = 0
  /// The number of events that wait for handlers on actors.
  private(set) var waitingCount = 0
  private(set) var lostCount = 0

  /// Takes a sample.
  ///
  /// - Parameter snapshot: The registrations of the bus.
  mutating func sample(_ snapshot: EventBus.Snapshot) {
    var next: [Key: Row] = [:]
    (total, waitingCount) = (0, snapshot.waitingCount)
    lostCount = snapshot.lostCount
    for seen in snapshot.observations where !seen.site.fileID.hasPrefix(Inspector.ownFiles) {
      let key = Key(name: seen.name.shortened(to: 200), site: "\(seen.site)", owner: seen.ownerType)
      total += 1
      next[key, default: Row()].count += 1
      next[key]?.alive += seen.isAlive ? 1 : 0
      next[key]?.paused += seen.isPaused ? 1 : 0
      next[key]?.dropped += seen.droppedCount
      next[key]?.waiting += seen.waitingCount
    }
    omittedCount = max(0, next.count - Self.limit)
    if omittedCount > 0 {
      let kept = next.sorted { $0.value.count > $1.value.count }.prefix(Self.limit)
      next = Dictionary(kept.map { ($0.key, $0.value) }) { first, _ in first }
    }
    for key in next.keys {
      let history = (rows[key]?.history ?? []) + [next[key]?.count ?? 0]
      next[key]?.history = history.suffix(Self.historyLength)
    }
    rows = next
  }
}

extension ObserverTable.Row {
  /// True if the number of observers only grows.
  ///
  /// It has grown at least three times within the remembered samples, has never shrunk, and has grown within
  /// the newest third of them.
  var isGrowing: Bool {
    let steps = zip(history, history.dropFirst()).map { $1 - $0 }
    guard !steps.contains(where: { $0 < 0 }) else { return false }
    let recent = steps.suffix(ObserverTable.historyLength / 3)
    return steps.count { $0 > 0 } >= 3 && recent.contains { $0 > 0 }
  }
}

extension ObserverTable {
  /// The table for the page, growing rows first, then by name and site.
  var json: JSON {
    let sorted = rows.sorted { left, right in
      (left.value.isGrowing ? 0 : 1, left.key.name, left.key.site)
        < (right.value.isGrowing ? 0 : 1, right.key.name, right.key.site)
    }
    return [
      "total": JSON(total), "waiting": JSON(waitingCount), "lost": JSON(lostCount),
      "omitted": JSON(omittedCount),
      "rows": .array(
        sorted.map { key, row in
          [
            "name": .string(key.name), "site": .string(key.site), "owner": JSON(key.owner),
            "count": JSON(row.count), "alive": JSON(row.alive), "paused": JSON(row.paused),
            "dropped": JSON(row.dropped), "waiting": JSON(row.waiting),
            "growing": .bool(row.isGrowing),
            "history": .array(row.history.map { JSON($0) }),
          ]
        }
      ),
    ]
  }
}
