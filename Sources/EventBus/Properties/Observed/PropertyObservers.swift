/// The registrations of one property, in call order, and its unreported changes.
///
/// The first registration creates it; a property without observers has none. It belongs to the property's
/// isolation domain and takes no lock. Other threads reach it only through ``EndedRegistrations``.
///
/// Registrations occupy slots in ascending order of their numbers. A walk visits the slots by index, so
/// handlers may register, cancel and set freely: new registrations are appended, ended ones are only
/// marked. Slots are cleared and compacted, and handlers released, when no walk is in progress.
@safe @usableFromInline
final class PropertyObservers<Value> {
  // Not a `NumberedList`, which may close its gaps at any append: a walk needs slots that stay in place
  // until it ends.
  //
  // No mutation of the array runs foreign code, and the compiler's check of each access would take a fifth of
  // the time of an assignment.
  @exclusivity(unchecked) @usableFromInline var uncheckedSlots: [PropertySlot] = []

  /// The slots of the registrations, in ascending order of their numbers.
  @inlinable
  var slots: [PropertySlot] {
    get { unsafe uncheckedSlots }  // Reason: an instantaneous read.
    _modify { yield unsafe &uncheckedSlots }  // Reason: as above, no other access can begin.
  }

  @usableFromInline let ended = EndedRegistrations()

  /// The computed values that depend on the property.
  @usableFromInline var dependents = NumberedList<ComputedNode>() {
    didSet { rounds.flags.set(.dependents, dependents.count > 0) }
  }

  /// The number of registrations, including ended ones that have not been removed.
  var count = 0
  /// The number of registrations whose owners must be swept.
  var sweptCount = 0
  /// The numbers of the registrations that have an identifier.
  var numbers: [PropertyObserverKey: UInt] = [:]
  /// The number of slots from which a registration sweeps all owners.
  var sweepLimit = 8
  /// The number of registrations that have probed for dead owners.
  var probes: UInt = 0

  /// The source site of the property.
  let site: PropertySite
  @usableFromInline let areEqual: (Value, Value) -> Bool
  /// True if values that count as equal may differ, because a custom predicate compares them.
  let equalsMayDiffer: Bool

  // Unchecked for the same reason as the slots.
  @exclusivity(unchecked) @usableFromInline var uncheckedRounds = PropertyRounds<Value>()

  /// The writes that remain to be reported, and the flags that every write checks.
  @inlinable
  var rounds: PropertyRounds<Value> {
    _read { yield unsafe uncheckedRounds }  // Reason: no mutation runs foreign code.
    _modify { yield unsafe &uncheckedRounds }  // Reason: as above, no other access can begin.
  }

  init(
    _ site: PropertySite,
    areEqual: @escaping (Value, Value) -> Bool,
    equalsMayDiffer: Bool = false
  ) {
    self.site = site
    self.areEqual = areEqual
    self.equalsMayDiffer = equalsMayDiffer
  }

  // MARK: State

  /// Returns whether any of the given flags is set.
  @inlinable
  func has(_ flags: PropertyFlags) -> Bool { rounds.flags.rawValue & flags.rawValue != 0 }

  /// True if a mutation in place needs the value before it.
  ///
  /// A registration may need that value or may decline the new one. In the first write of an open batch,
  /// observers of elements need it to see whether the batch has changed anything.
  @usableFromInline
  var needsOldValue: Bool {
    cleanIfDirty()
    if has(.preventsMutationInPlace) { return true }
    return OpenBatch.isAnyOpen && has(.writes) && !has(.batch) && OpenBatch.current != nil
  }

  // MARK: Walks

  /// Ends a walk over the registrations, which began with ``EndedRegistrations/beginReport()``.
  @inlinable
  @inline(__always)
  func endWalk() {
    if ended.endReport() { clean() }
  }

  /// Visits the registrations in the slots before an index.
  ///
  /// New registrations are appended; no slot is cleared or moved during a walk.
  ///
  /// - Parameters:
  ///   - end: The index, at most the number of slots.
  ///   - visit: Returns `false` if the owner of the registration has died.
  @inlinable
  @inline(__always)
  func walk(before end: Int, _ visit: (PropertyObserver<Value>) -> Bool) {
    ended.beginReport()
    var index = 0
    while index < end {
      _ = ObjectAddress.borrow(slots[index].address) { (observer: PropertyObserver<Value>) in
        if !visit(observer) { observer.registration.end() }
      }
      index += 1
    }
    endWalk()
  }

  /// Runs a closure that calls a handler.
  func calling(_ body: () -> Void) {
    ended.beginReport()
    body()
    endWalk()
  }

  /// The index of the first slot whose number is not smaller than the given one.
  func index(from number: UInt) -> Int {
    slots.indices.partitionPoint { slots[$0].number < number }
  }

