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
package struct PropertyRounds<Value> {
  private enum Phase {
    /// No report is in progress.
    case idle
    /// A report is in progress. Its caller reports the rounds in the queue as well.
    case reporting
    /// An ending batch has queued a round. It reports the queue once every property of the batch has queued
    /// its round.
    case endingBatch
  }

  /// A change that has been stored and remains to be reported.
  package struct Round {
    /// A Boolean value that indicates whether the value is back where it began.
    package fileprivate(set) var isNetZero = false
    fileprivate let isOldKnown: Bool
    fileprivate var isOfBatch = false
    /// A Boolean value that indicates whether the computed values are settled with this round, and not
    /// by the batch.
    package fileprivate(set) var settlesDependents = true
    /// The chain of the changes that led to the round; if it waits, it is part of the chain.
    let chain = SettingChain.current.next
    /// The registration number that was next when the round was formed; only smaller ones receive it.
    package let order: UInt
    fileprivate let records: [AnyObject]?
    fileprivate let old: Value?
    /// The new value.
    package let new: Value

    /// The change for observers of changes; `nil` if no observer needed the old value, or if the value
    /// is back where it began.
    package var change: Change<Value>? {
      guard !isNetZero, let old else { return nil }
      return Change(.set, old: old, new: new)
    }

    /// The report for observers of elements; `nil` if the value is back where it began.
    package var report: WriteReport<Value>? {
      guard !isNetZero else { return nil }
      let known = isOldKnown ? old : nil
      return WriteReport(new: new, old: known, records: records, isOfBatch: isOfBatch)
    }
  }

  /// The maximum number of silent writes that are recorded individually.
  package static var recordLimit: Int { 1_000 }

  // Fields whose size depends on `Value` come last, so that the others are found without looking it up.
  private var phase = Phase.idle
  /// A Boolean value that indicates whether the open batch has written to the property.
  package private(set) var isInBatch = false
  /// A Boolean value that indicates whether some of the unreported writes were silent.
  private var hasSilentWrites = false
  /// The number of the next registration.
  private(set) var nextNumber: UInt = 0
  /// The number of registrations for changes, as are the following for the other roles; it includes ended ones
  /// that have not been removed.
  private var changesCount = 0
  private var priorsCount = 0
  private var validatorsCount = 0
  private var writesCount = 0
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

  /// A Boolean value that indicates whether any registration has a baseline.
  var hasBaselines: Bool { !baselines.isEmpty }

  /// The flags that follow from the state; all but ``PropertyFlags/dependents``.
  package var flags: PropertyFlags {
    var flags: PropertyFlags = []
    if changesCount > 0 { flags.insert(.changes) }
    if priorsCount > 0 { flags.insert(.priors) }
    if validatorsCount > 0 { flags.insert(.validators) }
    if writesCount > 0 { flags.insert(.writes) }
    if phase != .idle { flags.insert(.reporting) }
    if !queue.isEmpty { flags.insert(.pending) }
    if isInBatch || hasSilentWrites || hasBaselines { flags.insert(.unreported) }
    return flags
  }

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
    if let value, isBehind || isInBatch || roles.contains(.writes) && hasSilentWrites {
      baselines[number] = value
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
    return (takeBaseline(of: number), writesCount == 0 ? takeRecords() ?? [] : [])
  }

  /// Removes the baseline of a registration.
  package mutating func takeBaseline(of number: UInt) -> Value? {
    baselines.removeValue(forKey: number)
  }

  private mutating func count(_ roles: PropertyFlags, by change: Int) {
    if roles.contains(.changes) { changesCount += change }
    if roles.contains(.priors) { priorsCount += change }
    if roles.contains(.validators) { validatorsCount += change }
    if roles.contains(.writes) { writesCount += change }
  }

  // MARK: Writes

  /// Records a write that is going to be reported.
  ///
  /// - Parameters:
  ///   - record: The description of the write, if it has one.
  ///   - isBounded: Pass `true` to discard the records beyond the limit.
  /// - Returns: The discarded records, to release.
  package mutating func note(_ record: AnyObject?, isBounded: Bool = false) -> [AnyObject] {
    guard writesCount > 0, let known = records?.count else { return [] }
    guard let record, !isBounded || known < Self.recordLimit else { return records.take() ?? [] }
    records?.append(record)
    return []
  }

  /// Records a silent write, which may never be reported.
  ///
  /// - Returns: The discarded records, to release.
  package mutating func noteSilently(_ record: AnyObject?) -> [AnyObject] {
    // Inside a batch the value before its first write is known.
    guard !isInBatch else { return note(record) }
    hasSilentWrites = true
    return note(record, isBounded: true)
  }

  /// Joins the open batch with the first write of the batch to the property.
  ///
  /// - Parameters:
  ///   - old: The value before the write; `nil` if no observer needed it.
  ///   - coversSilentWrites: Pass `true` if `old` is the value that all observers know.
  package mutating func joinBatch(old: Value?, coversSilentWrites: Bool) {
    assert(!isInBatch, "the property has already joined")
    (isInBatch, batchStart) = (true, old)
    if coversSilentWrites { hasSilentWrites = false }
  }

  // MARK: Rounds

  /// Begins a report, unless one is in progress.
  ///
  /// - Returns: `true` if it began. The caller then reports the queue, with ``next()``, and ends the report,
  ///   with ``adopt(isReporting:)``.
  package mutating func begin() -> Bool {
    defer { checkInvariants(ofSize: queue.count, _checkInvariants()) }
    guard phase == .idle else { return false }
    phase = .reporting
    return true
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
    let isOldKnown = coversSilentWrites || !hasSilentWrites
    hasSilentWrites = false
    let round = Round(
      isOldKnown: isOldKnown,
      order: nextNumber,
      records: takeRecords(),
      old: old,
      new: new
    )
    if begin() { return round }
    _ = queue.append(round)
    return nil
  }

  /// Leaves the batch, which is ending.
  ///
  /// - Returns: The value before the first write of the batch, for ``queueBatch(old:new:isNetZero:)``.
  package mutating func leaveBatch() -> Value? {
    isInBatch = false
    return batchStart.take()
  }

  /// Queues the round of a batch, before any round of that batch is reported.
  package mutating func queueBatch(old: Value?, new: Value, isNetZero: Bool) {
    defer { checkInvariants(ofSize: queue.count, _checkInvariants()) }
    _ = queue.append(
      Round(
        isNetZero: isNetZero,
        isOldKnown: !hasSilentWrites,
        isOfBatch: true,
        // A change reported inside an observer's call settles computed values in its own round.
        settlesDependents: phase != .idle,
        order: nextNumber,
        records: takeRecords(),
        old: old,
        new: new
      )
    )
    if !isNetZero {
      hasSilentWrites = false
    } else if hasSilentWrites, writesCount > 0 {
      // Silent writes before the batch remain to be reported, without their records.
      records = nil
    }
    // If another batch is already going to report the queue, this round follows that batch's round.
    if phase == .idle { phase = .endingBatch }
  }

  /// Begins the report of a batch.
  ///
  /// - Returns: `true` if the caller reports the queue, with ``next()``; `false` if an enclosing report
  ///   does.
  package mutating func endBatch() -> Bool {
    defer { checkInvariants(ofSize: queue.count, _checkInvariants()) }
    guard phase == .endingBatch else { return false }
    phase = .reporting
    return true
  }

  /// Removes the next round of the queue.
  package mutating func next() -> Round? { queue.popFirst() }

  /// Adopts the begin or the end of a report.
  ///
  /// - Parameter isReporting: A Boolean value that indicates whether a report is in progress.
  package mutating func adopt(isReporting: Bool) {
    defer { checkInvariants(ofSize: queue.count, _checkInvariants()) }
    if (phase == .idle) == isReporting { phase = isReporting ? .reporting : .idle }
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
    assert(phase != .idle || queue.isEmpty, "queued rounds that no caller will report")
    assert(phase != .endingBatch || !queue.isEmpty, "an ending batch has no round")
    assert(queue.first.map { $0.order <= nextNumber } ?? true, "a round for later registrations")
    assert(writesCount > 0 || records?.isEmpty == true, "records that no registration needs")
    assert(baselines.count <= changesCount + writesCount, "a baseline without a registration")
    assert(baselines.keys.allSatisfy { $0 < nextNumber }, "a baseline of a later registration")
    assert(priorsCount <= changesCount, "a prior observer that is not called for changes")
    assert(isInBatch || batchStart == nil, "the start of no batch")
    assert(min(priorsCount, validatorsCount, writesCount) >= 0, "a negative count")
  }
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
  @usableFromInline package let rawValue: UInt8

  /// Creates flags from their bits.
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Observers of every change, who need the old value.
  @inlinable package static var changes: Self { Self(rawValue: 1) }
  /// Observers of every change before it is stored.
  @inlinable static var priors: Self { Self(rawValue: 2) }
  /// Validators of every proposed value.
  @inlinable static var validators: Self { Self(rawValue: 4) }
  /// Observers of every write report, who do not need the old value.
  @inlinable package static var writes: Self { Self(rawValue: 8) }

  /// A report is in progress; further changes are queued.
  @inlinable package static var reporting: Self { Self(rawValue: 16) }
  /// Rounds are queued.
  @inlinable package static var pending: Self { Self(rawValue: 32) }
  /// There are silent writes, writes of an open batch, or baselines.
  @inlinable static var unreported: Self { Self(rawValue: 64) }
  /// Computed values depend on the property.
  @inlinable static var dependents: Self { Self(rawValue: 128) }

  /// An assignment needs the slow path.
  @inlinable package static var involved: Self { [.priors, .validators, .writes, .unreported] }
  /// A write in place would skip a registration that needs the old value or may change the new one.
  @inlinable static var preventsMutationInPlace: Self { [.changes, .priors, .validators] }
}
