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
internal final class PropertyObservers<Value> {
  /// The place of a registration; empty when it has ended and was let go.
  @usableFromInline
  internal struct Slot {
    @usableFromInline internal let number: UInt
    @usableFromInline internal var observer: PropertyObserver<Value>?
    /// Where the observer is, to be called without being retained; zero when there is none.
    @usableFromInline internal var address: UInt
  }

  /// A change that has been stored and is to be told.
  @usableFromInline
  internal struct Round {
    /// The value before; `nil` when nobody wanted it.
    internal let old: Value?
    /// The value after.
    internal let new: Value
    /// What was done, if all of it was described.
    internal let records: [AnyObject]?
    /// Whether what observers of elements know is the value before: nothing was stored silently.
    internal let isOldKnown: Bool
    /// Only registrations with smaller numbers were there when it was stored.
    internal let order: UInt
    /// Whether only those are told that registered while others had yet to be told.
    internal var isNetZero = false
    /// Whether computed values are settled by somebody else.
    internal var isOfBatch = false
  }

  @usableFromInline internal var slots: [Slot] = []
  /// The number of the next registration.
  @usableFromInline internal var nextNumber: UInt = 0
  /// What every set looks at; touched by the property's domain only.
  ///
  /// Atomic, and never changed in one step: a relaxed load is a plain one that needs no exclusivity check.
  @usableFromInline internal let flags = Atomic<UInt8>(0)
  @usableFromInline internal let depth = Atomic<Int>(0)
  @usableFromInline internal let ledger = ObservationLedger()

  /// How many registrations there are, ended ones included that have not been met yet.
  internal private(set) var count = 0
  /// How many of them want the value before.
  internal private(set) var wantingChanges = 0
  /// How many want to be told before.
  internal private(set) var wantingPriors = 0
  /// How many are validators.
  internal private(set) var validators = 0
  /// How many want to know what was written.
  internal private(set) var wantingWrites = 0
  /// How many belong to owners that die without telling.
  private var untold = 0
  /// How many know another value than the rest.
  internal var baselines = 0
  private var numbers: [PropertyObserverKey: UInt] = [:]
  private var sweepLimit = 8
  private var probes: UInt = 0

  internal var pending: [Round] = [] { didSet { hasPending = !pending.isEmpty } }
  /// What was written since the last report; kept while somebody wants to know.
  internal var log = WriteLog.empty
  /// Whether some of it was stored without an intention to report it.
  internal var wroteSilently = false { didSet { updateInvolvement() } }
  /// What the open batch is to tell.
  internal var enlisted: PropertyEnlistment<Value>? { didSet { updateInvolvement() } }
  /// The computed values that depend on the property.
  internal var dependents = Dependents() { didSet { hasDependents = !dependents.isEmpty } }

  /// Whether the end of a batch has queued a change that it will tell itself.
  internal var drainsForBatch = false

  /// Where the property was written.
  internal let place: PropertyPlace
  internal let areEqual: ((Value, Value) -> Bool)?

  /// Creates an empty list.
  ///
  /// - Parameters:
  ///   - place: Where the property was written.
  ///   - areEqual: Tells values apart; without it every change is one.
  internal init(_ place: PropertyPlace, areEqual: ((Value, Value) -> Bool)?) {
    self.place = place
    self.areEqual = areEqual
  }

  /// How many slots are taken, those included whose registrations have ended.
  internal var slotCount: Int { slots.count }

  /// Whether the value may be changed in place: nobody wants the value before, or to decide.
  @usableFromInline
  internal var allowsMutationInPlace: Bool {
    cleanIfSoiled()
    return wantingChanges + wantingPriors + validators == 0
  }

  // MARK: State

  /// How many walks are under way.
  @inlinable
  internal var walks: Int {
    get { depth.load(ordering: .relaxed) }
    set { depth.store(newValue, ordering: .relaxed) }
  }

  /// Whether changes are being told; new ones then wait.
  @inlinable
  internal var isDraining: Bool {
    get { has(1) }
    set { note(1, newValue) }
  }

  /// Whether there is anything but changes to tell to plain observers.
  @inlinable
  internal var isInvolved: Bool {
    get { has(2) }
    set { note(2, newValue) }
  }

  /// Whether changes wait for their turn.
  @inlinable
  internal var hasPending: Bool {
    get { has(4) }
    set { note(4, newValue) }
  }

  /// Whether computed values depend on the property.
  @inlinable
  internal var hasDependents: Bool {
    get { has(8) }
    set { note(8, newValue) }
  }

  @inlinable
  internal func has(_ flag: UInt8) -> Bool { flags.load(ordering: .relaxed) & flag != 0 }

  @inlinable
  internal func note(_ flag: UInt8, _ isThere: Bool) {
    let others = flags.load(ordering: .relaxed) & ~flag
    flags.store(isThere ? others | flag : others, ordering: .relaxed)
  }

  // MARK: Walks

  @inlinable
  internal func beginWalk() {
    walks += 1
    if walks == 1 { ledger.begin() }
  }

  @inlinable
  internal func endWalk() {
    walks -= 1
    if walks == 0, ledger.end() { clean() }
  }

