/// The value of a shared property, its pending changes, and the thread that delivers them.
///
/// It is a plain value that ``SharedCore`` guards with its lock. Changes are numbered in the order in which
/// they were made and delivered in that order by one thread at a time, so every observer sees an unbroken
/// chain.
///
/// ```
///            record                        next: 64 of others        taskBegins
///   idle ───────────► a thread's turn ───────────────────► left ───────────────► a task's turn
///                       ▲    │ next: none waits             │ record               │
///                       │    └────────► idle                │                      └─► left, idle
///                       └───────────────────────────────────┘
/// ```
package struct SharedChanges<Value> {
  /// The turn of one delivering thread.
  private struct Turn {
    let thread: UInt
    /// The number of the newest change when the turn began: the thread's own.
    let began: UInt
    /// A Boolean value that indicates whether a task delivers; a task has no change of its own.
    let isTask: Bool
    /// The number of delivered changes of other threads.
    var others = 0
    /// The depth of the round being delivered.
    var depth = 0

    /// Returns whether another thread made a round after this turn's own change.
    func isOthers(_ round: SharedRound<Value>) -> Bool {
      round.first <= began ? isTask : round.thread != thread
    }
  }

  /// The maximum number of changes of other threads that one thread delivers after its own.
  package static var othersPerTurn: Int { 64 }

  /// The current value.
  package var value: Value
  /// The number of the newest recorded change.
  package private(set) var newest: UInt = 0
  private var waiting = BoundedQueue<SharedRound<Value>>()
  /// The first change of the rounds skipped since the last delivered one, and whether a registration or
  /// the end of a pause preceded one of them.
  private var skipped: (first: UInt, isBarred: Bool)?
  /// The turn in progress.
  ///
  /// If there is none, but changes wait, a thread has reached its limit: the started task or the next
  /// setter, whichever comes first, takes the turn.
  private var turn: Turn?
  private var isTaskOnItsWay = false

  /// Creates a state without pending changes.
  package init(_ value: Value) { self.value = value }

  /// The number of pending rounds.
  package var waitingCount: Int { waiting.count }

  /// Records a change.
  ///
  /// - Parameters:
  ///   - old: The old value. The current value is the new one.
  ///   - thread: The thread that made the change.
  ///   - depth: The depth of the round whose handler made the change, if that call is outside any turn.
  ///   - isBarred: A Boolean value that indicates whether a registration or the end of a pause preceded the
  ///     change.
  ///   - displaced: Receives a value to release outside the lock if the change is merged.
  /// - Returns: `true` if the thread must deliver, beginning with ``next()``; `false` if another thread is
  ///   delivering, or this thread is, further up its stack.
  /// - Complexity: Amortized O(1).
  package mutating func record(
    from old: Value,
    by thread: UInt,
    answering depth: Int? = nil,
    isBarred: Bool,
    displaced: inout Value?
  ) -> Bool {
    newest += 1
    let answered = turn?.thread == thread ? turn?.depth : depth
    let round = SharedRound(
      change: Change(.set, old: old, new: value),
      first: newest,
      number: newest,
      thread: thread,
      depth: answered.map { $0 + 1 } ?? 0,
      isBarred: isBarred
    )
    displaced = waiting.appendOrMerge(round)
    if turn != nil { return false }
    turn = Turn(thread: thread, began: newest, isTask: false)
    return true
  }

  /// Returns the next round for the delivering thread.
  ///
  /// - Returns: A round to deliver before the next call; or `nil` if the turn is over, and whether the thread
  ///   must start a task. The task or the next setter delivers the rest.
  package mutating func next() -> (round: SharedRound<Value>?, startsTask: Bool) {
    guard var current = turn.take(), var round = waiting.first else { return (nil, false) }
    if current.isOthers(round) {
      if current.others == Self.othersPerTurn {
        defer { isTaskOnItsWay = true }
        return (nil, !isTaskOnItsWay)
      }
      current.others += 1
    }
    _ = waiting.popFirst()
    current.depth = round.depth
    turn = current
    if let skipped { round.include(skipped) }
    skipped = nil
    return (round, false)
  }

  /// Records that a round is not delivered, because its changes cancelled each other out.
  package mutating func skip(_ round: SharedRound<Value>) {
    skipped = (round.first, round.isBarred)
  }

  /// Gives the turn to the started task, unless a setter has taken it.
  ///
  /// - Parameter thread: The thread on which the task runs.
  /// - Returns: `true` if the task must deliver, beginning with ``next()``.
  package mutating func taskBegins(on thread: UInt) -> Bool {
    isTaskOnItsWay = false
    guard turn == nil, !waiting.isEmpty else { return false }
    turn = Turn(thread: thread, began: newest, isTask: true)
    return true
  }

  /// Stops the program if pending changes have no thread or task that delivers them, or are too many.
  package func _checkInvariants() {
    assert(turn != nil || waiting.isEmpty || isTaskOnItsWay, "nothing delivers the changes")
    assert(waiting.count <= 2 * SharedRound<Value>.mergeLimit, "too many changes wait")
  }
}

