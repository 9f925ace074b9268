/// One change of a shared property on its way to the observers, or several neighbours merged into one.
///
/// The rules that what waits is kept and merged by are here, without a lock.
package struct SharedRound<Value> {
  /// The change; of merged ones the first old value and the last new one.
  package private(set) var change: Change<Value>
  /// The number of the first change in it, in the order in which they were made.
  package let first: UInt
  /// The number of the last change in it.
  package private(set) var number: UInt
  /// The thread that made all of it, or zero.
  package private(set) var thread: UInt
  /// How many observers, each called for the change before, have led to it.
  package private(set) var depth: Int
  /// Whether a registration, or the end of a pause, came between the change before and this one.
  package let isBarred: Bool

  /// Describes one change.
  package init(
    _ change: Change<Value>,
    number: UInt,
    thread: UInt = 0,
    depth: Int = 0,
    isBarred: Bool = false
  ) {
    self.change = change
    first = number
    self.number = number
    self.thread = thread
    self.depth = depth
    self.isBarred = isBarred
  }

  /// The same as an announcement.
  internal var announcement: SharedRound {
    var copy = self
    copy.change = Change(.prior, old: change.old, new: change.new)
    return copy
  }

  /// Whether the next round may become a part of this one.
  ///
  /// Not across a gap, which a pause leaves, and not across a registration or the end of a pause.
  internal func canMerge(_ next: SharedRound) -> Bool {
    next.first == number + 1 && !next.isBarred && change.kind == next.change.kind
  }

  /// Takes the next round in.
  ///
  /// - Returns: The value that is no longer needed, for the caller to release outside its lock.
  internal mutating func merge(_ next: SharedRound) -> Value {
    let displaced = change.new
    change = Change(change.kind, old: change.old, new: next.change.new)
    number = next.number
    if thread != next.thread { thread = 0 }
    depth = max(depth, next.depth)
    return displaced
  }
}

/// The changes that wait, first in, first out.
///
/// **Bound.** When 1,000 wait, the next one merges with the last, unless the two must stay apart: so at
/// most 1,000 wait, and one more for each registration and each end of a pause meanwhile.
package struct RoundQueue<Value> {
  /// How many wait before neighbours merge.
  package static var limit: Int { 1_000 }

  private var rounds = BoundedQueue<SharedRound<Value>>()

  /// Creates an empty queue.
  package init() {}

  /// How many rounds wait.
  package var count: Int { rounds.count }

  /// The round that is next.
  internal var first: SharedRound<Value>? { rounds.first }

  /// Adds a round behind all others.
  ///
  /// - Returns: If it was merged, the value that is no longer needed, for the caller to release outside
  ///   its lock.
  /// - Complexity: Amortized O(1).
  package mutating func append(_ round: SharedRound<Value>) -> Value? {
    guard count >= Self.limit, var last = rounds.popLast() else {
      _ = rounds.append(round)
      return nil
    }
    var displaced: Value?
    if last.canMerge(round) { displaced = last.merge(round) }
    _ = rounds.append(last)
    if displaced == nil { _ = rounds.append(round) }
    return displaced
  }

  /// Takes the first round.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func popFirst() -> SharedRound<Value>? { rounds.popFirst() }
}

extension SharedRound: Sendable where Value: Sendable {}
extension RoundQueue: Sendable where Value: Sendable {}
