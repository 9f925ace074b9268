/// The last sequence of each sender of one event, by which a receiver notices missing events.
///
/// Events are accepted in ascending order, and each gap before one is counted. Late events, which a server still had
/// while the sender went on over another one, were counted as missing, and are ``Verdict/past``.
///
/// Any program can send a message with any sequence, and one that is far ahead makes the sender's own events late.
/// Therefore, a sequence after a gap of ``believedRun`` or more is only claimed, until the next one follows, or two with
/// smaller gaps do. For a run of that many late events in ascending order, what is claimed is given up, but never what
/// was confirmed so. As many events in ascending order after a gap that is too long to be believed are accepted as well.
package struct SenderLedger: Sendable {
  /// The meaning of the sequence of an event.
  package enum Verdict: Sendable, Equatable {
    /// The next one of its sender, or the first one known.
    case next
    /// A later one; this number of events before it is missing.
    case afterGap(Int)
    /// One that was received, or was counted as missing.
    case past
    /// One so far after the last that it would make all others late.
    case implausible
  }

  private struct Key: Hashable {
    let node: String
    let incarnation: UInt64
  }

  private struct Record {
    /// The last accepted sequence.
    var last: UInt64
    /// The last accepted sequence that is not only claimed; zero if there is none.
    var confirmed: UInt64 = 0
    /// The claimed sequences before the last one, as many as a run has events.
    var claims: [UInt64] = []
    /// Whether the last one came after a claimed one with a small gap.
    var isFollowed = false
    /// The last sequence of the run of refused ones after the confirmed one.
    var runLast: UInt64 = 0
    var runLength = 0

    init(last: UInt64) { self.last = last }

    mutating func note(_ sequence: UInt64) -> Verdict {
      if sequence > last, sequence - last - 1 <= SenderLedger.longestGap {
        let missing = Int(sequence - last - 1)
        let former = last
        last = sequence
        let isNear = missing < SenderLedger.believedRun
        if missing == 0 || isNear && (former == confirmed || isFollowed) {
          confirm(last)
        } else {
          if former > confirmed, claims.count < SenderLedger.believedRun { claims.append(former) }
          isFollowed = isNear
        }
        return missing == 0 ? .next : .afterGap(missing)
      }
      let verdict: Verdict = sequence <= last ? .past : .implausible
      // A late event, or a copy of the last one, says nothing about later ones.
      if sequence <= confirmed || sequence == last { return verdict }
      if claims.contains(sequence - 1) { confirm(sequence - 1) }
      // Neither does a copy of an event of the run.
      let isRepeated = sequence <= runLast && runLast - sequence < SenderLedger.believedRun
      if runLength > 0, isRepeated { return verdict }
      let isAscending = sequence > runLast && sequence - runLast - 1 <= SenderLedger.longestGap
      let former = runLast
      runLength = runLength > 0 && isAscending ? runLength + 1 : 1
      runLast = sequence
      guard runLength == SenderLedger.believedRun else { return verdict }
      (last, claims) = (sequence, [])
      // Far ahead of the others, it is only claimed in its turn.
      confirm(sequence - former - 1 < SenderLedger.believedRun ? sequence : former)
      return .next
    }

    private mutating func confirm(_ sequence: UInt64) {
      confirmed = sequence
      if !claims.isEmpty { claims.removeAll { $0 <= sequence } }
      (runLast, runLength, isFollowed) = (0, 0, false)
    }
  }

  /// The number of events in ascending order that outweigh a claimed sequence, and the shortest gap after which a
  /// sequence is only claimed.
  package static let believedRun = 16
  /// The longest gap that is accepted at once: ten thousand events a second for a day.
  package static let longestGap: UInt64 = 1 << 30
  /// The highest sequence that a bridge reaches: a million events a second for 140,000 years.
  private static let highest: UInt64 = 1 << 62

  private var records: [Key: Record] = [:]
  private var order = BoundedBuffer<Key>(limit: 1)
  private let limit: Int
  /// The sender of the newest event, which is usually that of the next one.
  private var current: (key: Key, record: Record)?

  /// Creates an empty ledger.
  ///
  /// - Parameter limit: The largest number of senders; the first one is forgotten.
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
      return current?.record.note(header.sequence) ?? .next
    }
    if let former = current { records[former.key] = former.record }
    let key = Key(node: header.node, incarnation: header.incarnation)
    guard var known = records[key] else {
      if let forgotten = order.append(key) { records[forgotten] = nil }
      let record = Record(last: header.sequence)
      records[key] = record
      current = (key, record)
      return .next
    }
    defer { current = (key, known) }
    return known.note(header.sequence)
  }
}
