/// The nodes that are known, by their heartbeats.
///
/// A node is the name of a process. Usually one process has it, and the next one takes its place. Where several
/// have it at the same time, the table knows each by its incarnation, and the node is there while one of them is.
///
/// Anyone can send heartbeats: none hides a node that keeps beating for longer than three intervals, and none
/// fills the table for longer than three minutes.
package struct NodeTable: Sendable {
  /// What changed.
  package enum Change: Sendable, Equatable {
    /// A node was heard for the first time, or again.
    case joined(String)
    /// A node said goodbye, fell silent, or was replaced by another process of its name.
    case left(String)
    /// Several processes have the name of a node at the same time; once, while that lasts.
    case clashed(String)
    /// A node was not noted, as the table is full.
    case ignored(String)
  }

  /// What a process is to its node.
  private enum Standing {
    case present
    /// A newer process has taken its place, unless it is heard later than an interval after that.
    case replaced(since: ContinuousClock.Instant)
    /// It said goodbye: a heartbeat that was sent before may come later.
    case departed(until: ContinuousClock.Instant)
  }

  private struct Process {
    var standing = Standing.present
    let since: ContinuousClock.Instant
    var interval: Duration
    var silentAt: ContinuousClock.Instant

    var isPresent: Bool {
      if case .present = standing { true } else { false }
    }

    /// Whether nothing needs to be known of it any more.
    func isOver(at now: ContinuousClock.Instant) -> Bool { end <= now }

    /// When nothing needs to be known of it any more, unless it is heard before.
    var end: ContinuousClock.Instant {
      if case .departed(let until) = standing { until } else { silentAt }
    }
  }

  private struct Entry {
    var processes: [UInt64: Process] = [:]
    var isClashing = false
    var presentCount: Int { processes.values.count(where: \.isPresent) }
  }

  /// The longest time between two heartbeats that is believed.
  package static let longestInterval = Duration.seconds(60)

  private var entries: [String: Entry] = [:]
  private var processCount = 0
  private var nextPurge: ContinuousClock.Instant?
  /// Nothing is over before; heartbeats may have postponed it since.
  private var nextEnd: ContinuousClock.Instant?
  private let limit: Int
  private let own: (node: String, incarnation: UInt64)?

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - limit: How many processes it knows at most; others are ignored.
  ///   - own: The process of the table itself, which is not one of the nodes.
  package init(limit: Int = 10_000, own: (node: String, incarnation: UInt64)? = nil) {
    self.limit = limit
    self.own = own
  }

  /// The nodes that are there, sorted.
  package var present: [String] {
    entries.filter { $0.value.presentCount > 0 }.keys.sorted()
  }

  /// Notes a heartbeat.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - incarnation: The incarnation of its bridge.
  ///   - interval: The time between its heartbeats, of which at most ``longestInterval`` is believed.
  ///   - now: The time.
  /// - Returns: What changed.
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
      case .departed(let until) where now >= until: process.standing = .present
      case .replaced: break
      case .departed: return []
      }
      entry.processes[incarnation] = process
      if !wasPresent, process.isPresent { changes.append(.joined(node)) }
    } else {
      guard makeRoom(at: now) else { return [.ignored(node)] }
      // The next process of the node, as a restart makes one.
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
    // A predecessor of this process may be heard as it ends.
    return now > process.since + process.interval
  }

  /// Removes what need not be known, if the table is full.
  private mutating func makeRoom(at now: ContinuousClock.Instant) -> Bool {
    if processCount < limit { return true }
    if let nextPurge, now < nextPurge { return false }
    // A flood of heartbeats must not search the table for each.
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

  /// Notes a goodbye.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - incarnation: The incarnation of its bridge.
  ///   - now: The time.
  /// - Returns: What changed.
  package mutating func left(
    _ node: String,
    _ incarnation: UInt64,
    at now: ContinuousClock.Instant
  ) -> [Change] {
    guard let process = entries[node]?.processes[incarnation] else { return [] }
    if case .departed = process.standing { return [] }
    let until = now + process.interval * 3
    entries[node]?.processes[incarnation]?.standing = .departed(until: until)
    nextEnd = min(nextEnd ?? until, until)
    settle(node)
    let isGone = process.isPresent && entries[node]?.presentCount == 0
    return isGone ? [.left(node)] : []
  }

  /// Finds the nodes that fell silent.
  ///
  /// - Complexity: O(1) until something may be over, then O(*n*) in the number of processes.
  package mutating func expire(at now: ContinuousClock.Instant) -> [Change] {
    guard let nextEnd, nextEnd <= now else { return [] }
    let before = present
    defer {
      self.nextEnd = entries.values.lazy.flatMap(\.processes.values).map(\.end).min()
    }
    remove { $0.isOver(at: now) }
    return before.filter { entries[$0]?.presentCount ?? 0 == 0 }.map { .left($0) }
  }

  /// Forgets all nodes, as none can be heard any more.
  package mutating func leaveAll() -> [Change] {
    let changes = present.map { Change.left($0) }
    (entries, processCount) = ([:], 0)
    return changes
  }

  /// Postpones silence, after a time in which no heartbeat could arrive.
  package mutating func excuse(until instant: ContinuousClock.Instant) {
    for (node, entry) in entries {
      for (incarnation, process) in entry.processes {
        entries[node]?.processes[incarnation]?.silentAt = max(process.silentAt, instant)
      }
    }
  }
}
