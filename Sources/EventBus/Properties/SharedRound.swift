/// One change of a shared property on its way to the observers, or several neighbours merged into one.
///
/// The rules that what waits is kept and merged by are here, without a lock.
package struct SharedRound<Value> {
  /// The change; of merged ones the first old value and the last new one.
  package private(set) var change: Change<Value>
  /// The number of the first change in it, in the order in which they were made.
  ///
  /// Changes before it that came to nothing are in it, too, so that numbers have no gaps but those that
  /// a pause leaves.
  package private(set) var first: UInt
  /// The number of the last change in it.
  package private(set) var number: UInt
  /// The thread that made all of it, or zero.
  package private(set) var thread: UInt
  /// How many observers, each called for the change before, have led to it.
  package private(set) var depth: Int
  /// Whether a registration, or the end of a pause, came between the change before and this one.
  package private(set) var isBarred: Bool

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

  /// Whether the changes in it have cancelled each other out.
  ///
  /// Calls code of the user, so that it is asked under no lock.
  internal func isNothing(_ areEqual: ((Value, Value) -> Bool)?) -> Bool {
    isMerged && areEqual?(change.old, change.new) == true
  }

  /// Whether it holds several changes.
  package var isMerged: Bool { first != number }

  /// Whether the next round may become a part of this one.
  ///
  /// Not across a gap, which a pause leaves, and not across a registration or the end of a pause, unless
  /// too many such barriers came.
  ///
  /// - Parameters:
  ///   - next: The next round.
  ///   - isCrowded: Whether memory matters more than barriers do.
  /// - Returns: Whether ``merge(_:)`` may be called with it.
  internal func canMerge(_ next: SharedRound, isCrowded: Bool) -> Bool {
    guard change.kind == next.change.kind else { return false }
    return isCrowded || next.first == number + 1 && !next.isBarred
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

  /// Begins with changes before it that came to nothing.
  internal mutating func take(skipped: SkippedRounds) {
    first = skipped.first
    isBarred = isBarred || skipped.isBarred
  }

  /// The same for an observer that knows the value as it was after some of the changes.
  internal func beginning(with old: Value) -> SharedRound {
    var copy = self
    copy.change = Change(change.kind, old: old, new: change.new)
    return copy
  }
}

/// Rounds in a row whose changes came to nothing, and which are left out.
internal struct SkippedRounds {
  /// The number of the first change in them.
  internal let first: UInt
  /// Whether a registration, or the end of a pause, came before one of them.
  internal let isBarred: Bool
}

/// The changes that wait, first in, first out.
///
/// **Bound.** When 1,000 wait, the next one merges with the last, unless a registration or the end of a
/// pause keeps the two apart. When 2,000 wait, nothing does: an observer that registered in the middle of
/// what has merged is given a change that begins with the value it knows. So at most 2,000 wait, and one
/// more where the first is an initial value.
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
    let isCrowded = count >= 2 * Self.limit
    guard count >= Self.limit, var last = rounds.popLast() else {
      _ = rounds.append(round)
      return nil
    }
    var displaced: Value?
    if last.canMerge(round, isCrowded: isCrowded) { displaced = last.merge(round) }
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
