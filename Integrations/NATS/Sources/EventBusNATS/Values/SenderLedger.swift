/// The last sequence of each sender of one event, by which a receiver notices missing events.
///
/// Any program can send a message with any sequence. One that is far ahead makes the sender's own events late, and
/// an implausible one is not noted. Therefore, a run of late or implausible events in ascending order is accepted in
/// the end, and the events of the sender are received again.
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
    /// The last sequence of the run of refused ones since then.
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

  /// The number of events in ascending order that outweigh an earlier one.
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
