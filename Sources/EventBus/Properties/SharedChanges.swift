/// A shared property's value, the changes that are still to be delivered, and whose turn it is to do so.
///
/// A plain value: the shell holds it behind its lock. Changes are numbered in the order they were made
/// and delivered by one thread at a time in that order, so that every observer sees an unbroken chain.
///
/// ```
///            record                        next: 64 of others        taskBegins
///   idle ───────────► a thread's turn ───────────────────► left ───────────────► a task's turn
///                       ▲    │ next: none waits             │ record               │
///                       │    └────────► idle                │                      └─► left, idle
///                       └───────────────────────────────────┘
/// ```
package struct SharedChanges<Value> {
  /// What a thread that delivers does next.
  package enum Step {
    /// It delivers a round, and asks again.
    case deliver(SharedRound<Value>)
    /// It returns, and starts a task if asked to: the rest is the task's, or the next setter's.
    case leave(startsTask: Bool)
    /// It returns: no change waits.
    case rest
  }

  /// What came of a change.
  package struct Recorded {
    /// Whether the thread that made it is to deliver, beginning with ``SharedChanges/next()``.
    ///
    /// If not, another one is delivering, or it is itself further out.
    package let mustDeliver: Bool
    /// If the change was merged, a value that is no longer needed, to be released outside the lock.
    package let displaced: Value?
  }

  /// One thread's delivering.
  private struct Delivering {
    let thread: UInt
    /// The newest change when it began: its own.
    let began: UInt
    /// Whether a task delivers, which has no change of its own.
    let isTask: Bool
    /// How many changes of others it has delivered.
    var others = 0
    /// That of the round it delivers.
    var depth = 0

    /// Whether a round was made by others, and after this turn's own change.
    func isOthers(_ round: SharedRound<Value>) -> Bool {
      round.first <= began ? isTask : round.thread != thread
    }
  }

  private enum Turn {
    case idle
    case taken(Delivering)
    /// A thread has delivered enough. A task is on its way; the next setter may come first.
    case left
  }

  /// How many changes of others one thread delivers after its own.
  package static var othersPerTurn: Int { 64 }

  /// The value now.
  package var value: Value
  /// The number of the newest change that was recorded.
  package private(set) var newest: UInt = 0
  private var waiting = RoundQueue<Value>()
  /// Rounds that were taken out and came to nothing, until the next one is taken.
  private var skipped: SkippedRounds?
  private var turn = Turn.idle
  private var isTaskOnItsWay = false

  /// Creates a plan without changes.
  package init(_ value: Value) { self.value = value }

  /// How many rounds wait.
  package var waitingCount: Int { waiting.count }

  /// Records a change.
  ///
  /// - Parameters:
  ///   - old: The value before; the value now is the one after.
  ///   - thread: The thread that made it.
  ///   - depth: The depth of the change it answers, if the thread is in a call for one that belongs to
  ///     no turn.
  ///   - isBarred: Whether a registration, or the end of a pause, came after the change before.
  /// - Returns: What the thread is to do, and what it is to release.
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

  /// What the thread whose turn it is does next.
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
    if let skipped { round.take(skipped: skipped) }
    skipped = nil
    return .deliver(round)
  }

  /// Takes note that a round is not delivered, since its changes came to nothing.
  package mutating func skip(_ round: SharedRound<Value>) {
    skipped = SkippedRounds(first: round.first, isBarred: round.isBarred)
  }

  /// Lets the task that was started take its turn.
  ///
  /// - Parameter thread: The thread it runs on.
  /// - Returns: Whether there is something for it to do, beginning with ``next()``.
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
  var announcement: SharedRound {
    var copy = self
    copy.change = Change(.prior, old: change.old, new: change.new)
    return copy
  }

  /// Whether the changes in it have cancelled each other out.
  ///
  /// Calls code of the user, so that it is asked under no lock.
  func isNothing(_ areEqual: ((Value, Value) -> Bool)?) -> Bool {
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
  func canMerge(_ next: SharedRound, isCrowded: Bool) -> Bool {
    guard change.kind == next.change.kind else { return false }
    return isCrowded || next.first == number + 1 && !next.isBarred
  }

  /// Takes the next round in.
  ///
  /// - Returns: The value that is no longer needed, for the caller to release outside its lock.
  mutating func merge(_ next: SharedRound) -> Value {
    let displaced = change.new
    change = Change(change.kind, old: change.old, new: next.change.new)
    number = next.number
    if thread != next.thread { thread = 0 }
    depth = max(depth, next.depth)
    return displaced
  }

  /// Begins with changes before it that came to nothing.
  mutating func take(skipped: SkippedRounds) {
    first = skipped.first
    isBarred = isBarred || skipped.isBarred
  }

  /// The same for an observer that knows the value as it was after some of the changes.
  func beginning(with old: Value) -> SharedRound {
    var copy = self
    copy.change = Change(change.kind, old: old, new: change.new)
    return copy
  }
}

/// Rounds in a row whose changes came to nothing, and which are left out.
struct SkippedRounds {
  /// The number of the first change in them.
  let first: UInt
  /// Whether a registration, or the end of a pause, came before one of them.
  let isBarred: Bool
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
  var first: SharedRound<Value>? { rounds.first }

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
