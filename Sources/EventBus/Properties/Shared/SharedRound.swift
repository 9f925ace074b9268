/// One pending change of a shared property, or several neighboring ones merged.
///
/// A plain value with the rules of merging.
package struct SharedRound<Value> {
  /// The number of pending rounds from which the next one merges with the last.
  static var mergeLimit: Int { 1_000 }

  /// The change; a merged one has the first old value and the last new value.
  package private(set) var change: Change<Value>
  /// The number of the first change in the round.
  package let first: UInt
  /// The number of the last change in the round.
  package private(set) var number: UInt
  /// The thread that made all changes in the round, or zero if several did.
  private(set) var thread: UInt = 0
  /// The chain of the changes that led to the round, with this one.
  package private(set) var chain = SettingChain()
  /// A Boolean value that indicates whether the round has been counted as a merged change that was dropped.
  private(set) var isCounted = false

  /// Returns the round for an observer that already knows some of the changes, with the value it knows as
  /// the old value; returns the round unchanged for `nil`.
  func beginning(with known: Value?) -> SharedRound {
    guard let known else { return self }
    var copy = self
    copy.change = Change(change.kind, old: known, new: change.new)
    return copy
  }

  /// The round, once it has been counted as dropped.
  var counted: SharedRound {
    var copy = self
    copy.isCounted = true
    return copy
  }

  /// A Boolean value that indicates whether the round contains several changes.
  var isMerged: Bool { first != number }

  /// Returns whether the merged changes cancel each other out.
  ///
  /// It calls the value's `==`, so call it without a lock held.
  func isNothing(_ areEqual: (Value, Value) -> Bool) -> Bool {
    isMerged && areEqual(change.old, change.new)
  }

  /// Merges the next round into this one, unless this is an initial value.
  ///
  /// - Returns: If the rounds were merged, a value for the caller to release outside its lock.
  fileprivate mutating func merge(_ next: SharedRound) -> Value? {
    guard change.kind == next.change.kind else { return nil }
    let displaced = change.new
    change = Change(change.kind, old: change.old, new: next.change.new)
    number = next.number
    isCounted = false
    if thread != next.thread { thread = 0 }
    chain = chain.merged(with: next.chain)
    return displaced
  }
}

extension SharedRound: Sendable where Value: Sendable {}

extension BoundedQueue {
  /// Appends a round, or merges it into the last one.
  ///
  /// **Bound.** The queue holds at most 1,000 rounds, or 1,001 if the first is an initial value: with so many, the next
  /// one merges with the last. An observer that registered in the middle of a merged round receives a change that begins
  /// with the value it knows.
  ///
  /// - Returns: If the round was merged, a value for the caller to release outside its lock.
  /// - Complexity: Amortized O(1).
  package mutating func appendOrMerge<Value>(_ round: SharedRound<Value>) -> Value?
  where Element == SharedRound<Value> {
    if count >= Element.mergeLimit, var last = popLast() {
      let displaced = last.merge(round)
      _ = append(last)
      if displaced != nil { return displaced }
    }
    _ = append(round)
    return nil
  }
}
