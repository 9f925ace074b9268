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