  /// Takes out what has ended on whatever thread, and lets it go.
  @inlinable
  internal func cleanIfSoiled() {
    if ledger.isSoiled { clean() }
  }

  @usableFromInline
  internal func clean() {
    guard walks == 0 else { return }
    // Let go at the very end: what dies here may use the property.
    var removed: [PropertyObserver<Value>] = []
    for number in ledger.takeEnded() {
      guard let index = index(of: number), let observer = slots[index].observer.take() else {
        continue
      }
      slots[index].address = 0
      removed.append(observer)
      note(observer, by: -1)
      if observer.baseline != nil { baselines -= 1 }
      if let key = observer.key, numbers[key] == number { numbers[key] = nil }
    }
    if slots.count > max(8, 2 * count) { slots.removeAll { $0.observer == nil } }
    updateInvolvement()
    if wantingWrites == 0 { _ = takeRecords() }
    withExtendedLifetime(removed) {}
  }

  private func index(of number: UInt) -> Int? {
    var low = 0
    var high = slots.count
    while low < high {
      let middle = low + (high - low) / 2
      if slots[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < slots.count && slots[low].number == number ? low : nil
  }

  private func note(_ observer: PropertyObserver<Value>, by change: Int) {
    count += change
    if observer.roles.contains(.changes) { wantingChanges += change }
    if observer.roles.contains(.priors) { wantingPriors += change }
    if observer.roles.contains(.proposals) { validators += change }
    if observer.roles.contains(.writes) { wantingWrites += change }
    if observer.needsSweeping { untold += change }
  }

  private func updateInvolvement() {
    isInvolved =
      wantingPriors + validators + wantingWrites + baselines > 0 || enlisted != nil
      || wroteSilently
  }

  // MARK: Registering

  /// Makes the mark of the next registration.
  internal func newMark() -> ObservationMark {
    sweepOwners()
    defer { nextNumber += 1 }
    return ObservationMark(number: nextNumber, ledger: ledger)
  }

  /// Adds a registration, unless it ended with its owner's lifetime before it began.
  ///
  /// - Parameters:
  ///   - observer: The registration, with the mark that was made last.
  ///   - owner: Its owner.
  ///   - key: Under which name another one of the owner is replaced.
  ///   - known: The value the observer knows, when others are yet to be told of it.
  /// - Returns: Whether it was added.
  @discardableResult
  internal func add(
    _ observer: PropertyObserver<Value>,
    owner: AnyObject? = nil,
    key: PropertyObserverKey? = nil,
    knowing known: Value? = nil
  ) -> Bool {
    if let carrier = owner as? any LifetimeOwner {
      guard observer.mark.join(carrier.lifetime.members) else { return false }
    }
    if let key {
      let former = numbers.updateValue(observer.number, forKey: key)
      observer.key = key
      if let former, let index = index(of: former) { slots[index].observer?.mark.endByItself() }
    }
    if let known {
      observer.baseline = known
      baselines += 1
    }
    slots.append(
      Slot(number: observer.number, observer: observer, address: ObjectAddress.of(observer))
    )
    note(observer, by: 1)
    updateInvolvement()
    cleanIfSoiled()
    return true
  }

  /// Calls a new registration with the value there is.
  ///
  /// What it sets is told when it has returned, so that it is not called inside its own call.
  internal func tellInitial(_ observer: PropertyObserver<Value>, _ value: Value) {
    let isOutermost = !isDraining
    isDraining = true
    beginWalk()
    if observer.mark.isOpen, !observer.receive(Change(.initial, old: value, new: value)) {
      observer.mark.endByItself()
    }
    endWalk()
    if isOutermost { drain() }
  }

  /// Ends every registration of an owner.
  internal func end(of owner: AnyObject) {
    for observer in observers where observer.belongs(to: owner) { observer.mark.endByItself() }
    cleanIfSoiled()
  }

  /// Makes every token inert; the property dies.
  internal func close() {
    for observer in observers { observer.mark.endByItself() }
  }

  private var observers: [PropertyObserver<Value>] { slots.compactMap(\.observer) }

  /// Ends the registrations of owners that have died, if there may be too many of them.
  ///
  /// After it at most max(8, 2 × living) slots are taken, counting as living what lived when all were
  /// looked at last.
  private func sweepOwners() {
    cleanIfSoiled()
    guard untold > 0, walks == 0 else { return }
    var probe = SweepProbe(total: slots.count, seed: probes)
    probes &+= 1
    // Loading an owner may be the last to let it go, and its end may use the property.
    walks += 1
    while let place = probe.next(), place < slots.count {
      if slots[place].observer?.hasLostOwner ?? false { probe.foundDead() }
    }
    if probe.shouldSweep || slots.count >= sweepLimit {
      var place = 0
      while place < slots.count {
        if let observer = slots[place].observer, observer.hasLostOwner {
          observer.mark.endByItself()
        }
        place += 1
      }
      sweepLimit = .max
    }
    walks -= 1
    clean()
    if sweepLimit == .max { sweepLimit = max(8, 2 * count) }
  }
}

@available(*, unavailable)
extension PropertyObservers: Sendable {}

@available(*, unavailable)
extension PropertyObservers.Slot: Sendable {}

@available(*, unavailable)
extension PropertyObservers.Round: Sendable {}
