internal import Synchronization

// The lock is held while a write is recorded; handlers are called without it.
extension SharedObserved {
  /// Writes to the value, and delivers the change if no other thread is delivering.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the caller runs.
  ///   - body: Writes under the lock, and assigns the value before the write if that is to be reported.
  /// - Throws: The error of the closure.
  func write<Failure: Error>(
    isolation: (any Actor)? = nil,
    _ body: (inout SharedChanges<Value>, _ thread: UInt, _ former: inout Value?) throws(Failure) ->
      Void
  ) throws(Failure) {
    let thread = enteringThread()
    let isInHandler = observers.isCalling(on: thread)
    // Both are released outside the lock, before the delivery.
    var former: Value?
    var displaced: Value?
    var mustDeliver = false
    defer {
      former = nil
      if displaced != nil {
        displaced = nil
        observers.countMerged()
      }
      // A handler that was called later, outside a turn, must not be called again inside itself.
      if mustDeliver { deliver(isInHandler ? nil : isolation) }
    }
    try state.withLock { state throws(Failure) in
      defer {
        if let former {
          mustDeliver = state.record(
            from: former,
            by: thread,
            answering: SettingChain.current,
            displaced: &displaced
          )
        }
      }
      try body(&state, thread, &former)
    }
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
      // The first change of a chain was made by no handler.
      if round.chain.changes > SettingChain.warningLength + 1 { observers.warnOnce() }
      if round.isNothing(observers.areEqual) {
        observers.countMerged()
        if state.withLock({ !$0.isKnownInPart(round) }) { continue }
        round = round.counted
      }
      round.chain.calling { observers.deliver(round, isolation) }
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
      let site = observers.site
      trap(
        "the property at \(site.fileID):\(site.line) was used inside its own update or comparison",
        remedy: "Work with the value that update hands to its closure"
      )
    }
    return thread
  }
}