extension SharedChanges: Sendable where Value: Sendable {}

/// One pending change of a shared property, or several neighbouring ones merged.
///
/// It contains the rules of merging, without a lock.
package struct SharedRound<Value> {
  /// The number of pending rounds from which neighbours merge.
  package static var mergeLimit: Int { 1_000 }

  /// The change; a merged one has the first old value and the last new value.
  package private(set) var change: Change<Value>
  /// The number of the first change in the round.
  ///
  /// It includes preceding skipped changes, so that only a pause leaves a gap in the numbers.
  package private(set) var first: UInt
  /// The number of the last change in the round.
  package private(set) var number: UInt
  /// The thread that made all changes in the round, or zero if several did.
  private(set) var thread: UInt = 0
  /// The length of the chain of handler calls that led to the change, each made for the change before.
  package private(set) var depth = 0
  /// A Boolean value that indicates whether a registration or the end of a pause preceded the round.
  package private(set) var isBarred = false

  /// The announcement of the round.
  var announcement: SharedRound { with(Change(.prior, old: change.old, new: change.new)) }

  /// Returns the round for an observer that already knows some of the changes, with the value it knows as
  /// the old value; returns the round unchanged for `nil`.
  func beginning(with known: Value?) -> SharedRound {
    known.map { with(Change(change.kind, old: $0, new: change.new)) } ?? self
  }

  private func with(_ change: Change<Value>) -> SharedRound {
    var copy = self
    copy.change = change
    return copy
  }

  /// A Boolean value that indicates whether the round contains several changes.
  package var isMerged: Bool { first != number }

  /// Returns whether the merged changes cancel each other out.
  ///
  /// It calls the value's `==`, so call it without a lock held.
  func isNothing(_ areEqual: ((Value, Value) -> Bool)?) -> Bool {
    isMerged && areEqual?(change.old, change.new) == true
  }

  /// Merges the next round into this one, if the rules allow it.
  ///
  /// Rounds do not merge across a gap that a pause leaves, or across a registration or the end of a pause,
  /// unless the queue is full.
  ///
  /// - Parameters:
  ///   - next: The next round.
  ///   - isFull: A Boolean value that indicates whether the queue is full.
  /// - Returns: If the rounds were merged, a value for the caller to release outside its lock.
  fileprivate mutating func merge(_ next: SharedRound, isFull: Bool) -> Value? {
    guard change.kind == next.change.kind,
      isFull || next.first == number + 1 && !next.isBarred
    else { return nil }
    let displaced = change.new
    change = Change(change.kind, old: change.old, new: next.change.new)
    number = next.number
    if thread != next.thread { thread = 0 }
    depth = max(depth, next.depth)
    return displaced
  }

  /// Includes the preceding skipped rounds.
  fileprivate mutating func include(_ skipped: (first: UInt, isBarred: Bool)) {
    first = skipped.first
    isBarred = isBarred || skipped.isBarred
  }
}

extension SharedRound: Sendable where Value: Sendable {}

extension BoundedQueue {
  /// Appends a round, or merges it into the last one.
  ///
  /// **Bound.** With 1,000 pending rounds, the next one merges with the last, unless a registration or the
  /// end of a pause separates the two. With 2,000 pending rounds, it merges in any case; an observer that
  /// registered in the middle of a merged round receives a change that begins with the value it knows. The
  /// queue therefore holds at most 2,000 rounds, or 2,001 if the first is an initial value.
  ///
  /// - Returns: If the round was merged, a value for the caller to release outside its lock.
  /// - Complexity: Amortized O(1).
  package mutating func appendOrMerge<Value>(_ round: SharedRound<Value>) -> Value?
  where Element == SharedRound<Value> {
    let isFull = count >= 2 * Element.mergeLimit
    if count >= Element.mergeLimit, var last = popLast() {
      let displaced = last.merge(round, isFull: isFull)
      _ = append(last)
      if displaced != nil { return displaced }
    }
    _ = append(round)
    return nil
  }
}
