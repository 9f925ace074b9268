public import Synchronization

/// The implementation of a computed value: its sources, its cached value and its observers.
///
/// The members of the path from a change to the observers are inlinable: where the type of the value is known,
/// no metadata is looked up.
@usableFromInline
final class ComputedCore<Value: Equatable>: ComputedNode {
  @usableFromInline let compute: () -> Value
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
  /// A Boolean value that indicates whether the ``Computed`` value has been released.
  ///
  /// Settling may retain this object a little longer.
  @usableFromInline let isClosed = Atomic<Bool>(false)
  /// The sources of the dependency graph, with the number of this node among their dependents.
  private var links: [(source: any DependencySource, number: UInt)] = []
  /// The observers of the other sources.
  private var tokens: [Token] = []

  /// Creates a node of the dependency graph.
  ///
  /// - Parameters:
  ///   - sources: The sources.
  ///   - fileID: The source file of the computed value.
  ///   - line: The line in that file.
  ///   - update: Calls ``settleNow()``.
  ///   - compute: Computes the value from the sources.
  @usableFromInline
  init(
    _ sources: [any ObservableValue],
    fileID: StaticString,
    line: UInt,
    update: @escaping (ComputedCore) -> Void,
    _ compute: @escaping () -> Value
  ) {
    (self.compute, self.update) = (compute, update)
    observers = PropertyObservers((fileID, line)) { $0 == $1 }
    computed = ValueCell(nil, fileID: fileID, line: line)
    notified = ValueCell(nil, fileID: fileID, line: line)
    let known = sources.map { source in
      (source as? any ObservableProperty)?.property ?? source as? any DependencySource
    }
    super.init(height: 1 + (known.lazy.compactMap { $0?.height }.max() ?? 0))
    for (source, link) in zip(sources, known) {
      guard let link else {
        tokens.append(observe(source))
        continue
      }
      if links.contains(where: { $0.source === link }) { continue }
      links.append((link, link.addDependent(self)))
    }
  }

  /// Detaches from the sources and ends all registrations.
  @usableFromInline
  func close() {
    isClosed.store(true, ordering: .relaxed)
    for (source, number) in links { source.removeDependent(number) }
    observers.close()
    tokens = []
  }

  /// The value for the current sources.
  @inlinable
  var value: Value {
    if !isDirty, let value = computed.value { return value }
    return recompute()
  }

  @inlinable
  func recompute() -> Value {
    if isComputing.load(ordering: .relaxed) { trapOnNestedComputation() }
    // Cleared first: a source that changes during the computation sets it again.
    isDirty = false
    isComputing.store(true, ordering: .relaxed)
    // Removed, so that a computation that reads the value comes here, too.
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
    _ options: ObserveOptions,
    _ make: (PropertyRegistration) -> PropertyObserver<Value>
  ) -> Token {
    observers.cleanIfDirty()
    let value = value
    if observers.count == 0 { _ = notified.exchange(value) }
    let isBehind = notified.value != value
    return observers.register(owner: owner, id: id, options, value: value, isBehind: isBehind, make)
  }

  @usableFromInline
  override func settle() { update(self) }

  /// Notifies the observers if the value differs from the one they know.
  @inlinable
  func settleNow() {
    observers.cleanIfDirty()
    guard !isClosed.load(ordering: .relaxed), let old = notified.value else { return }
    if observers.has(.involved.union(.reporting)) { return settleInOrder() }
    guard observers.has(.changes) else { return }
    let new = value
    guard old != new else { return }
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
      "the computed value at \(site.fileID):\(site.line) was accessed during its own computation",
      remedy: "Use only the arguments of the closure, and set no property in it"
    )
  }

  /// The slow path of ``settleNow()``.
  @usableFromInline
  func settleInOrder() {
    var announcements = 0
    while !isClosed.load(ordering: .relaxed), observers.count > 0, let old = notified.value {
      let new = value
      guard old != new else { return }
      if observers.has(.priors), announcements < 100 {
        let notified = notifications.load(ordering: .relaxed)
        let computed = computations.load(ordering: .relaxed)
        observers.notifyPrior(old: old, new: new)
        announcements += 1
        if announcements == 100 { warnOfRounds(of: observers.site) }
        // An observer may have set a source: the value may differ now or have been reported already.
        // Counted, because a value need not equal itself.
        let isSettled = notifications.load(ordering: .relaxed) != notified
        if isSettled || isClosed.load(ordering: .relaxed) { continue }
        let now = value
        if computations.load(ordering: .relaxed) != computed, now != new { continue }
      }
      adopt(new)
      return observers.reportInOrder(known: old, new: new)
    }
  }

  /// Observes a source that is no part of the dependency graph.
  private func observe(_ source: some ObservableValue) -> Token {
    source.observe(options: []) { [weak self] _ in
      guard let self else { return }
      invalidate()
      ComputedNode.settle(from: [self])
    }
  }
}

