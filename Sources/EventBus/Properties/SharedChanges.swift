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
  /// The next action of the delivering thread.
  package enum Step {
    /// Deliver a round, then call ``SharedChanges/next()`` again.
    case deliver(SharedRound<Value>)
    /// Return, after starting a task if requested. The task or the next setter delivers the rest.
    case leave(startsTask: Bool)
    /// Return: no change is pending.
    case rest
  }

  /// The result of recording a change.
  package struct Recorded {
    /// A Boolean value that indicates whether the recording thread must deliver, beginning with
    /// ``SharedChanges/next()``.
    ///
    /// If it is `false`, another thread is delivering, or this thread is, further up its stack.
    package let mustDeliver: Bool
    /// If the change was merged, a value to release outside the lock.
    package let displaced: Value?
  }

  /// The turn of one delivering thread.
  private struct Delivering {
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

  private enum Turn {
    case idle
    case taken(Delivering)
    /// A thread has reached its limit. A task has been started; the next setter may take the turn first.
    case left
  }

  /// The maximum number of changes of other threads that one thread delivers after its own.
  package static var othersPerTurn: Int { 64 }

  /// The current value.
  package var value: Value
  /// The number of the newest recorded change.
  package private(set) var newest: UInt = 0
  private var waiting = RoundQueue<Value>()
  /// The first change of the rounds skipped since the last delivered one, and whether a registration or
  /// the end of a pause preceded one of them.
  private var skipped: (first: UInt, isBarred: Bool)?
  private var turn = Turn.idle
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
  /// - Returns: The thread's next action, and a value to release.
  /// - Complexity: Amortized O(1).
  package mutating func record(
    from old: Value,
    by thread: UInt,
    answering depth: Int? = nil,
    isBarred: Bool
  ) -> Recorded {
    newest += 1
    var answered = depth
    if case .taken(let delivering) = turn, delivering.thread == thread {
      answered = delivering.depth
    }
    let round = SharedRound(
      Change(.set, old: old, new: value),
      number: newest,
      thread: thread,
      depth: answered.map { $0 + 1 } ?? 0,
      isBarred: isBarred
    )
    let displaced = waiting.append(round)
    if case .taken = turn { return Recorded(mustDeliver: false, displaced: displaced) }
    turn = .taken(Delivering(thread: thread, began: newest, isTask: false))
    return Recorded(mustDeliver: true, displaced: displaced)
  }

  /// Returns the next action of the delivering thread.
  package mutating func next() -> Step {
    guard case .taken(var delivering) = turn, var round = waiting.first else {
      turn = .idle
      return .rest
    }
    if delivering.isOthers(round) {
      if delivering.others == Self.othersPerTurn {
        turn = .left
        defer { isTaskOnItsWay = true }
        return .leave(startsTask: !isTaskOnItsWay)
      }
      delivering.others += 1
    }
    _ = waiting.popFirst()
    delivering.depth = round.depth
    turn = .taken(delivering)
    if let skipped { round.include(skipped) }
    skipped = nil
    return .deliver(round)
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
    guard case .left = turn else { return false }
    turn = .taken(Delivering(thread: thread, began: newest, isTask: true))
    return true
  }
}

extension SharedChanges: Sendable where Value: Sendable {}
extension SharedChanges.Step: Sendable where Value: Sendable {}
extension SharedChanges.Recorded: Sendable where Value: Sendable {}

/// One pending change of a shared property, or several neighbouring ones merged.
///
/// It contains the rules of merging, without a lock.
package struct SharedRound<Value> {
  /// The change; a merged one has the first old value and the last new value.
  package private(set) var change: Change<Value>
  /// The number of the first change in the round.
  ///
  /// It includes preceding skipped changes, so that only a pause leaves a gap in the numbers.
  package private(set) var first: UInt
  /// The number of the last change in the round.
  package private(set) var number: UInt
  /// The thread that made all changes in the round, or zero if several did.
  package private(set) var thread: UInt
  /// The length of the chain of handler calls that led to the change, each made for the change before.
  package private(set) var depth: Int
  /// A Boolean value that indicates whether a registration or the end of a pause preceded the round.
  package private(set) var isBarred: Bool

  /// Creates a round of one change.
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

  /// The announcement of the round.
  var announcement: SharedRound {
    var copy = self
    copy.change = Change(.prior, old: change.old, new: change.new)
    return copy
  }

  /// Returns whether the merged changes cancel each other out.
  ///
  /// It calls the value's `==`, so call it without a lock held.
  func isNothing(_ areEqual: ((Value, Value) -> Bool)?) -> Bool {
    isMerged && areEqual?(change.old, change.new) == true
  }

  /// A Boolean value that indicates whether the round contains several changes.
  package var isMerged: Bool { first != number }

  /// Returns whether the next round may be merged into this one.
  ///
  /// Rounds do not merge across a gap that a pause leaves, or across a registration or the end of a pause,
  /// unless the queue is full.
  ///
  /// - Parameters:
  ///   - next: The next round.
  ///   - isCrowded: A Boolean value that indicates whether the queue is full.
  /// - Returns: `true` if ``merge(_:)`` may be called with the round.
  func canMerge(_ next: SharedRound, isCrowded: Bool) -> Bool {
    guard change.kind == next.change.kind else { return false }
    return isCrowded || next.first == number + 1 && !next.isBarred
  }

  /// Merges the next round into this one.
  ///
  /// - Returns: A value for the caller to release outside its lock.
  mutating func merge(_ next: SharedRound) -> Value {
    let displaced = change.new
    change = Change(change.kind, old: change.old, new: next.change.new)
    number = next.number
    if thread != next.thread { thread = 0 }
    depth = max(depth, next.depth)
    return displaced
  }

  /// Includes the preceding skipped rounds.
  mutating func include(_ skipped: (first: UInt, isBarred: Bool)) {
    first = skipped.first
    isBarred = isBarred || skipped.isBarred
  }

  /// Returns the round for an observer that already knows some of the changes.
  func beginning(with old: Value) -> SharedRound {
    var copy = self
    copy.change = Change(change.kind, old: old, new: change.new)
    return copy
  }
}

/// A bounded first-in, first-out queue of rounds.
///
/// **Bound.** With 1,000 pending rounds, the next one merges with the last, unless a registration or the
/// end of a pause separates the two. With 2,000 pending rounds, it merges in any case; an observer that
/// registered in the middle of a merged round receives a change that begins with the value it knows. The
/// queue therefore holds at most 2,000 rounds, or 2,001 if the first is an initial value.
package struct RoundQueue<Value> {
  /// The number of pending rounds from which neighbours merge.
  package static var limit: Int { 1_000 }

  private var rounds = BoundedQueue<SharedRound<Value>>()

  /// Creates an empty queue.
  package init() {}

  /// The number of pending rounds.
  package var count: Int { rounds.count }

  /// The first round.
  var first: SharedRound<Value>? { rounds.first }

  /// Appends a round, or merges it into the last one.
  ///
  /// - Returns: If the round was merged, a value for the caller to release outside its lock.
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

  /// Removes and returns the first round.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func popFirst() -> SharedRound<Value>? { rounds.popFirst() }
}

extension SharedRound: Sendable where Value: Sendable {}
extension RoundQueue: Sendable where Value: Sendable {}
