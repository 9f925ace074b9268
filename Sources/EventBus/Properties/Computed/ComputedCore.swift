public import Synchronization

/// The implementation of a computed value: its sources, its cached value and its observers.
///
/// The members of the path from a change to the observers are inlinable: where the type of the value is known, no
/// metadata is looked up.
@usableFromInline
final class ComputedCore<Value>: ComputedNode {
  /// Computes the value from the sources, which it retains; `nil` once the ``Computed`` value has been released.
  ///
  /// Settling may retain this object a little longer.
  @exclusivity(unchecked) @usableFromInline var compute: (() -> Value)?
  /// Calls ``settleNow()``, from code that knows the type of the value.
  private let update: (ComputedCore) -> Void
  @usableFromInline let observers: PropertyObservers<Value>
  /// The value of the last computation.
  @usableFromInline let computed: ValueCell<Value?>
  /// The value that the observers know; `nil` before the first observer.
  @usableFromInline let notified: ValueCell<Value?>
  @usableFromInline let isComputing = Atomic<Bool>(false)
  /// The number of changes that have been reported.
  @usableFromInline let notifications = Atomic<UInt>(0)
  /// The number of computations.
  @usableFromInline let computations = Atomic<UInt>(0)
  /// The observers of the other sources.
  private var tokens: [Token] = []

  /// Creates a node of the dependency graph.
  ///
  /// - Parameters:
  ///   - sources: The sources.
  ///   - areEqual: Returns whether two values are equal.
  ///   - site: The source site of the computed value.
  ///   - update: Calls ``settleNow()``.
  ///   - compute: Computes the value from the sources.
  @usableFromInline
  init(
    _ sources: [any ObservedValue],
    areEqual: @escaping (Value, Value) -> Bool,
    at site: PropertySite,
    update: @escaping (ComputedCore) -> Void,
    _ compute: @escaping () -> Value
  ) {
    unsafe self.compute = compute  // Reason: initialization; no other access exists.
    self.update = update
    observers = PropertyObservers(site, areEqual: areEqual)
    (computed, notified) = (ValueCell(nil, at: site), ValueCell(nil, at: site))
    let known = sources.map { source in
      (source as? any ObservedProperty)?.property ?? source as? any DependencySource
    }
    super.init(known.compactMap(\.self))
    for (source, node) in zip(sources, known) where node == nil { tokens.append(observe(source)) }
  }

  /// Detaches from the sources and ends all registrations.
  @usableFromInline
  func close() {
    var former: (() -> Value)?
    unsafe swap(&former, &compute)  // Reason: runs no foreign code.
    var sources = leaveSources()
    observers.close()
    tokens = []
    former = nil
    if height > 1 { ComputedNode.release(&sources) }
  }

  /// True if the ``Computed`` value has been released.
  @inlinable
  var isClosed: Bool { unsafe compute == nil }  // Reason: an instantaneous read.

  /// The value for the current sources.
  @inlinable
  var value: Value {
    if !isDirty, let value = computed.value { return value }
    return recompute()
  }

  @inlinable
  func recompute() -> Value {
    if isComputing.load(ordering: .relaxed) { trapOnNestedComputation() }
    // Read first: what computes the sources may release the value, which ends this node.
    let known = unsafe compute  // Reason: an instantaneous read.
    guard let compute = known else { preconditionFailure("closed") }  // Reason: settling checks.
    if height > ComputedNode.nestingLimit { computeSources() }
    // Cleared first: a source that changes during the computation sets it again.
    isDirty = false
    isComputing.store(true, ordering: .relaxed)
    // Removed, so that a computation that reads the value also arrives here.
    let former = computed.exchange(nil)
    let value = compute()
    _ = computed.exchange(value)
    isComputing.store(false, ordering: .relaxed)
    count(computations)
    return withExtendedLifetime(former) { value }
  }

  /// Registers an observer, which then knows the current value.
  func register(
    owner: AnyObject? = nil,
    id: AnyHashable? = nil,
    initial: Bool,
    _ make: (PropertyRegistration) -> PropertyObserver<Value>
  ) -> Token {
    observers.cleanIfDirty()
    let value = value
    if observers.count == 0 { _ = notified.exchange(value) }
    let isBehind = notified.value.map { !observers.areEqual($0, value) } ?? true
    return observers.register(
      owner: owner,
      id: id,
      initial: initial,
      value: value,
      isBehind: isBehind,
      make
    )
  }

  @usableFromInline
  override func settle() { update(self) }

  override func refresh() {
    if isDirty, !isClosed { _ = value }
  }

  /// Notifies the observers if the value differs from the one they know.
  @inlinable
  func settleNow() {
    observers.cleanIfDirty()
    guard !isClosed, let old = notified.value else { return }
    if observers.has(.involved.union(.reporting)) { return settleInOrder() }
    guard observers.has(.changes) else { return }
    let new = value
    guard !observers.areEqual(old, new) else { return }
    adopt(new)
    observers.report(old: old, new: new)
  }

  /// Records the value that the observers are about to know.
  @inlinable
  func adopt(_ value: Value) {
    _ = notified.exchange(value)
    count(notifications)
  }

  /// Adds one to a count of the value's domain.
  @inlinable
  func count(_ events: borrowing Atomic<UInt>) {
    events.store(events.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  @usableFromInline
  func trapOnNestedComputation() -> Never {
    let site = observers.site
    trap(
      "The computed value at \(site.fileID):\(site.line) was accessed during its own computation",
      remedy: "Use only the arguments of the closure, and do not set properties in it",
      fileID: site.fileID,
      line: site.line
    )
  }

  /// The slow path of ``settleNow()``.
  @usableFromInline
  func settleInOrder() {
    var announcements = 0
    while !isClosed, observers.count > 0, let old = notified.value {
      let new = value
      guard !observers.areEqual(old, new) else { return }
      if observers.has(.priors), announcements < 100 {
        let notified = notifications.load(ordering: .relaxed)
        let computed = computations.load(ordering: .relaxed)
        observers.notifyPrior(old: old, new: new)
        announcements += 1
        if announcements == 100 { warnOfRounds(of: observers.site) }
        // An observer may have set a source: the value may differ now or have been reported already.
        // Counted, because a value need not equal itself.
        let isSettled = notifications.load(ordering: .relaxed) != notified
        if isSettled || isClosed { continue }
        let now = value
        if computations.load(ordering: .relaxed) != computed, !observers.areEqual(now, new) {
          continue
        }
      }
      adopt(new)
      return observers.reportInOrder(old: old, new: new, isKnown: true)
    }
  }

  /// Observes a source that is not part of the dependency graph.
  private func observe(_ source: some ObservedValue) -> Token {
    source.observe(initial: false, prior: false) { [weak self] _ in
      guard let self else { return }
      invalidate()
      ComputedNode.settle(from: [self])
    }
  }
}

extension ObservedProperty {
  /// The property itself, the same object for all of its views.
  fileprivate var property: any DependencySource { readOnly.property }
}
