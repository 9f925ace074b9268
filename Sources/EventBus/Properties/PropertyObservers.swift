public import Synchronization

/// The registrations of one property, in call order, and its pending changes.
///
/// The first registration creates it; a property without observers has none. It belongs to the property's
/// isolation domain and takes no lock. Other threads reach it only through its ledger.
///
/// Registrations occupy slots in ascending order of their numbers. A walk visits the slots by index, so
/// handlers may register, cancel and set freely: new registrations are appended, ended ones are only
/// marked. Slots are cleared and compacted, and handlers released, when no walk is in progress.
@usableFromInline
final class PropertyObservers<Value> {
  /// A slot for one registration; empty after the registration has been removed.
  @usableFromInline
  struct Slot {
    @usableFromInline let number: UInt
    @usableFromInline var observer: PropertyObserver<Value>?
    /// The observer's address, for calls without a retain; zero if the slot is empty.
    @usableFromInline var address: UInt
  }

  /// A change that has been stored and remains to be reported.
  @usableFromInline
  struct Round {
    /// The old value; `nil` if no observer needed it.
    let old: Value?
    /// The new value.
    let new: Value
    /// The records of all operations; `nil` if any write was not described.
    let records: [AnyObject]?
    /// A Boolean value that indicates whether observers of elements know the old value, because no silent
    /// write preceded the change.
    let isOldKnown: Bool
    /// The registration number that was next when the change was stored; only smaller numbers receive it.
    let order: UInt
    /// A Boolean value that indicates whether the value is back where it began, so that only registrations
    /// with a baseline are notified.
    var isNetZero = false
    /// A Boolean value that indicates whether the batch settles the computed values.
    var isOfBatch = false
  }

  @usableFromInline var slots: [Slot] = []
  /// The number of the next registration.
  @usableFromInline var nextNumber: UInt = 0
  /// The flags that every assignment checks; used only in the property's domain.
  ///
  /// Atomic only because a relaxed load compiles to a plain load without an exclusivity check. Updates are
  /// not atomic read-modify-write operations.
  @usableFromInline let flags = Atomic<UInt8>(0)
  @usableFromInline let depth = Atomic<Int>(0)
  @usableFromInline let ledger = RegistrationLedger()

  /// The number of registrations, in total and by role.
  var census = PropertyCensus()
  /// The numbers of the registrations that have an identifier.
  var numbers: [PropertyObserverKey: UInt] = [:]
  /// The number of slots from which a registration sweeps all owners.
  var sweepLimit = 8
  /// The number of registrations that have probed for dead owners.
  var probes: UInt = 0

  var pending = BoundedQueue<Round>() { didSet { hasPending = !pending.isEmpty } }
  /// The writes since the last report; kept while there are observers of elements.
  var log = WriteLog.empty
  /// A Boolean value that indicates whether some of those writes were silent.
  var wroteSilently = false { didSet { updateInvolvement() } }
  /// The value before the first write of the open batch, if that batch has written to the property.
  ///
  /// The inner optional is `nil` if no observer needed the value.
  var enlisted: Value?? { didSet { updateInvolvement() } }
  /// The computed values that depend on the property.
  var dependents = Dependents() { didSet { hasDependents = !dependents.isEmpty } }

  /// A Boolean value that indicates whether the end of a batch has queued a change and will drain the queue.
  var drainsForBatch = false

  /// The source site of the property.
  let site: PropertySite
  let areEqual: ((Value, Value) -> Bool)?

  init(_ site: PropertySite, areEqual: ((Value, Value) -> Bool)?) {
    self.site = site
    self.areEqual = areEqual
  }

  /// A Boolean value that indicates whether the value may be mutated in place, because no registration needs
  /// the old value or validates.
  @usableFromInline
  var allowsMutationInPlace: Bool {
    cleanIfDirty()
    return census.allowsMutationInPlace
  }

  // MARK: State

  /// The number of walks in progress.
  @inlinable
  var walks: Int {
    get { depth.load(ordering: .relaxed) }
    set { depth.store(newValue, ordering: .relaxed) }
  }

  /// A Boolean value that indicates whether changes are being reported; further changes are queued.
  @inlinable
  var isDraining: Bool {
    get { has(1) }
    set { note(1, newValue) }
  }

