/// What a receiver of one event knows of each sender: the last sequence, and how many are missing.
///
/// Anyone can send a message with any sequence. One that is far ahead makes the sender's own events late, and one
/// that cannot be believed is not noted; so a run of late or unbelievable events in ascending order is believed in
/// the end, and the sender is heard again.
package struct SenderLedger: Sendable {
  /// What an event is, by its sequence.
  package enum Verdict: Sendable, Equatable {
    /// The next one of its sender, or the first one known.
    case next
    /// A later one; so many before it are missing.
    case afterGap(Int)
    /// One that was received, or was counted as missing.
    case past
    /// One so far after the last one that it would make all others late.
    case implausible
  }

  private struct Key: Hashable {
    let node: String
    let incarnation: UInt64
  }

  private struct Record {
    /// The last sequence that was believed.
    var last: UInt64
    /// The last one of the run that was not, since then.
    var runLast: UInt64 = 0
    var runLength = 0

    init(last: UInt64) { self.last = last }

    mutating func note(_ sequence: UInt64) -> Verdict {
      if sequence > last, sequence - last - 1 <= SenderLedger.longestGap {
        let missing = sequence - last - 1
        self = Record(last: sequence)
        return missing == 0 ? .next : .afterGap(Int(missing))
      }
      let isAscending = sequence > runLast && sequence - runLast - 1 <= SenderLedger.longestGap
      runLength = runLength > 0 && isAscending ? runLength + 1 : 1
      runLast = sequence
      if runLength == SenderLedger.believedRun {
        self = Record(last: sequence)
        return .next
      }
      return sequence <= last ? .past : .implausible
    }
  }

  /// How many events in ascending order are believed against an earlier one.
  package static let believedRun = 16
  /// The longest gap that is believed at once: ten thousand events a second for a day.
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