  /// The slot index of a registration, or `nil` if its slot has been removed.
  func index(of number: UInt) -> Int? {
    slots.indices.index(ofNumber: number) { slots[$0].number }
  }

  // MARK: Reports at once: a change or a mutation in place, to all registrations alike

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
    _ = rounds.begin()
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
    if has(.pending) { drainPending() } else { rounds.end() }
  }

  // MARK: Reports through the rounds: everything else

  /// Reports a write to observers of every kind, after all changes made before it.
  ///
  /// - Parameters:
  ///   - old: The old value; `nil` if no observer needed it.
  ///   - new: The new value.
  ///   - record: The description of the write, if it has one.
  ///   - isKnown: Pass `true` if `old` is the value that all observers know, whatever was written since.
  @usableFromInline
  func reportInOrder(old: Value?, new: Value, _ record: AnyObject? = nil, isKnown: Bool = false) {
    if !isKnown { note(record) }
    guard let round = rounds.report(old: old, new: new, coversSilentWrites: isKnown) else { return }
    deliver(round)
    drain()
  }

  /// Records a write.
  ///
  /// - Parameters:
  ///   - record: The description of the write, if it has one.
  ///   - isSilent: Pass `true` for a write that may never be reported.
  @usableFromInline
  func note(_ record: AnyObject?, isSilent: Bool = false) {
    let discarded = rounds.note(record, isSilent: isSilent)
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

  @usableFromInline
  func drainPending() {
    deliverRounds(of: site, { rounds.next() }) { round in
      round.chain.calling { deliver(round) }
    }
    rounds.end()
  }

  private func deliver(_ round: PropertyRounds<Value>.Round) {
    let (change, report) = (round.change, round.report)
    walk(before: index(from: round.order)) { observer in
      let known = rounds.takeBaseline(of: observer.number)
      guard observer.registration.isOpen else {
        if known != nil || !round.isNetZero { observer.miss() }
        return true
      }
      if known.map({ areEqual($0, report.new) }) ?? round.isNetZero {
        if equalsMayDiffer { observer.miss() }
        return true
      }
      if observer.roles.contains(.changes) {
        if let known { return observer.receive(Change(.set, old: known, new: report.new)) }
        if let change { return observer.receive(change) }
      } else if observer.roles.contains(.writes) {
        return observer.receive(known.map { WriteReport(new: report.new, old: $0) } ?? report)
      }
      return true
    }
    if round.settlesDependents { dependents.settle() }
  }
}

/// A slot for one registration; empty after the registration has been removed.
///
/// Not generic, and the observer is an object of no particular class, so that unspecialized code looks up no
/// types.
@usableFromInline
struct PropertySlot {
  @usableFromInline let number: UInt
  @usableFromInline let observer: AnyObject?
  /// The address of the observer, for calls without a retain; zero if the slot is empty.
  @usableFromInline let address: UInt

  init(_ number: UInt, _ observer: AnyObject?) {
    (self.number, self.observer) = (number, observer)
    address = ObjectAddress.of(observer)
  }

  /// Calls a closure with the observer, which is not retained, unless the slot is empty.
  func borrow<Value>(_ body: (PropertyObserver<Value>) -> Void) {
    _ = ObjectAddress.borrow(address, body)
  }
}

@available(*, unavailable)
extension PropertyObservers: Sendable {}

@available(*, unavailable)
extension PropertySlot: Sendable {}

extension PropertyObservers {
  // MARK: Removal

  /// Removes and releases the registrations that have ended, on any thread, since the last call.
  @inlinable
  func cleanIfDirty() {
    if ended.isDirty { clean() }
  }

  @usableFromInline
  func clean() {
    guard !ended.isReporting else { return }
    // Released last: a deinitializer may use the property.
    var removed: [AnyObject] = []
    var baselines: [Value] = []
    var records: [AnyObject] = []
    for number in ended.takeAll() {
      guard let index = index(of: number) else { continue }
      // Emptied first: the identifiers are compared by code that may use the property.
      let slot = slots[index]
      slots[index] = PropertySlot(number, nil)
      if let observer = slot.observer { removed.append(observer) }
      slot.borrow { (observer: PropertyObserver<Value>) in
        count -= 1
        if observer.needsSweeping { sweptCount -= 1 }
        if let key = observer.key, numbers[key] == number { numbers[key] = nil }
        let leftovers = rounds.remove(number, observer.roles)
        if let baseline = leftovers.baseline { baselines.append(baseline) }
        records += leftovers.records
      }
    }
    if slots.count > max(8, 2 * count) { slots.removeAll { $0.observer == nil } }
    withExtendedLifetime((removed, baselines, records)) {}
  }
}
