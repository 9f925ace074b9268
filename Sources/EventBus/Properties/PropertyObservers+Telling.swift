extension PropertyObservers {
  /// Tells a change that was stored just now, or lets it wait for its turn.
  ///
  /// - Parameters:
  ///   - old: The value before; `nil` when nobody wanted it.
  ///   - new: The value after.
  ///   - write: What was written.
  @inlinable
  func report(old: Value, new: Value, _ write: Write) {
    if isInvolved || isDraining { return reportInOrder(old: old, new: new, write) }
    isDraining = true
    tell(Change(.set, old: old, new: new))
    if hasDependents { settleDependents() }
    drain()
  }

  /// Tells a plain change to those who were there when the walk began.
  @inlinable
  func tell(_ change: Change<Value>) {
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
  func invalidateDependents() { dependents.invalidate() }

  /// Tells the observers of what was computed from the property.
  @usableFromInline
  func settleDependents() { dependents.settle() }

  /// Tells what waits, and lets later changes be told at once.
  @inlinable
  func drain() {
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
  func reportInOrder(old: Value?, new: Value, _ write: Write?) {
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
  func enqueueBatch(old: Value?, new: Value, isNetZero: Bool) {
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
  func drainBatch() {
    guard drainsForBatch else { return }
    drainsForBatch = false
    drain()
  }

  /// Takes out what was written since the last report.
  ///
  /// - Returns: What was done, in order, if all of it was described.
  func takeRecords() -> [AnyObject]? {
    if case .empty = log { return nil }
    let taken = log
    log = .empty
    return taken.records
  }

  /// Takes note of a write that will be told.
  @usableFromInline
  func note(_ write: Write) { note(write, isBounded: false) }

  /// Takes note of a write that may never be told.
  @usableFromInline
  func noteSilently(_ write: Write) {
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
  func tellPrior(old: Value, new: Value) {
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
  func approve(_ proposed: inout Value, old: () -> Value) -> Bool {
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
  func drainPending() {
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
  func warnOfRounds() {
    StandardError.print(
      "EventBus: the property at \(place) was set more than 100 times by its own observers. "
        + "They may be answering each other without end."
    )
  }
}

// The short way of a change in place, which only observers of elements are told.
extension PropertyObservers {
  /// Whether somebody wants to know what was written.
  @usableFromInline
  var wantsWrites: Bool { census.wantingWrites > 0 }

  /// Whether somebody may decide for another value, or set the property before one is stored.
  @usableFromInline
  var isDecided: Bool { census.validators + census.wantingPriors > 0 }

  /// Whether a write in place is all there is to tell, and to all.
  @usableFromInline
  var tellsWritesAtOnce: Bool {
    !isDraining && census.baselines == 0 && !wroteSilently
  }

  /// Tells what was changed in place, where nobody wanted the value before.
  @inlinable
  func reportInPlace(_ new: Value, _ write: Write) {
    guard tellsWritesAtOnce else { return reportInOrder(old: nil, new: new, write) }
    isDraining = true
    tell(WriteReport(new: new, records: write.records))
    if hasDependents { settleDependents() }
    drain()
  }

  /// Tells a report to those who were there when the walk began.
  @inlinable
  func tell(_ report: WriteReport<Value>) {
    let outer = beginWalk()
    let end = slots.count
    var index = 0
    while index < end {
      if outer == nil { ledger.call(slots[index].number) }
      _ = ObjectAddress.borrow(slots[index].address) { (observer: PropertyObserver<Value>) in
        if !observer.mark.isOpen {
          observer.miss()
        } else if !observer.receive(report) {
          observer.mark.endByItself()
        }
      }
      index += 1
    }
    endWalk(outer)
  }
}
