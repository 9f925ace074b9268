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
    /// True if a task delivers; a task has not made a change.
    let isTask: Bool
    /// The number of delivered changes of other threads.
    var others = 0
    /// The chain of the round being delivered.
    var chain = SettingChain()

    /// Returns whether another thread made a round after this turn's own change.
    func isOthers(_ round: SharedRound<Value>) -> Bool {
      round.first <= began ? isTask : round.thread != thread
    }
  }

  /// The maximum number of changes of other threads that one thread delivers after its own.
  static var othersPerTurn: Int { 64 }

  /// The current value.
  package var value: Value
  /// The number of the newest recorded change.
  package private(set) var newest: UInt = 0
  private var waiting = BoundedQueue<SharedRound<Value>>()
  /// The number of the newest change at the latest registration.
  private var newestKnown: UInt = 0
  /// The turn in progress.
  ///
  /// If there is none, but changes wait, a thread has reached its limit, and the started task or the next
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
  ///   - chain: The chain of the round of any property whose handler made the change.
  ///   - displaced: Receives a value to release outside the lock if the change is merged.
  /// - Returns: `true` if the thread must deliver, beginning with ``next()``; `false` if another thread is
  ///   delivering, or this thread is, further up its stack.
  /// - Complexity: Amortized O(1).
  package mutating func record(
    from old: Value,
    by thread: UInt,
    answering chain: SettingChain = SettingChain(),
    displaced: inout Value?
  ) -> Bool {
    defer { checkInvariants(ofSize: waiting.count, _checkInvariants()) }
    newest += 1
    let own = turn?.thread == thread ? turn?.chain : nil
    let round = SharedRound(
      change: Change(.set, old: old, new: value),
      first: newest,
      number: newest,
      thread: thread,
      chain: (own?.merged(with: chain) ?? chain).next
    )
    displaced = waiting.appendOrMerge(round)
    guard turn == nil else { return false }
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
    defer { checkInvariants(ofSize: waiting.count, _checkInvariants()) }
    guard var current = turn.take(), let round = waiting.first else { return (nil, false) }
    if current.isOthers(round) {
      if current.others == Self.othersPerTurn {
        defer { isTaskOnItsWay = true }
        return (nil, !isTaskOnItsWay)
      }
      current.others += 1
    }
    _ = waiting.popFirst()
    current.chain = round.chain
    turn = current
    return (round, false)
  }

  /// Returns whether an observer may have registered in the middle of a round.
  ///
  /// Such an observer knows another value than the others, so a round whose changes cancel each other out must be
  /// delivered all the same.
  package func isKnownInPart(_ round: SharedRound<Value>) -> Bool { newestKnown >= round.first }

  /// Gives the turn to the started task, unless a setter has taken it.
  ///
  /// - Parameter thread: The thread on which the task runs.
  /// - Returns: `true` if the task must deliver, beginning with ``next()``.
  package mutating func taskBegins(on thread: UInt) -> Bool {
    defer { checkInvariants(ofSize: waiting.count, _checkInvariants()) }
    isTaskOnItsWay = false
    guard turn == nil, !waiting.isEmpty else { return false }
    turn = Turn(thread: thread, began: newest, isTask: true)
    return true
  }

  /// Stops the program if pending changes have no thread or task that delivers them, or are too many.
  package func _checkInvariants() {
    assert(turn != nil || waiting.isEmpty || isTaskOnItsWay, "nothing delivers the changes")
    assert(waiting.count <= SharedRound<Value>.mergeLimit, "too many changes wait")
  }
}

extension SharedChanges: Sendable where Value: Sendable {}

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
  /// True if the round has been counted as a merged change that was dropped.
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

  /// True if the round contains several changes.
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
  /// **Bound.** The queue holds at most 1,000 rounds: with so many, the next one merges with the last. An observer that registered in the middle of a merged round receives a change that begins
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