  /// A Boolean value that indicates whether an assignment needs the slow path.
  @inlinable
  var isInvolved: Bool {
    get { has(2) }
    set { note(2, newValue) }
  }

  /// A Boolean value that indicates whether changes are queued.
  @inlinable
  var hasPending: Bool {
    get { has(4) }
    set { note(4, newValue) }
  }

  /// A Boolean value that indicates whether computed values depend on the property.
  @inlinable
  var hasDependents: Bool {
    get { has(8) }
    set { note(8, newValue) }
  }

  @inlinable
  func has(_ flag: UInt8) -> Bool { flags.load(ordering: .relaxed) & flag != 0 }

  @inlinable
  func note(_ flag: UInt8, _ isThere: Bool) {
    let others = flags.load(ordering: .relaxed) & ~flag
    flags.store(isThere ? others | flag : others, ordering: .relaxed)
  }

  // MARK: Walks

  /// Begins a walk over the registrations.
  ///
  /// - Returns: The enclosing call, for ``endWalk(_:)``; `nil` for an outermost walk, which announces each
  ///   of its calls.
  @inlinable
  func beginWalk() -> UInt? {
    walks += 1
    return walks == 1 ? nil : ledger.callSeveral()
  }

  /// Ends a walk.
  @inlinable
  func endWalk(_ outer: UInt?) {
    walks -= 1
    if let outer { return ledger.resume(outer) }
    if ledger.end() { clean() }
  }

  /// Removes and releases the registrations that have ended, on any thread, since the last call.
  @inlinable
  func cleanIfDirty() {
    if ledger.isDirty { clean() }
  }

  @usableFromInline
  func clean() {
    guard walks == 0 else { return }
    // Released last: a deinitializer may use the property.
    var removed: [PropertyObserver<Value>] = []
    for number in ledger.takeEnded() {
      guard let index = index(of: number), let observer = slots[index].observer.take() else {
        continue
      }
      slots[index].address = 0
      removed.append(observer)
      census.note(observer, by: -1)
      if let key = observer.key, numbers[key] == number { numbers[key] = nil }
    }
    if slots.count > max(8, 2 * census.count) { slots.removeAll { $0.observer == nil } }
    updateInvolvement()
    if census.wantingWrites == 0 { _ = takeRecords() }
    withExtendedLifetime(removed) {}
  }

  /// The slot index of a registration, or `nil` if its slot has been removed.
  func index(of number: UInt) -> Int? {
    let index = slots.indices.partitionPoint { slots[$0].number < number }
    return index < slots.count && slots[index].number == number ? index : nil
  }

  /// Recomputes whether assignments need the slow path.
  func updateInvolvement() {
    isInvolved = census.wantsMore || enlisted != nil || wroteSilently
  }
}

/// The number of registrations of a property, in total and by role.
///
/// Ended registrations count until they are removed.
struct PropertyCensus {
  /// All registrations.
  private(set) var count = 0
  /// Registrations that need the old value.
  private(set) var wantingChanges = 0
  /// Registrations that are called before a change.
  private(set) var wantingPriors = 0
  private(set) var validators = 0
  /// Registrations that receive write reports.
  private(set) var wantingWrites = 0
  /// Registrations whose owners must be swept.
  private(set) var needingSweep = 0
  /// Registrations with a baseline.
  var baselines = 0

  /// A Boolean value that indicates whether the value may be mutated in place, because no registration needs
  /// the old value or validates.
  var allowsMutationInPlace: Bool { wantingChanges + wantingPriors + validators == 0 }

  /// A Boolean value that indicates whether any registration needs the slow path.
  var wantsMore: Bool { wantingPriors + validators + wantingWrites + baselines > 0 }

  /// Counts a registration that was added or removed.
  mutating func note<Value>(_ observer: PropertyObserver<Value>, by change: Int) {
    count += change
    if observer.roles.contains(.changes) { wantingChanges += change }
    if observer.roles.contains(.priors) { wantingPriors += change }
    if observer.roles.contains(.proposals) { validators += change }
    if observer.roles.contains(.writes) { wantingWrites += change }
    if observer.needsSweeping { needingSweep += change }
    if observer.baseline != nil { baselines += change }
  }
}

@available(*, unavailable)
extension PropertyObservers: Sendable {}

@available(*, unavailable)
extension PropertyObservers.Slot: Sendable {}

@available(*, unavailable)
extension PropertyObservers.Round: Sendable {}
