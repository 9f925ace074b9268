extension PropertyObservers {
  /// Tells a change that was stored just now, or lets it wait for its turn.
  ///
  /// - Parameters:
  ///   - old: The value before; `nil` when nobody wanted it.
  ///   - new: The value after.
  ///   - write: What was written.
  @inlinable
  internal func report(old: Value, new: Value, _ write: Write) {
    if isInvolved || isDraining { return reportInOrder(old: old, new: new, write) }
    isDraining = true
    tell(Change(.set, old: old, new: new))
    if hasDependents { settleDependents() }
    drain()
  }

  /// Tells a plain change to those who were there when the walk began.
  @inlinable
  internal func tell(_ change: Change<Value>) {
    let outer = beginWalk()
    // What is added from now on stands behind; no slot is emptied or moved during a walk.
    let end = slots.count
    var index = 0
    while index < end {
      if outer == nil { ledger.call(slots[index].number) }
      _ = ObjectAddress.borrow(slots[index].address) { (observer: PropertyObserver<Value>) in
        if !observer.mark.isOpen {
          observer.miss()
        } else if !observer.receive(change) {
          observer.mark.endByItself()
        }
      }
      index += 1
    }
    endWalk(outer)
  }

  /// Lets everything that was computed from the property be computed anew.
  @usableFromInline
  internal func invalidateDependents() { dependents.invalidate() }

  /// Tells the observers of what was computed from the property.
  @usableFromInline
  internal func settleDependents() { dependents.settle() }

  /// Tells what waits, and lets later changes be told at once.
  @inlinable
  internal func drain() {
    if hasPending { drainPending() }
    isDraining = false
  }

  /// Tells a change in the general way: to observers of every kind, in its turn.
  ///
  /// - Parameters:
  ///   - old: The value before; `nil` when nobody wanted it.
  ///   - new: The value after.
  ///   - write: What was written; `nil` when it was noted before, and the value before is the one that
  ///     all observers know.
  @usableFromInline
  internal func reportInOrder(old: Value?, new: Value, _ write: Write?) {
    if let write { note(write) }
    let isOldKnown = write == nil || !wroteSilently
    if wroteSilently { wroteSilently = false }
    let round = Round(
      old: old,
      new: new,
      records: takeRecords(),
      isOldKnown: isOldKnown,
      order: nextNumber
    )
    guard !isDraining else {
      _ = pending.append(round)
      return
    }
    isDraining = true
    run(round)
    drain()
  }

  /// Queues the change of a batch, before any change of the batch is told.
  internal func enqueueBatch(old: Value?, new: Value, isNetZero: Bool) {
    let isOldKnown = !wroteSilently
    let records = takeRecords()
    // What was stored silently before the batch is still to be told.
    if isNetZero, wroteSilently { note(.mutation) } else { wroteSilently = false }
    _ = pending.append(
      Round(
        old: old,
        new: new,
        records: records,
        isOldKnown: isOldKnown,
        order: nextNumber,
        isNetZero: isNetZero,
        // What is told inside an observer's call settles in its own turn.
        isOfBatch: !isDraining
      )
    )
    // Another batch may be waiting already to tell; then this change follows its own.
    guard !isDraining else { return }
    drainsForBatch = true
    isDraining = true
  }

  /// Tells the change of a batch, unless an observer's call is under way that will do it.
  internal func drainBatch() {
    guard drainsForBatch else { return }
    drainsForBatch = false
    drain()
  }

  /// Takes out what was written since the last report.
  ///
  /// - Returns: What was done, in order, if all of it was described.
  internal func takeRecords() -> [AnyObject]? {
    if case .empty = log { return nil }
    let taken = log
    log = .empty
    return taken.records
  }

  /// Takes note of a write that will be told.
  @usableFromInline
  internal func note(_ write: Write) { note(write, isBounded: false) }

  /// Takes note of a write that may never be told.
  @usableFromInline
  internal func noteSilently(_ write: Write) {
    // In a batch the value before its first write is known.
    let isOutside = enlisted == nil
    note(write, isBounded: isOutside)
    if isOutside { wroteSilently = true }
  }

  private func note(_ write: Write, isBounded: Bool) {
    guard census.wantingWrites > 0 else { return }
    // What dies in the log may use the property: not while the log is accessed.
    var log = log
    self.log = .empty
    log.note(write, isBounded: isBounded)
    self.log = log
  }

  /// Tells those who want to know before a value is stored.
  internal func tellPrior(old: Value, new: Value) {
    let change = Change(.prior, old: old, new: new)
    walk { observer in
      observer.roles.contains(.priors) && observer.mark.isOpen ? observer.receive(change) : true
    }
  }

  /// Asks the validators, oldest first, until one declines.
  ///
  /// - Parameters:
  ///   - proposed: The value to be stored; a validator may replace it.
  ///   - old: Reads the value there is.
  /// - Returns: Whether the value may be stored.
  internal func approve(_ proposed: inout Value, old: () -> Value) -> Bool {
    var isApproved = true
    walk { observer in
      if isApproved, observer.roles.contains(.proposals), observer.mark.isOpen {
        isApproved = observer.approves(&proposed, old: old())
      }
      return true
    }
    return isApproved
  }

  @usableFromInline
  internal func drainPending() {
    var rounds = 1
    while let round = pending.popFirst() {
      run(round)
      rounds += 1
      if rounds == 101 { warnOfRounds() }
    }
  }

  private func run(_ round: Round) {
    deliver(round)
    if !round.isOfBatch { dependents.settle() }
  }

  private func deliver(_ round: Round) {
    let change = round.isNetZero ? nil : round.old.map { Change(.set, old: $0, new: round.new) }
    let old = round.isOldKnown ? round.old : nil
    let report = WriteReport(new: round.new, old: old, records: round.records)
    walk(before: round.order) { observer in
      let known = takeBaseline(of: observer)
      guard observer.mark.isOpen else {
        if known != nil || !round.isNetZero { observer.miss() }
        return true
      }
      if observer.roles.contains(.changes) {
        guard let known else { return change.map(observer.receive) ?? true }
        if let areEqual, areEqual(known, round.new) { return true }
        return observer.receive(Change(.set, old: known, new: round.new))
      }
      guard observer.roles.contains(.writes) else { return true }
      guard let known else { return round.isNetZero || observer.receive(report) }
      if let areEqual, areEqual(known, round.new) { return true }
      return observer.receive(WriteReport(new: round.new, old: known))
    }
  }

  private func takeBaseline(of observer: PropertyObserver<Value>) -> Value? {
    guard let known = observer.baseline else { return nil }
    observer.baseline = nil
    census.baselines -= 1
    updateInvolvement()
    return known
  }

  /// Goes over the registrations that are there now.
  ///
  /// - Parameters:
  ///   - order: Only numbers below are met.
  ///   - visit: Answers whether the owner is alive.
  private func walk(before order: UInt? = nil, _ visit: (PropertyObserver<Value>) -> Bool) {
    let order = order ?? nextNumber
    var index = 0
    let outer = beginWalk()
    while index < slots.count {
      let slot = slots[index]
      guard slot.number < order else { break }
      if outer == nil { ledger.call(slot.number) }
      if let observer = slot.observer, !visit(observer) { observer.mark.endByItself() }
      index += 1
    }
    endWalk(outer)
  }

  /// Warns of observers that seem to answer each other without end.
  internal func warnOfRounds() {
    StandardError.print(
      "EventBus: the property at \(place) was set more than 100 times by its own observers. "
        + "They may be answering each other without end."
    )
  }
}
