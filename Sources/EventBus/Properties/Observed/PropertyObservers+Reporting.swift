// The fast path: a change or a mutation in place that is reported at once, to all registrations alike.
extension PropertyObservers {
  /// Reports a change that has just been stored, or queues it if another report is in progress.
  ///
  /// - Parameters:
  ///   - old: The old value.
  ///   - new: The new value.
  @inlinable
  @inline(__always)
  func report(old: Value, new: Value) {
    if has(.involved.union(.reporting)) { return reportInOrder(old: old, new: new, nil) }
    let change = Change(.set, old: old, new: new)
    reportAtOnce { $0.receive(change) }
  }

  /// Reports a mutation in place for which no observer needed the old value.
  ///
  /// - Parameters:
  ///   - new: The new value.
  ///   - record: The description of the mutation, if it has one.
  @inlinable
  func reportInPlace(_ new: Value, _ record: AnyObject?) {
    if has([.reporting, .unreported]) { return reportInOrder(old: nil, new: new, record) }
    let report = WriteReport(new: new, records: record.map { [$0] })
    reportAtOnce { $0.receive(report) }
  }

  /// Calls the registrations that exist now, settles the computed values and reports the changes made
  /// meanwhile.
  @inlinable
  @inline(__always)
  func reportAtOnce(_ call: (PropertyObserver<Value>) -> Bool) {
    set(.reporting, true)
    walk(before: slots.count) { observer in
      if observer.registration.isOpen { return call(observer) }
      observer.miss()
      return true
    }
    if has(.dependents) { dependents.settle() }
    drain()
  }

  /// Reports the queued changes; later changes are then reported at once.
  @inlinable
  func drain() {
    if has(.pending) { drainPending() } else { set(.reporting, false) }
  }
}

// The slow path: everything else goes through the rounds.
extension PropertyObservers {
  /// Reports a write to observers of every kind, after all changes made before it.
  ///
  /// - Parameters:
  ///   - old: The old value; `nil` if no observer needed it.
  ///   - new: The new value.
  ///   - record: The description of the write, if it has one.
  @usableFromInline
  func reportInOrder(old: Value?, new: Value, _ record: AnyObject?) {
    note(record)
    run(rounds.report(old: old, new: new, coversSilentWrites: false))
  }

  /// Reports a change from a value that all observers know.
  func reportInOrder(known: Value, new: Value) {
    run(rounds.report(old: known, new: new, coversSilentWrites: true))
  }

  /// Reports the change of a batch, unless an enclosing report will do so.
  func endBatch() {
    if rounds.endBatch() { drainPending() }
  }

  /// Records a write that is going to be reported.
  @usableFromInline
  func note(_ record: AnyObject?) {
    guard has(.writes) else { return }
    let discarded = rounds.note(record)
    withExtendedLifetime(discarded) {}
  }

  /// Records a silent write, which may never be reported.
  @usableFromInline
  func noteSilently(_ record: AnyObject?) {
    let discarded = rounds.noteSilently(record)
    withExtendedLifetime(discarded) {}
  }

  /// Announces a value to the prior observers, before it is stored.
  func notifyPrior(old: Value, new: Value) {
    let change = Change(.prior, old: old, new: new)
    walk(before: slots.count) { observer in
      guard observer.roles.contains(.priors), observer.registration.isOpen else { return true }
      return observer.receive(change)
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
    walk(before: slots.count) { observer in
      if isApproved, observer.roles.contains(.validators), observer.registration.isOpen {
        isApproved = observer.approves(&proposed, old: old())
      }
      return true
    }
    return isApproved
  }

  /// Reports a round and those that are queued meanwhile.
  private func run(_ round: PropertyRounds<Value>.Round?) {
    guard let round else { return }
    deliver(round)
    drain()
  }

  @usableFromInline
  func drainPending() {
    deliverRounds(of: site, { has(.pending) ? rounds.next() : nil }) { round in
      round.chain.calling { deliver(round) }
    }
    set(.reporting, false)
  }

  private func deliver(_ round: PropertyRounds<Value>.Round) {
    let (change, report) = (round.change, round.report)
    let hasBaselines = rounds.hasBaselines
    walk(before: index(from: round.order)) { observer in
      let known = hasBaselines ? rounds.takeBaseline(of: observer.number) : nil
      guard observer.registration.isOpen else {
        if known != nil || report != nil { observer.miss() }
        return true
      }
      if known.map({ areEqual($0, round.new) }) ?? round.isNetZero {
        if equalsMayDiffer { observer.miss() }
        return true
      }
      if observer.roles.contains(.changes) {
        if let known { return observer.receive(Change(.set, old: known, new: round.new)) }
        if let change { return observer.receive(change) }
      } else if observer.roles.contains(.writes) {
        if let known { return observer.receive(WriteReport(new: round.new, old: known)) }
        if let report { return observer.receive(report) }
      }
      return true
    }
    if round.settlesDependents { dependents.settle() }
  }
}

/// Delivers the rounds that wait, so that the calls of a handler do not nest: what the calls add to the queue is
/// delivered after them.
///
/// More than 100 rounds, with the one that has been delivered already, cause a warning.
///
/// - Parameters:
///   - site: The source site of the property, for the warning.
///   - next: Removes the next round from the queue.
///   - deliver: Calls the handlers, as part of the chain of the round.
// Inlined, because the type of a round would be looked up for each one.
@inline(__always)
func deliverRounds<Round>(
  of site: PropertySite?,
  _ next: () -> Round?,
  _ deliver: (Round) -> Void
) {
  var count = 1
  while let round = next() {
    deliver(round)
    count += 1
    if count == SettingChain.warningLength + 1, let site { warnOfRounds(of: site) }
  }
}

/// Warns about observers that seem to set their property, or others that set it, in an endless cycle.
///
/// - Parameter site: The source site of the property.
func warnOfRounds(of site: PropertySite) {
  printError(
    "EventBus: the property at \(site.fileID):\(site.line) was set more than 100 times by its "
      + "own observers. Check whether they trigger each other in an endless cycle."
  )
}
