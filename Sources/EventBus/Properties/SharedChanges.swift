/// The value of a shared property, its pending changes, and the thread that delivers them.
///
/// It is a plain value that ``SharedObserved`` guards with its lock. Changes are numbered in the order in which
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
  /// The number of the newest change at the latest registration.
  private var newestKnown: UInt = 0
  /// The first write of the open batch, as a round without its new value; a write by another thread ends
  /// the batch's change early.
  ///
  /// Each later write has a number, too, which tells what an observer that registers during the batch knows.
  private var batched: SharedRound<Value>?
  /// The turn in progress.
  ///
  /// If there is none, but changes wait, a thread has reached its limit, and the started task or the next
  /// setter, whichever comes first, takes the turn; or a batch is ending, and its thread takes it.
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
    let round = SharedRound(
      change: Change(.set, old: old, new: value),
      first: newest,
      number: newest,
      thread: thread,
      depth: self.depth(of: thread, answering: depth),
      isBarred: isBarred
    )
    displaced = waiting.appendOrMerge(round)
    return beginTurn(of: thread)
  }

  private func depth(of thread: UInt, answering depth: Int?) -> Int {
    let answered = turn?.thread == thread ? turn?.depth : depth
    return answered.map { $0 + 1 } ?? 0
  }

  /// Gives the turn to a thread, if rounds are pending that no thread is delivering.
  ///
  /// - Returns: `true` if the thread must deliver, beginning with ``next()``.
  package mutating func beginTurn(of thread: UInt) -> Bool {
    guard turn == nil, !waiting.isEmpty else { return false }
    turn = Turn(thread: thread, began: newest, isTask: false)
    return true
  }

  /// Returns the current value and the number of its change, for an observer that is being registered.
  package mutating func register() -> (value: Value, number: UInt) {
    newestKnown = newest
    return (value, newest)
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
    if let skipped, round.change.kind == .set {
      round.include(skipped)
      self.skipped = nil
    }
    return (round, false)
  }

  /// Decides that a round, whose changes cancelled each other out, is not delivered.
  ///
  /// - Returns: `false` if an observer may have registered in the middle of the round. Such an observer knows
  ///   another value, so the round must be delivered.
  package mutating func skip(_ round: SharedRound<Value>) -> Bool {
    if newestKnown >= round.first { return false }
    skipped = (round.first, round.isBarred)
    return true
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
    assert(batched.map { $0.first <= newest } ?? true, "a batch began after its last write")
    assert(waiting.count <= 2 * SharedRound<Value>.mergeLimit, "too many changes wait")
  }
}

extension SharedChanges {
  /// A Boolean value that indicates whether an open batch has made a change.
  package var isBatched: Bool { batched != nil }

  /// Returns whether an open batch of a thread has made a change.
  package func isBatched(by thread: UInt) -> Bool { batched?.thread == thread }

  /// Records a write made in a batch, to be reported with the batch's other writes.
  ///
  /// The caller has ended the change of any other thread's batch.
  ///
  /// - Parameters:
  ///   - old: The value before the write. The current value is the one after it.
  ///   - thread: The thread that made the write.
  ///   - depth: The depth of the round whose handler made the write, if that call is outside any turn.
  ///   - isBarred: A Boolean value that indicates whether a registration or the end of a pause preceded the
  ///     write.
  ///   - wantsPrior: A Boolean value that indicates whether any observer receives announcements. The first
  ///     write queues one, unless 1,000 rounds are pending; the change is announced later then.
  /// - Returns: `true` if this is the first write of the batch.
  package mutating func recordInBatch(
    from old: Value,
    by thread: UInt,
    answering depth: Int? = nil,
    isBarred: Bool,
    wantsPrior: Bool
  ) -> Bool {
    newest += 1
    guard batched == nil else { return false }
    let isAnnounced = wantsPrior && waiting.count < SharedRound<Value>.mergeLimit
    let depth = self.depth(of: thread, answering: depth)
    batched = SharedRound(
      // The old value alone, which the caller of `endBatch` releases.
      change: Change(.set, old: old, new: old),
      first: newest,
      number: newest,
      thread: thread,
      depth: depth,
      isBarred: isBarred,
      announcedAs: isAnnounced ? newest : nil
    )
    if isAnnounced {
      let announcement = SharedRound(
        change: Change(.prior, old: old, new: value),
        first: newest,
        number: newest,
        thread: thread,
        depth: depth
      )
      _ = waiting.append(announcement)
    }
    return true
  }

  /// Adds the change made by a batch to the pending ones.
  ///
  /// - Parameters:
  ///   - last: The value after the batch's last write.
  ///   - isBarred: A Boolean value that indicates whether a registration or the end of a pause preceded the
  ///     end of the batch.
  ///   - displaced: Receives a value to release outside the lock if the change is merged.
  /// - Returns: The value before the batch's first write, to be released outside the lock; `nil` without a
  ///   batch.
  /// - Complexity: Amortized O(1).
  package mutating func endBatch(
    with last: Value,
    isBarred: Bool,
    displaced: inout Value?
  ) -> Value? {
    guard let ended = batched.take() else { return nil }
    let round = SharedRound(
      change: Change(.set, old: ended.change.old, new: last),
      first: ended.first,
      number: newest,
      thread: ended.thread,
      depth: ended.depth,
      isBarred: ended.isBarred || isBarred,
      announcedAs: ended.announcedAs,
      countsWhenDropped: false
    )
    displaced = waiting.appendOrMerge(round)
    return ended.change.old
  }
}

extension SharedChanges: Sendable where Value: Sendable {}
