public import Synchronization

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

  /// The state that every write checks; used only in the property's domain.
  ///
  /// It summarizes ``rounds`` and ``dependents`` in a word of its own, because that is what makes the usual
  /// assignment fast: a relaxed load compiles to a plain load, without the exclusivity check of a stored
  /// property. Updates are not atomic read-modify-write operations. The usual assignment sets and clears
  /// ``PropertyFlags/reporting`` here and does not touch the rounds, which adopt the flag when they are next
  /// used.
  @usableFromInline let flags = Atomic<UInt8>(0)
  @usableFromInline let depth = Atomic<Int>(0)
  @usableFromInline let ended = EndedRegistrations()

  private var _rounds = PropertyRounds<Value>()
  /// The computed values that depend on the property.
  @usableFromInline var dependents = NumberedList<ComputedNode>() {
    didSet { set(.dependents, dependents.count > 0) }
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
  /// A Boolean value that indicates whether values that count as equal may differ, because a predicate of one's own
  /// compares them.
  let equalsMayDiffer: Bool

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

  /// The writes that remain to be reported.
  ///
  /// Mutations adopt a report that the flags know of, and update the flags.
  var rounds: PropertyRounds<Value> {
    _read { yield _rounds }
    _modify {
      _rounds.adopt(isReporting: has(.reporting))
      defer {
        let dependents = flags.load(ordering: .relaxed) & PropertyFlags.dependents.rawValue
        flags.store(_rounds.flags.rawValue | dependents, ordering: .relaxed)
      }
      yield &_rounds
    }
  }

  /// Creates the next registration.
  func newRegistration() -> PropertyRegistration {
    // No flag depends on the number.
    PropertyRegistration(number: _rounds.takeNumber(), ended)
  }

  /// Returns whether any of the given flags is set.
  @inlinable
  func has(_ flags: PropertyFlags) -> Bool {
    self.flags.load(ordering: .relaxed) & flags.rawValue != 0
  }

  /// Sets or clears a flag.
  @inlinable
  func set(_ flag: PropertyFlags, _ isSet: Bool) {
    let others = flags.load(ordering: .relaxed) & ~flag.rawValue
    flags.store(isSet ? others | flag.rawValue : others, ordering: .relaxed)
  }

  /// A Boolean value that indicates whether a mutation in place needs the value before it.
  ///
  /// A registration may need that value or may decline the new one. In the first write of an open batch,
  /// observers of elements need it to see whether the batch has changed anything.
  @usableFromInline
  var needsOldValue: Bool {
    cleanIfDirty()
    if has(.preventsMutationInPlace) { return true }
    return OpenBatch.isAnyOpen && has(.writes) && !rounds.isInBatch && OpenBatch.current != nil
  }

  // MARK: Walks

  /// The number of walks in progress.
  @inlinable
  var walks: Int {
    get { depth.load(ordering: .relaxed) }
    set { depth.store(newValue, ordering: .relaxed) }
  }

  /// Begins a walk over the registrations; the outermost one publishes that handlers are called.
  @inlinable
  @inline(__always)
  func beginWalk() {
    walks += 1
    if walks == 1 { ended.beginReport() }
  }

  /// Ends a walk.
  @inlinable
  @inline(__always)
  func endWalk() {
    walks -= 1
    if walks == 0, ended.endReport() { clean() }
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
    beginWalk()
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
    beginWalk()
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

  // MARK: Removal

  /// Removes and releases the registrations that have ended, on any thread, since the last call.
  @inlinable
  func cleanIfDirty() {
    if ended.isDirty { clean() }
  }

  @usableFromInline
  func clean() {
    guard walks == 0 else { return }
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