/// A computed value as a node of the dependency graph.
@usableFromInline
class ComputedNode {
  /// One more than the greatest height of the sources, where properties have height zero.
  final let height: Int
  /// A Boolean value that indicates whether a source has changed since the last computation.
  ///
  /// If a node is dirty, its dependents are dirty too.
  @inlinable final var isDirty: Bool {
    get { dirty.load(ordering: .relaxed) }
    set { dirty.store(newValue, ordering: .relaxed) }
  }
  /// Atomic for the same reason as the flags of ``PropertyObservers``.
  @usableFromInline final let dirty = Atomic<Bool>(true)
  /// The computed values that depend on this one.
  final var dependents = NumberedList<ComputedNode>()
  private final var isGathered = false

  init(height: Int) { self.height = height }

  /// Notifies the observers if the value differs from the one they know.
  @usableFromInline
  func settle() {}

  /// Marks the value and its dependents as dirty.
  ///
  /// - Complexity: O(*n*) in the number of dependents that were not dirty.
  final func invalidate() {
    guard !isDirty else { return }
    isDirty = true
    dependents.invalidate()
  }

  /// Settles nodes and their direct and indirect dependents, each once, in order of height.
  static func settle(from nodes: [ComputedNode]) {
    var levels: [[ComputedNode]] = []
    var found: [ComputedNode] = []
    func gather(_ nodes: [ComputedNode]) {
      for node in nodes where !node.isGathered {
        node.isGathered = true
        found.append(node)
      }
    }
    gather(nodes)
    var next = 0
    while next < found.count {
      gather(found[next].dependents.elements)
      next += 1
    }
    for node in found {
      node.isGathered = false
      while levels.count <= node.height { levels.append([]) }
      levels[node.height].append(node)
    }
    // Handlers run from here on and may settle other nodes, or these.
    for node in levels.joined() { node.settle() }
  }
}

/// A source of the dependency graph: a property or a computed value.
protocol DependencySource: AnyObject {
  /// The maximum number of computed values on a path to a property, including this source.
  var height: Int { get }
  /// Adds a computed value that depends on the source, and returns its number.
  ///
  /// It is retained, and retains the source in turn. ``Computed``, which is not part of the cycle, breaks it
  /// when it is deinitialized.
  func addDependent(_ node: ComputedNode) -> UInt
  /// Removes the computed value with a number.
  func removeDependent(_ number: UInt)
}

extension Observed: DependencySource {
  var height: Int { 0 }
  func addDependent(_ node: ComputedNode) -> UInt { neededObservers().dependents.append(node) }
  func removeDependent(_ number: UInt) { _ = observers?.dependents.remove(number: number) }
}

extension NumberedList where Element == ComputedNode {
  /// Marks all direct and indirect dependents as dirty.
  @usableFromInline
  func invalidate() {
    if count > 0 { forEach { $0.invalidate() } }
  }

  /// Notifies the observers of all direct and indirect dependents, in order of height.
  @usableFromInline
  func settle() {
    guard count > 0 else { return }
    if count == 1, let node = slots.first(where: { $0.element != nil })?.element,
      node.dependents.count == 0
    {
      return node.settle()
    }
    ComputedNode.settle(from: elements)
  }
}

extension ObservableProperty {
  /// The property itself, the same object for all of its views.
  fileprivate var property: any DependencySource { readOnly.property }
}

@available(*, unavailable)
extension ComputedNode: Sendable {}
