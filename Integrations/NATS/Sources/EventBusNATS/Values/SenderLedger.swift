/// What a receiver of one event knows of each sender: the last sequence, and how many are missing.
package struct SenderLedger: Sendable {
  /// What an event is, by its sequence.
  package enum Verdict: Sendable, Equatable {
    /// The next one of its sender, or the first one known.
    case next
    /// A later one; so many before it are missing.
    case afterGap(Int)
    /// One that was received, or was counted as missing.
    case past
    /// One that no bridge can have sent: so far after the last one that it would make all others late.
    case implausible
  }

  private struct Key: Hashable {
    let node: String
    let incarnation: UInt64
  }

  private var last: [Key: UInt64] = [:]
  private var order = BoundedBuffer<Key>(limit: 1)
  private let limit: Int
  /// The sender of the newest event, which is usually that of the next one.
  private var current: (key: Key, last: UInt64)?

  /// Creates an empty ledger.
  ///
  /// - Parameter limit: How many senders it knows at most; the one heard first is forgotten.
  package init(limit: Int = 4096) {
    self.limit = limit
    order = BoundedBuffer(limit: limit)
  }

  /// Notes an event.
  ///
  /// - Complexity: O(1).
  package mutating func note(_ header: WireHeader) -> Verdict {
    guard header.sequence <= Self.highest else { return .implausible }
    if let former = current, former.key.incarnation == header.incarnation,
      former.key.node == header.node
    {
      let verdict = Self.verdict(former.last, header.sequence)
      if verdict.advances { current?.last = header.sequence }
      return verdict
    }
    if let former = current { last[former.key] = former.last }
    let key = Key(node: header.node, incarnation: header.incarnation)
    guard let known = last[key] else {
      if let forgotten = order.append(key) { last[forgotten] = nil }
      last[key] = header.sequence
      current = (key, header.sequence)
      return .next
    }
    let verdict = Self.verdict(known, header.sequence)
    current = (key, verdict.advances ? header.sequence : known)
    return verdict
  }

  private static func verdict(_ last: UInt64, _ sequence: UInt64) -> Verdict {
    guard sequence > last else { return .past }
    let missing = sequence - last - 1
    if missing > longestGap { return .implausible }
    return missing == 0 ? .next : .afterGap(Int(missing))
  }

  /// The highest sequence that a bridge reaches: a million events a second for 140,000 years.
  private static let highest: UInt64 = 1 << 62
  /// The longest gap that a broken connection explains: a million events a second for two weeks.
  private static let longestGap: UInt64 = 1 << 40
}

extension SenderLedger.Verdict {
  /// Whether the event is the newest of its sender.
  fileprivate var advances: Bool {
    switch self {
    case .next, .afterGap: true
    case .past, .implausible: false
    }
  }
}
