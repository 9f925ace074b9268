public import Synchronization

/// Who observes one property: the registrations, the order of their calls, and the changes that wait
/// for their turn.
///
/// It is made with the first registration; a property that nobody ever observed has none. It belongs to
/// the property's isolation domain and takes no lock; other threads reach it through its ledger.
///
/// Registrations stand in slots by ascending number. A walk goes over the slots by index, so that
/// handlers may register, cancel and set as they like: what is added stands behind, what ends is only
/// marked. Slots are emptied and closed, and handlers let go, when no walk is under way.
@usableFromInline
final class PropertyObservers<Value> {
  /// The place of a registration; empty when it has ended and was let go.
  @usableFromInline
  struct Slot {
    @usableFromInline let number: UInt
    @usableFromInline var observer: PropertyObserver<Value>?
    /// Where the observer is, to be called without being retained; zero when there is none.
    @usableFromInline var address: UInt
  }

  /// A change that has been stored and is to be told.
  @usableFromInline
  struct Round {
    /// The value before; `nil` when nobody wanted it.
    let old: Value?
    /// The value after.
    let new: Value
    /// What was done, if all of it was described.
    let records: [AnyObject]?
    /// Whether what observers of elements know is the value before: nothing was stored silently.
    let isOldKnown: Bool
    /// Only registrations with smaller numbers were there when it was stored.
    let order: UInt
    /// Whether only those are told that registered while others had yet to be told.
    var isNetZero = false
    /// Whether computed values are settled by somebody else.
    var isOfBatch = false
  }

  @usableFromInline var slots: [Slot] = []
  /// The number of the next registration.
  @usableFromInline var nextNumber: UInt = 0
  /// What every set looks at; touched by the property's domain only.
  ///
  /// Atomic, and never changed in one step: a relaxed load is a plain one that needs no exclusivity check.
  @usableFromInline let flags = Atomic<UInt8>(0)
  @usableFromInline let depth = Atomic<Int>(0)
  @usableFromInline let ledger = ObservationLedger()

  /// How many registrations there are, and what they want.
  var census = PropertyCensus()
  /// The registrations that can be replaced.
  var numbers: [PropertyObserverKey: UInt] = [:]
  /// From so many slots on, all owners are looked at.
  var sweepLimit = 8
  /// How many registrations have looked at owners.
  var probes: UInt = 0

  var pending = BoundedQueue<Round>() { didSet { hasPending = !pending.isEmpty } }
  /// What was written since the last report; kept while somebody wants to know.
  var log = WriteLog.empty
  /// Whether some of it was stored without an intention to report it.
  var wroteSilently = false { didSet { updateInvolvement() } }
  /// What the open batch is to tell.
  var enlisted: PropertyEnlistment<Value>? { didSet { updateInvolvement() } }
  /// The computed values that depend on the property.
  var dependents = Dependents() { didSet { hasDependents = !dependents.isEmpty } }

  /// Whether the end of a batch has queued a change that it will tell itself.
  var drainsForBatch = false

  /// Where the property was written.
  let place: PropertyPlace
  let areEqual: ((Value, Value) -> Bool)?

  /// Creates an empty list.
  ///
  /// - Parameters:
  ///   - place: Where the property was written.
  ///   - areEqual: Tells values apart; without it every change is one.
  init(_ place: PropertyPlace, areEqual: ((Value, Value) -> Bool)?) {
    self.place = place
    self.areEqual = areEqual
  }

  /// How many slots are taken, those included whose registrations have ended.
  var slotCount: Int { slots.count }

  /// Whether the value may be changed in place: nobody wants the value before, or to decide.
  @usableFromInline
  var allowsMutationInPlace: Bool {
    cleanIfSoiled()
    return census.allowsMutationInPlace
  }

  // MARK: State

  /// How many walks are under way.
  @inlinable
  var walks: Int {
    get { depth.load(ordering: .relaxed) }
    set { depth.store(newValue, ordering: .relaxed) }
  }

  /// Whether changes are being told; new ones then wait.
  @inlinable
  var isDraining: Bool {
    get { has(1) }
    set { note(1, newValue) }
  }

  /// Whether there is anything but changes to tell to plain observers.
  @inlinable
  var isInvolved: Bool {
    get { has(2) }
    set { note(2, newValue) }
  }

  /// Whether changes wait for their turn.
  @inlinable
  var hasPending: Bool {
    get { has(4) }
    set { note(4, newValue) }
  }

  /// Whether computed values depend on the property.
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

  /// Begins to call registrations.
  ///
  /// - Returns: The call that this is inside of, for ``endWalk(_:)``; `nil` where each call of the walk is
  ///   to be announced.
  @inlinable
  func beginWalk() -> UInt? {
    walks += 1
    return walks == 1 ? nil : ledger.callSeveral()
  }

  /// Ends the calls.
  @inlinable
  func endWalk(_ outer: UInt?) {
    walks -= 1
    if let outer { return ledger.resume(outer) }
    if ledger.end() { clean() }
  }

  /// Takes out what has ended on whatever thread, and lets it go.
  @inlinable
  func cleanIfSoiled() {
    if ledger.isSoiled { clean() }
  }

  @usableFromInline
  func clean() {
    guard walks == 0 else { return }
    // Let go at the very end: what dies here may use the property.
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

  /// The slot of a registration, if it has not been let go.
  func index(of number: UInt) -> Int? {
    var low = 0
    var high = slots.count
    while low < high {
      let middle = low + (high - low) / 2
      if slots[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < slots.count && slots[low].number == number ? low : nil
  }

  /// Takes note whether there is more to do than to tell changes to plain observers.
  func updateInvolvement() {
    isInvolved = census.wantsMore || enlisted != nil || wroteSilently
  }
}

@available(*, unavailable)
extension PropertyObservers: Sendable {}

@available(*, unavailable)
extension PropertyObservers.Slot: Sendable {}

@available(*, unavailable)
extension PropertyObservers.Round: Sendable {}

/// How many registrations a property has, and what they want.
///
/// Those that have ended are counted until they are met.
struct PropertyCensus {
  /// All of them.
  private(set) var count = 0
  /// Those that want the value before.
  private(set) var wantingChanges = 0
  /// Those that want to be told before.
  private(set) var wantingPriors = 0
  /// The validators.
  private(set) var validators = 0
  /// Those that want to know what was written.
  private(set) var wantingWrites = 0
  /// Those of owners that die without telling.
  private(set) var untold = 0
  /// Those that know another value than the rest.
  var baselines = 0

  /// Whether the value may be changed in place: nobody wants the value before, or to decide.
  var allowsMutationInPlace: Bool { wantingChanges + wantingPriors + validators == 0 }

  /// Whether somebody wants more than plain changes.
  var wantsMore: Bool { wantingPriors + validators + wantingWrites + baselines > 0 }

  /// Counts a registration that comes or goes.
  mutating func note<Value>(_ observer: PropertyObserver<Value>, by change: Int) {
    count += change
    if observer.roles.contains(.changes) { wantingChanges += change }
    if observer.roles.contains(.priors) { wantingPriors += change }
    if observer.roles.contains(.proposals) { validators += change }
    if observer.roles.contains(.writes) { wantingWrites += change }
    if observer.needsSweeping { untold += change }
    if observer.baseline != nil { baselines += change }
  }
}
