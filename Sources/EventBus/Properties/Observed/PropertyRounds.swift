/// The writes of a property that remain to be reported, and the order in which they are: a plain value
/// without observers, handlers or locks.
///
/// Each report to the observers is a round. Usually a write becomes a round at once, with three exceptions:
///
/// - A silent write is reported together with the next reported write.
/// - The writes of a batch become one round at the end of the batch.
/// - A write during a report becomes a round that waits in the queue.
///
/// An observer that registers while a write remains to be reported already knows its value. It gets a
/// baseline, the value from which it receives its first change.
///
/// Methods return what the caller then delivers or releases. The caller releases it after the mutation,
/// because a deinitializer may use the property.
@usableFromInline
package struct PropertyRounds<Value> {
  /// A change that has been stored and remains to be reported.
  package struct Round {
    /// True if the value is back where it began.
    package fileprivate(set) var isNetZero = false
    /// True if the computed values are settled with this round, and not
    /// by the batch.
    package fileprivate(set) var settlesDependents = true
    /// The chain of the changes that led to the round; if it waits, it is part of the chain.
    let chain = SettingChain.current.next
    /// The registration number that was next when the round was formed; only smaller ones receive it.
    package let order: UInt
    /// The change for observers of changes; `nil` if none of them needed the old value.
    package let change: Change<Value>?
    /// The report for observers of elements.
    package let report: WriteReport<Value>
  }

  /// The maximum number of silent writes that are recorded individually.
  package static var recordLimit: Int { 1_000 }

  // Fields whose size depends on `Value` come last, so that the others are found without looking it up.
  /// The state that every write checks.
  @usableFromInline package internal(set) var flags: PropertyFlags = []
  /// The number of registrations in each role; it includes ended ones that have not been removed.
  private var counts = SIMD4<Int32>()
  /// The number of the next registration.
  private(set) var nextNumber: UInt = 0
  /// The records of the unreported writes, kept while there are observers of elements; `nil` if any of
  /// the writes was not described.
  private var records: [AnyObject]? = []
  /// The values that registrations know, if a report of them to the others is pending.
  private var baselines: [UInt: Value] = [:]
  private var queue = BoundedQueue<Round>()
  /// The value before the first write of the batch; `nil` if no observer needed it.
  package private(set) var batchStart: Value?

  /// Creates the rounds of a property without registrations.
  package init() {}

  // MARK: Registrations

  /// Assigns a number to a registration.
  package mutating func takeNumber() -> UInt {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// Adds a registration.
  ///
  /// - Parameters:
  ///   - number: The number of the registration.
  ///   - roles: Its roles.
  ///   - value: The current value, which the registration knows; `nil` for a validator, which needs none.
  ///   - isBehind: Pass `true` if the others do not know that value for a reason outside this property.
  package mutating func add(_ number: UInt, _ roles: PropertyFlags, value: Value?, isBehind: Bool) {
    defer { checkInvariants(ofSize: queue.count, _checkInvariants()) }
    count(roles, by: 1)
    let missed: PropertyFlags = roles.contains(.writes) ? [.batch, .silent] : .batch
    if let value, isBehind || !flags.isDisjoint(with: missed) {
      baselines[number] = value
      flags.insert(.baselines)
    }
  }

  /// Removes a registration.
  ///
  /// - Returns: Its baseline and the records that no registration needs any more, to release.
  package mutating func remove(
    _ number: UInt,
    _ roles: PropertyFlags
  ) -> (baseline: Value?, records: [AnyObject]) {
    defer { checkInvariants(ofSize: queue.count, _checkInvariants()) }
    count(roles, by: -1)
    return (takeBaseline(of: number), flags.contains(.writes) ? [] : takeRecords() ?? [])
  }

  /// Removes the baseline of a registration.
  package mutating func takeBaseline(of number: UInt) -> Value? {
    guard flags.contains(.baselines) else { return nil }
    defer { flags.set(.baselines, !baselines.isEmpty) }
    return baselines.removeValue(forKey: number)
  }

  private mutating func count(_ roles: PropertyFlags, by change: Int32) {
    for index in counts.indices {
      let role = PropertyFlags(rawValue: 1 << UInt16(index))
      guard roles.contains(role) else { continue }
      counts[index] += change
      flags.set(role, counts[index] > 0)
    }
  }

  // MARK: Writes

  /// Records a write.
  ///
  /// - Parameters:
  ///   - record: The description of the write, if it has one.
  ///   - isSilent: Pass `true` for a write that may never be reported.
  /// - Returns: The discarded records, to release.
  package mutating func note(_ record: AnyObject?, isSilent: Bool = false) -> [AnyObject] {
    // Inside a batch the value before its first write is known, and the batch will report.
    let isBounded = isSilent && !flags.contains(.batch)
    if isBounded { flags.insert(.silent) }
    guard flags.contains(.writes), let known = records?.count else { return [] }
    guard let record, !isBounded || known < Self.recordLimit else { return records.take() ?? [] }
    records?.append(record)
    return []
  }

  /// Joins the open batch with the first write of the batch to the property.
  ///
  /// - Parameters:
  ///   - old: The value before the write; `nil` if no observer needed it.
  ///   - coversSilentWrites: Pass `true` if `old` is the value that all observers know.
  package mutating func joinBatch(old: Value?, coversSilentWrites: Bool) {
    assert(!flags.contains(.batch), "the property has already joined")
    flags.insert(.batch)
    batchStart = old
    if coversSilentWrites { flags.remove(.silent) }
  }

  // MARK: Rounds

  /// Begins a report, unless one is in progress.
  ///
  /// - Returns: `true` if it began. The caller then reports the queue, with ``next()``, and ends the report,
  ///   with ``end()``.
  @inlinable
  package mutating func begin() -> Bool {
    guard !flags.contains(.reporting) else { return false }
    flags.insert(.reporting)
    return true
  }

  /// Ends a report, after the last round of the queue.
  @inlinable
  package mutating func end() {
    assert(!flags.contains(.pending), "queued rounds that no caller will report")
    flags.remove(.reporting)
  }

  /// Forms a round from the writes since the last one.
  ///
  /// - Parameters:
  ///   - old: The value before the last write; `nil` if no observer needed it.
  ///   - new: The new value.
  ///   - coversSilentWrites: Pass `true` if `old` is the value that all observers know.
  /// - Returns: The round, if the caller reports it now, and then the queue; `nil` if it was queued.
  package mutating func report(old: Value?, new: Value, coversSilentWrites: Bool) -> Round? {
    defer { checkInvariants(ofSize: queue.count, _checkInvariants()) }
    if coversSilentWrites { flags.remove(.silent) }
    let round = makeRound(from: old, to: new)
    flags.remove(.silent)
    if begin() { return round }
    append(round)
    return nil
  }

  private mutating func makeRound(from old: Value?, to new: Value, isOfBatch: Bool = false) -> Round
  {
    let known = flags.contains(.silent) ? nil : old
    return Round(
      order: nextNumber,
      change: old.map { Change(.set, old: $0, new: new) },
      report: WriteReport(new: new, old: known, records: takeRecords(), isOfBatch: isOfBatch)
    )
  }

  private mutating func append(_ round: Round) {
    _ = queue.append(round)
    flags.insert(.pending)
  }

  /// Leaves the batch, which is ending.
  ///
  /// - Returns: The value before the first write of the batch; `nil` if no observer needed it.
  package mutating func leaveBatch() -> Value? {
    flags.remove(.batch)
    return batchStart.take()
  }

  /// Queues the round of a batch that the property has left, before any round of that batch is reported.
  ///
  /// - Parameters:
  ///   - old: The value before the first write of the batch; `nil` if no observer needed it.
  ///   - new: The new value.
  ///   - isNetZero: True if both are equal.
  /// - Returns: `true` if the caller reports the queue once every property of the batch has queued its
  ///   round, with ``next()``, and ends the report, with ``end()``; `false` if a report in progress or an
  ///   enclosing batch does.
  package mutating func queueBatch(old: Value?, new: Value, isNetZero: Bool) -> Bool {
    defer { checkInvariants(ofSize: queue.count, _checkInvariants()) }
    var round = makeRound(from: old, to: new, isOfBatch: true)
    round.isNetZero = isNetZero
    // A change reported inside an observer's call settles computed values in its own round.
    round.settlesDependents = flags.contains(.reporting)
    append(round)
    if !isNetZero {
      flags.remove(.silent)
    } else if flags.isSuperset(of: [.silent, .writes]) {
      // Silent writes before the batch remain to be reported, without their records.
      records = nil
    }
    return begin()
  }

  /// Removes the next round of the queue.
  package mutating func next() -> Round? {
    defer { flags.set(.pending, !queue.isEmpty) }
    return queue.popFirst()
  }

  /// Removes the records of the unreported writes.
  ///
  /// - Returns: The records in order; `nil` if there are none or any write was not described.
  private mutating func takeRecords() -> [AnyObject]? {
    if let records, records.isEmpty { return nil }
    defer { records = [] }
    return records
  }

  /// Stops the program if the state contradicts itself.
  package func _checkInvariants() {
    func has(_ flag: PropertyFlags) -> Bool { flags.contains(flag) }
    assert(has(.pending) != queue.isEmpty, "a flag for queued rounds without one")
    assert(has(.reporting) || queue.isEmpty, "queued rounds that no caller will report")
    assert(queue.first.map { $0.order <= nextNumber } ?? true, "a round for later registrations")
    assert(has(.writes) || records?.isEmpty == true, "records that no registration needs")
    assert(has(.baselines) != baselines.isEmpty, "a flag for baselines without one")
    assert(baselines.count <= counts.wrappedSum(), "a baseline without a registration")
    assert(baselines.keys.allSatisfy { $0 < nextNumber }, "a baseline of a later registration")
    assert(has(.changes) || !has(.priors), "a prior observer that is not called for changes")
    assert(has(.batch) || batchStart == nil, "the start of no batch")
    assert(counts.min() >= 0, "a negative count")
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
    "EventBus: The property at \(site.fileID):\(site.line) was set more than 100 times by its "
      + "own observers. Check whether they trigger each other in an endless cycle."
  )
}

@available(*, unavailable)
extension PropertyRounds: Sendable {}

@available(*, unavailable)
extension PropertyRounds.Round: Sendable {}

/// The state of a property that every write checks.
///
/// The first four flags are also the roles of an observer.
@usableFromInline
package struct PropertyFlags: OptionSet, Sendable {
  /// The bits of the flags.
  @usableFromInline package let rawValue: UInt16

  /// Creates flags from their bits.
  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Sets or clears a flag.
  @inlinable
  mutating func set(_ flag: Self, _ isSet: Bool) {
    if isSet { formUnion(flag) } else { subtract(flag) }
  }

  /// Observers of every change; these need the old value.
  @inlinable package static var changes: Self { Self(rawValue: 1) }
  /// Observers of every change before it is stored.
  @inlinable static var priors: Self { Self(rawValue: 2) }
  /// Validators of every proposed value.
  @inlinable static var validators: Self { Self(rawValue: 4) }
  /// Observers of every write report; these do not need the old value.
  @inlinable package static var writes: Self { Self(rawValue: 8) }

  /// The roles of an observer of changes.
  ///
  /// - Parameter prior: Whether it is called before each change as well.
  /// - Returns: The roles.
  static func changes(prior: Bool) -> Self { prior ? [.changes, .priors] : .changes }

  /// A report is in progress, or an ending batch is going to make one; further changes are queued.
  @inlinable package static var reporting: Self { Self(rawValue: 16) }
  /// Rounds are queued.
  @inlinable package static var pending: Self { Self(rawValue: 32) }
  /// The open batch has written to the property.
  @inlinable package static var batch: Self { Self(rawValue: 64) }
  /// Some of the unreported writes were silent.
  @inlinable static var silent: Self { Self(rawValue: 128) }
  /// Some registrations have a baseline.
  @inlinable static var baselines: Self { Self(rawValue: 256) }
  /// Computed values depend on the property.
  @inlinable static var dependents: Self { Self(rawValue: 512) }

  /// The next report must take something into account.
  @inlinable static var unreported: Self { [.batch, .silent, .baselines] }

  /// An assignment needs the slow path.
  @inlinable package static var involved: Self { [.priors, .validators, .writes, .unreported] }
  /// A write in place would skip a registration that needs the old value or may change the new one.
  @inlinable static var preventsMutationInPlace: Self { [.changes, .priors, .validators] }
}
