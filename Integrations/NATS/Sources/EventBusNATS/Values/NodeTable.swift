/// The nodes that are known, by their heartbeats.
package struct NodeTable: Sendable {
  /// What changed.
  package enum Change: Sendable, Equatable {
    /// A node was heard for the first time, or again.
    case joined(String)
    /// A node said goodbye, fell silent, or was replaced by another process of its name.
    case left(String)
  }

  private struct Entry {
    var incarnation: UInt64
    /// The incarnation that this one replaced, whose late heartbeats are ignored.
    var former: UInt64?
    var silentAt: ContinuousClock.Instant
    var isPresent: Bool
  }

  private var entries: [String: Entry] = [:]
  private let limit: Int

  /// Creates an empty table.
  ///
  /// - Parameter limit: How many nodes it knows at most; others are ignored.
  package init(limit: Int = 10_000) { self.limit = limit }

  /// The nodes that are there, sorted.
  package var present: [String] {
    entries.filter { $0.value.isPresent }.keys.sorted()
  }

  /// Notes a heartbeat.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - incarnation: The incarnation of its bridge.
  ///   - interval: The time between its heartbeats.
  ///   - now: The time.
  /// - Returns: What changed.
  package mutating func heard(
    _ node: String,
    _ incarnation: UInt64,
    interval: Duration,
    at now: ContinuousClock.Instant
  ) -> [Change] {
    let silentAt = now + interval * 3
    guard var entry = entries[node] else {
      if entries.count >= limit { entries = entries.filter(\.value.isPresent) }
      guard entries.count < limit else { return [] }
      entries[node] = Entry(incarnation: incarnation, silentAt: silentAt, isPresent: true)
      return [.joined(node)]
    }
    if entry.former == incarnation { return [] }
    var changes: [Change] = []
    if entry.incarnation != incarnation {
      if entry.isPresent { changes.append(.left(node)) }
      (entry.former, entry.incarnation) = (entry.incarnation, incarnation)
      entry.isPresent = false
    }
    if !entry.isPresent { changes.append(.joined(node)) }
    (entry.isPresent, entry.silentAt) = (true, silentAt)
    entries[node] = entry
    return changes
  }

  /// Notes a goodbye.
  package mutating func left(_ node: String, _ incarnation: UInt64) -> [Change] {
    guard var entry = entries[node], entry.isPresent, entry.incarnation == incarnation else {
      return []
    }
    entry.isPresent = false
    // A heartbeat that was sent before the goodbye may come after it.
    entry.former = incarnation
    entries[node] = entry
    return [.left(node)]
  }

  /// Finds the nodes that fell silent.
  package mutating func expire(at now: ContinuousClock.Instant) -> [Change] {
    var changes: [Change] = []
    for (node, entry) in entries where entry.isPresent && entry.silentAt <= now {
      entries[node]?.isPresent = false
      changes.append(.left(node))
    }
    // Long absent nodes only take room.
    for (node, entry) in entries where !entry.isPresent && entry.silentAt + .seconds(600) <= now {
      entries[node] = nil
    }
    return changes.sorted { "\($0)" < "\($1)" }
  }

  /// Forgets all nodes, as none can be heard any more.
  package mutating func leaveAll() -> [Change] {
    let changes = present.map { Change.left($0) }
    entries = [:]
    return changes
  }

  /// Postpones silence, after a time in which no heartbeat could arrive.
  package mutating func excuse(until instant: ContinuousClock.Instant) {
    for (node, entry) in entries { entries[node]?.silentAt = max(entry.silentAt, instant) }
  }
}
