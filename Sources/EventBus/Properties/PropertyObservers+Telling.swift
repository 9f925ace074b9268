extension PropertyObservers {
  /// Reports a change that has just been stored, or queues it if another report is in progress.
  ///
  /// - Parameters:
  ///   - old: The old value.
  ///   - new: The new value.
  ///   - write: The write that caused the change.
  @inlinable
  func report(old: Value, new: Value, _ write: Write) {
    if isInvolved || isDraining { return reportInOrder(old: old, new: new, write) }
    isDraining = true
    notify(Change(.set, old: old, new: new))
    if hasDependents { settleDependents() }
    drain()
  }

  /// Delivers a change to the registrations that exist when the walk begins.
  @inlinable
  func notify(_ change: Change<Value>) {
    let outer = beginWalk()
    // New registrations are appended; no slot is cleared or moved during a walk.
    let end = slots.count
    var index = 0
    while index < end {
      if outer == nil { ledger.call(slots[index].number) }
      _ = ObjectAddress.borrow(slots[index].address) { (observer: PropertyObserver<Value>) in
        if !observer.registration.isOpen {
          observer.miss()
        } else if !observer.receive(change) {
          observer.registration.endByItself()
        }
      }
      index += 1
    }
    endWalk(outer)
  }

  /// Marks the dependent computed values as dirty.
  @usableFromInline
  func invalidateDependents() { dependents.invalidate() }

  /// Notifies the observers of the dependent computed values.
  @usableFromInline
  func settleDependents() { dependents.settle() }

  /// Reports the queued changes; later changes are then reported at once.
  @inlinable
  func drain() {
    if hasPending { drainPending() }
    isDraining = false
  }

  /// Reports a change to observers of every kind, after all changes made before it.
  ///
  /// - Parameters:
  ///   - old: The old value; `nil` if no observer needed it.
  ///   - new: The new value.
  ///   - write: The write that caused the change; `nil` if it has already been logged and `old` is the value
  ///     that all observers know.
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

  /// Queues the change of a batch, before any change of the batch is reported.
  func enqueueBatch(old: Value?, new: Value, isNetZero: Bool) {
    let isOldKnown = !wroteSilently
    let records = takeRecords()
    // Silent writes before the batch remain to be reported.
    if isNetZero, wroteSilently { note(.mutation) } else { wroteSilently = false }
    _ = pending.append(
      Round(
        old: old,
        new: new,
        records: records,
        isOldKnown: isOldKnown,
        order: nextNumber,
        isNetZero: isNetZero,
        // A change reported inside an observer's call settles computed values in its own round.
        isOfBatch: !isDraining
      )
    )
    // If another batch is already going to drain the queue, this change follows that batch's change.
    guard !isDraining else { return }
    drainsForBatch = true
    isDraining = true
  }

  /// Reports the change of a batch, unless an enclosing report will do so.
  func drainBatch() {
    guard drainsForBatch else { return }
    drainsForBatch = false
    drain()
  }

  /// Removes the log of the writes since the last report.
  ///
  /// - Returns: The records of the writes, in order; `nil` if there were none or any was not described.
  func takeRecords() -> [AnyObject]? {
    if case .empty = log { return nil }
    let taken = log
    log = .empty
    return taken.records
  }

  /// Logs a silent write, which may never be reported.
  @usableFromInline
  func noteSilently(_ write: Write) {
    // Inside a batch the value before its first write is known.
    let isOutside = enlisted == nil
    note(write, isBounded: isOutside)
    if isOutside { wroteSilently = true }
  }

  /// Logs a write that will be reported.
  ///
  /// - Parameters:
  ///   - write: The write.
  ///   - isBounded: A Boolean value that indicates whether the log drops its records beyond the limit.
  @usableFromInline
  func note(_ write: Write, isBounded: Bool = false) {
    guard census.wantingWrites > 0 else { return }
    // Releasing a record may use the property, so the log is emptied first.
    var log = log
    self.log = .empty
    log.note(write, isBounded: isBounded)
    self.log = log
  }

  /// Announces a value to the prior observers, before it is stored.
  func notifyPrior(old: Value, new: Value) {
    let change = Change(.prior, old: old, new: new)
    walk { observer in
      observer.roles.contains(.priors) && observer.registration.isOpen
        ? observer.receive(change) : true
    }
  }

  /// Runs the validators in registration order until one declines.
  ///
  /// - Parameters:
  ///   - proposed: The value to store; a validator may replace it.
  ///   - old: Reads the current value.
  /// - Returns: `true` if no validator declined the value.
  func approve(_ proposed: inout Value, old: () -> Value) -> Bool {
    var isApproved = true
    walk { observer in
      if isApproved, observer.roles.contains(.proposals), observer.registration.isOpen {
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
      guard observer.registration.isOpen else {
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

  /// Visits the registrations that exist now.
  ///
  /// - Parameters:
  ///   - order: The registration number at which the walk stops.
  ///   - visit: Returns `false` if the owner of the registration has died.
  private func walk(before order: UInt? = nil, _ visit: (PropertyObserver<Value>) -> Bool) {
    let order = order ?? nextNumber
    var index = 0
    let outer = beginWalk()
    while index < slots.count {
      let slot = slots[index]
      guard slot.number < order else { break }
      if outer == nil { ledger.call(slot.number) }
      if let observer = slot.observer, !visit(observer) { observer.registration.endByItself() }
      index += 1
    }
    endWalk(outer)
  }

  /// Warns about observers that seem to set the property in an endless cycle.
  func warnOfRounds() {
    printError(
      "EventBus: the property at \(site) was set more than 100 times by its own observers. "
        + "Check whether they trigger each other in an endless cycle."
    )
  }
}

// The fast path for a mutation in place, for which all registrations are observers of elements.
extension PropertyObservers {
  /// A Boolean value that indicates whether any registration receives write reports.
  @usableFromInline
  var wantsWrites: Bool { census.wantingWrites > 0 }

  /// A Boolean value that indicates whether a validator or prior observer may change the value to store.
  @usableFromInline
  var isDecided: Bool { census.validators + census.wantingPriors > 0 }

  /// A Boolean value that indicates whether a write in place can be reported at once, to all registrations
  /// alike.
  @usableFromInline
  var reportsWritesAtOnce: Bool {
    !isDraining && census.baselines == 0 && !wroteSilently
  }

  /// Reports a mutation in place for which no observer needed the old value.
  @inlinable
  func reportInPlace(_ new: Value, _ write: Write) {
    guard reportsWritesAtOnce else { return reportInOrder(old: nil, new: new, write) }
    isDraining = true
    notify(WriteReport(new: new, records: write.records))
    if hasDependents { settleDependents() }
    drain()
  }

  /// Delivers a write report to the registrations that exist when the walk begins.
  @inlinable
  func notify(_ report: WriteReport<Value>) {
    let outer = beginWalk()
    let end = slots.count
    var index = 0
    while index < end {
      if outer == nil { ledger.call(slots[index].number) }
      _ = ObjectAddress.borrow(slots[index].address) { (observer: PropertyObserver<Value>) in
        if !observer.registration.isOpen {
          observer.miss()
        } else if !observer.receive(report) {
          observer.registration.endByItself()
        }
      }
      index += 1
    }
    endWalk(outer)
  }
}
