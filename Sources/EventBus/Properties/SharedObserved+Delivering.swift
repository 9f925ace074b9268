internal import Synchronization

// The lock is held while a write is recorded; handlers are called without it.
extension SharedObserved {
  /// Writes to the value, and delivers the change if no other thread is delivering.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the caller runs.
  ///   - body: Writes under the lock, and assigns the value before the write if that is to be reported.
  func write(
    isolation: (any Actor)? = nil,
    _ body: (inout SharedChanges<Value>, _ thread: UInt, _ former: inout Value?) throws -> Void
  ) rethrows {
    let batch = OpenBatch.isAnyOpen ? OpenBatch.current : nil
    let thread = enteringThread()
    let depth = observers.depth(on: thread)
    // Both are released outside the lock, before the delivery.
    var former: Value?
    var removed: [Value] = []
    var mustDeliver = false
    defer {
      former = nil
      removed = []
      // A handler that was called later, outside a turn, must not be called again inside itself.
      if mustDeliver { deliver(depth == nil ? isolation : nil) }
    }
    try state.withLock { state in
      defer {
        if let former {
          mustDeliver = record(
            from: former,
            by: thread,
            answering: depth,
            in: batch,
            &state,
            &removed
          )
        }
      }
      try body(&state, thread, &former)
    }
  }

  /// Records a write, with the lock held.
  ///
  /// - Parameters:
  ///   - old: The value before the write.
  ///   - thread: The thread that made the write.
  ///   - depth: The depth of the round whose handler made the write, if that call is outside any turn.
  ///   - batch: The open batch of the thread.
  ///   - state: The state.
  ///   - removed: Receives the values to release outside the lock.
  /// - Returns: `true` if the thread must deliver.
  private func record(
    from old: Value,
    by thread: UInt,
    answering depth: Int?,
    in batch: OpenBatch?,
    _ state: inout SharedChanges<Value>,
    _ removed: inout [Value]
  ) -> Bool {
    let isBarred = observers.isBarred.exchange(false, ordering: .relaxed)
    // A write outside the batch, or in the batch of another thread, ends it early.
    if batch == nil || !state.isBatched(by: thread) {
      endBatch(with: old, isBarred: isBarred, &state, &removed)
    }
    if let batch {
      let isFirst = state.recordInBatch(
        from: old,
        by: thread,
        answering: depth,
        isBarred: isBarred,
        wantsPrior: observers.wantPriors
      )
      if isFirst { batch.addOnce(self) }
      return state.beginTurn(of: thread)
    }
    var displaced: Value?
    let mustDeliver = state.record(
      from: old,
      by: thread,
      answering: depth,
      isBarred: isBarred,
      displaced: &displaced
    )
    note(displaced, &removed)
    return mustDeliver
  }

  private func endBatch(
    with last: Value,
    isBarred: Bool,
    _ state: inout SharedChanges<Value>,
    _ removed: inout [Value]
  ) {
    guard state.isBatched else { return }
    var displaced: Value?
    let first = state.endBatch(with: last, isBarred: isBarred, displaced: &displaced)
    if let first { removed.append(first) }
    note(displaced, &removed)
  }

  /// Counts a merged change, whose value is to be released outside the lock.
  private func note(_ displaced: Value?, _ removed: inout [Value]) {
    guard let displaced else { return }
    observers.countMerged()
    removed.append(displaced)
  }

  // MARK: Delivery

  /// Delivers rounds until the turn of this thread, or of this task, is over.
  ///
  /// - Parameter isolation: The actor on which the caller runs; its handlers are called at once.
  private func deliver(_ isolation: (any Actor)? = nil) {
    while true {
      let (next, startsTask) = state.withLock { $0.next() }
      guard var round = next else {
        // The task retains the property, whose end would end the registrations.
        if startsTask { Task.detached { self.deliverRest() } }
        return
      }
      if round.depth > 100 { observers.warnOfRounds() }
      if round.isNothing(observers.areEqual) {
        if round.countsWhenDropped { observers.countMerged() }
        if state.withLock({ $0.skip(round) }) { continue }
        round = round.counted
      } else if round.isAnnounced, observers.wantPriors {
        observers.deliver(round.announcement, isolation)
      }
      observers.deliver(round, isolation)
    }
  }

  /// Continues, in a task, the delivery that a thread has left.
  private func deliverRest() {
    let thread = currentThreadID()
    if state.withLock({ $0.taskBegins(on: thread) }) { deliver() }
  }

  // MARK: User code under the lock

  func areEqual(_ old: Value, _ new: Value, on thread: UInt) -> Bool {
    insider.store(thread, ordering: .relaxed)
    defer { insider.store(0, ordering: .relaxed) }
    return observers.areEqual(old, new)
  }

  /// Returns the calling thread; traps if it is already inside an update or a comparison.
  func enteringThread() -> UInt {
    let thread = currentThreadID()
    if insider.load(ordering: .relaxed) == thread {
      let site = observers.delivery
      trap(
        "the property at \(site.fileID):\(site.line) was used inside its own update or comparison",
        remedy: "Work with the value that update hands to its closure"
      )
    }
    return thread
  }
}

extension SharedObserved: BatchMember {
  var dependentNodes: [ComputedNode] { [] }

  /// Queues the change made by the batch.
  func batchWillEnd(_ released: inout [Any]) {
    let thread = currentThreadID()
    var removed: [Value] = []
    state.withLock { state in
      guard state.isBatched(by: thread) else { return }
      let isBarred = observers.isBarred.exchange(false, ordering: .relaxed)
      endBatch(with: state.value, isBarred: isBarred, &state, &removed)
    }
    released.append(removed)
  }

  /// Reports the change made by the batch, unless another thread is delivering.
  func batchDidEnd() {
    let thread = currentThreadID()
    if state.withLock({ $0.beginTurn(of: thread) }) { deliver() }
  }
}
