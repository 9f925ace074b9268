/// The other nodes, by their heartbeats.
///
/// A node is the name of a process. Usually one process has it, and the next one replaces that. If several have it
/// at the same time, the table distinguishes them by incarnation, and the node is present while one of them is.
///
/// Any program can send heartbeats: none of them hides a node that keeps sending its own for longer than three
/// intervals, and none fills the table for longer than three minutes.
package struct NodeTable: Sendable {
  /// A change of the table.
  package enum Change: Sendable, Equatable {
    /// A node sent its first heartbeat, or the first one after an absence.
    case joined(String)
    /// A node announced its end, sent no heartbeat in time, or was replaced by another process of its name.
    case left(String)
    /// Several processes have the name of a node at the same time; reported once while that lasts.
    case clashed(String)
    /// A node was not added, as the table is full.
    case ignored(String)
  }

  /// The relation of a process to its node.
  private enum Standing {
    case present
    /// A newer process has replaced it, unless a heartbeat follows later than an interval after that.
    case replaced(since: ContinuousClock.Instant)
    /// It announced its end: an earlier heartbeat may still arrive within three intervals.
    case departed(since: ContinuousClock.Instant)
  }

  private struct Process {
    var standing = Standing.present
    let since: ContinuousClock.Instant
    var interval: Duration
    var silentAt: ContinuousClock.Instant

    var isPresent: Bool {
      if case .present = standing { true } else { false }
    }

    /// Whether the table can forget the process.
    func isOver(at now: ContinuousClock.Instant) -> Bool { end <= now }

    /// The time from which on the table can forget the process, unless a heartbeat arrives before.
    var end: ContinuousClock.Instant {
      if case .departed(let since) = standing { since + interval * 3 } else { silentAt }
    }
  }

  private struct Entry {
    var processes: [UInt64: Process] = [:]
    var isClashing = false
    var presentCount: Int { processes.values.count(where: \.isPresent) }
  }

  /// The longest accepted time between two heartbeats.
  static let longestInterval = Duration.seconds(60)

  private var entries: [String: Entry] = [:]
  private var processCount = 0
  private var nextPurge: ContinuousClock.Instant?
  /// No process ends before this time; later heartbeats may have postponed the end.
  private var nextEnd: ContinuousClock.Instant?
  private let limit: Int
  private let own: (node: String, incarnation: UInt64)?

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - limit: The largest number of processes; others are ignored.
  ///   - own: The process that has the table, which is not one of the nodes.
  package init(limit: Int = 10_000, own: (node: String, incarnation: UInt64)? = nil) {
    self.limit = limit
    self.own = own
  }

  /// The present nodes, sorted.
  package var present: [String] {
    entries.filter { $0.value.presentCount > 0 }.keys.sorted()
  }

  /// Notes a heartbeat.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - incarnation: The incarnation of its bridge.
  ///   - interval: The time between its heartbeats; at most ``longestInterval`` is accepted.
  ///   - now: The time.
  /// - Returns: The changes.
  package mutating func heard(
    _ node: String,
    _ incarnation: UInt64,
    interval: Duration,
    at now: ContinuousClock.Instant
  ) -> [Change] {
    if let own, own.node == node, own.incarnation == incarnation { return [] }
    let interval = min(Self.longestInterval, interval)
    nextEnd = min(nextEnd ?? now + interval * 3, now + interval * 3)
    var entry = entries[node] ?? Entry()
    let wasPresent = entry.presentCount > 0
    var changes: [Change] = []
    if var process = entry.processes[incarnation] {
      process.interval = interval
      process.silentAt = now + interval * 3
      switch process.standing {
      case .present: break
      case .replaced(let since) where now > since + interval: process.standing = .present
      // The interval is that of this heartbeat: one that was forged before does not prolong the absence.
      case .departed(let since) where now >= since + interval * 3: process.standing = .present
      case .replaced, .departed: break
      }
      entry.processes[incarnation] = process
      if !wasPresent, process.isPresent { changes.append(.joined(node)) }
    } else {
      guard makeRoom(at: now) else { return [.ignored(node)] }
      // The next process of the node, as after a restart.
      if wasPresent, !entry.isClashing {
        for (other, process) in entry.processes where process.isPresent {
          entry.processes[other]?.standing = .replaced(since: now)
        }
        changes.append(.left(node))
      }
      if !wasPresent || !entry.isClashing { changes.append(.joined(node)) }
      entry.processes[incarnation] = Process(
        since: now,
        interval: interval,
        silentAt: now + interval * 3
      )
      processCount += 1
    }
    if !entry.isClashing, isShared(entry, node, incarnation, at: now) {
      entry.isClashing = true
      changes.append(.clashed(node))
    }
    entries[node] = entry
    return changes
  }

  /// Whether several processes have the name of a node.
  private func isShared(
    _ entry: Entry,
    _ node: String,
    _ incarnation: UInt64,
    at now: ContinuousClock.Instant
  ) -> Bool {
    if entry.presentCount > 1 { return true }
    guard own?.node == node, let process = entry.processes[incarnation], process.isPresent else {
      return false
    }
    // The predecessor of this process may send a last heartbeat.
    return now > process.since + process.interval
  }

  /// Removes replaced and ended processes, if the table is full.
  private mutating func makeRoom(at now: ContinuousClock.Instant) -> Bool {
    if processCount < limit { return true }
    if let nextPurge, now < nextPurge { return false }
    // In a flood of heartbeats, not every one may search the table.
    nextPurge = now + .seconds(1)
    remove { !$0.isPresent }
    return processCount < limit
  }

  /// Removes processes.
  private mutating func remove(_ condition: (Process) -> Bool) {
    for (node, entry) in entries {
      guard entry.processes.values.contains(where: condition) else { continue }
      let kept = entry.processes.filter { !condition($0.value) }
      processCount -= entry.processes.count - kept.count
      entries[node]?.processes = kept
      settle(node)
    }
  }

  /// Notes the end of a clash, and forgets a node without processes.
  private mutating func settle(_ node: String) {
    guard let entry = entries[node] else { return }
    let shared = own?.node == node ? 1 : 2
    if entry.presentCount < shared { entries[node]?.isClashing = false }
    if entry.processes.isEmpty { entries[node] = nil }
  }

  /// Notes the announced end of a process.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - incarnation: The incarnation of its bridge.
  ///   - now: The time.
  /// - Returns: The changes.
  package mutating func left(
    _ node: String,
    _ incarnation: UInt64,
    at now: ContinuousClock.Instant
  ) -> [Change] {
    guard let process = entries[node]?.processes[incarnation] else { return [] }
    if case .departed = process.standing { return [] }
    entries[node]?.processes[incarnation]?.standing = .departed(since: now)
    let end = now + process.interval * 3
    nextEnd = min(nextEnd ?? end, end)
    settle(node)
    let isGone = process.isPresent && entries[node]?.presentCount == 0
    return isGone ? [.left(node)] : []
  }

  /// Finds the nodes without a heartbeat in time.
  ///
  /// - Complexity: O(1) until a process may have ended, then O(*n*) in the number of processes.
  package mutating func expire(at now: ContinuousClock.Instant) -> [Change] {
    guard let nextEnd, nextEnd <= now else { return [] }
    let before = present
    defer {
      self.nextEnd = entries.values.lazy.flatMap(\.processes.values).map(\.end).min()
    }
    remove { $0.isOver(at: now) }
    return before.filter { entries[$0]?.presentCount ?? 0 == 0 }.map { .left($0) }
  }

  /// Forgets all nodes, as no heartbeat can arrive any more.
  package mutating func leaveAll() -> [Change] {
    let changes = present.map { Change.left($0) }
    (entries, processCount) = ([:], 0)
    return changes
  }

  /// Postpones the end of all nodes, after a time in which no heartbeat could arrive.
  package mutating func excuse(until instant: ContinuousClock.Instant) {
    for (node, entry) in entries {
      for (incarnation, process) in entry.processes {
        entries[node]?.processes[incarnation]?.silentAt = max(process.silentAt, instant)
      }
    }
  }
}
