/// The implementation of a computed value: its sources, its cached value and its observers.
class ComputedCore<Value: Equatable>: ComputedNode {
  private let sources: [any ObservableValue]
  private let site: PropertySite
  private let observers: PropertyObservers<Value>
  private final var computed: Value?
  /// The value that the observers know; `nil` before the first observer.
  private final var notified: Value?
  private final var isComputing = false
  private final var notifications: UInt = 0
  private final var computations: UInt = 0
  /// A Boolean value that indicates whether the ``Computed`` value has been released.
  ///
  /// Settling may retain this object a little longer.
  private final var isClosed = false
  private final var tokens: [Token] = []

  init(_ sources: [any ObservableValue], _ site: PropertySite) {
    self.sources = sources
    self.site = site
    observers = PropertyObservers(site) { $0 == $1 }
    let known = sources.compactMap { $0 as? any DependencySource }
    super.init(height: 1 + (known.map(\.height).max() ?? 0))
    for source in sources { depend(on: source) }
  }

  /// Computes the value from the current sources.
  func compute() -> Value {
    trap("a computed value has no way to compute", remedy: "Override compute()")
  }

  /// Detaches from the sources and ends all registrations.
  final func close() {
    isClosed = true
    for case let source as any DependencySource in sources {
      source.removeDependent(ObjectIdentifier(self))
    }
    observers.close()
    tokens = []
  }

  /// The value for the current sources.
  final var value: Value {
    if isComputing {
      trap(
        "the computed value at \(site) was accessed during its own computation",
        remedy: "Use only the arguments of the closure, and set no property in it"
      )
    }
    if !isDirty, let computed { return computed }
    // Cleared first: a source that changes during the computation sets it again.
    isDirty = false
    isComputing = true
    let value = compute()
    isComputing = false
    let former = computed
    computed = value
    computations &+= 1
    withExtendedLifetime(former) {}
    return value
  }

  /// Registers an observer, which then knows the current value.
  final func register(
    _ add: (PropertyObservers<Value>, _ value: Value, _ isBehind: Bool) -> Token
  ) -> Token {
    observers.cleanIfDirty()
    let value = value
    if observers.census.count == 0 { notified = value }
    return add(observers, value, notified != value)
  }

  /// Ends all registrations of an owner.
  final func unobserve(owner: AnyObject) { observers.end(of: owner) }

  final override func settle() {
    observers.cleanIfDirty()
    var announcements = 0
    while !isClosed, observers.census.count > 0, let old = notified {
      let new = value
      guard old != new else { return }
      if observers.census.wantingPriors > 0, announcements < 100 {
        let (notifications, computations) = (notifications, computations)
        observers.notifyPrior(old: old, new: new)
        announcements += 1
        if announcements == 100 { observers.warnOfRounds() }
        // An observer may have set a source: the value may differ now or have been reported already.
        // Counted, because a value need not equal itself.
        if isClosed || self.notifications != notifications { continue }
        let now = value
        if self.computations != computations, now != new { continue }
      }
      notified = new
      notifications &+= 1
      return observers.reportInOrder(old: old, new: new, nil)
    }
  }

  private func depend(on source: any ObservableValue) {
    if let source = source as? any DependencySource { return source.insertDependent(self) }
    tokens.append(observe(source))
  }

  /// Observes a source that is not a ``DependencySource``.
  private func observe(_ source: some ObservableValue) -> Token {
    source.observe(options: []) { [weak self] _ in
      guard let self else { return }
      invalidate()
      ComputedNode.settle(from: [self])
    }
  }
}

/// A computed value as a node of the dependency graph.
class ComputedNode {
  /// One more than the greatest height of the sources, where properties have height zero.
  let height: Int
  /// A Boolean value that indicates whether a source has changed since the last computation.
  ///
  /// If a node is dirty, its dependents are dirty too.
  final var isDirty = true
  /// The computed values that depend on this one.
  final var dependents = Dependents()
  private final var isGathered = false

  init(height: Int) { self.height = height }

  /// Notifies the observers if the value differs from the one they know.
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
      gather(found[next].dependents.all)
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
  /// The computed values that depend on the source.
  var dependentNodes: [ComputedNode] { get }
  /// Adds a computed value that depends on the source.
  func insertDependent(_ node: ComputedNode)
  /// Removes a computed value that is being deinitialized.
  func removeDependent(_ identity: ObjectIdentifier)
}

extension Observed: DependencySource {
  var height: Int { 0 }
  var dependentNodes: [ComputedNode] { observers?.dependents.all ?? [] }
  func insertDependent(_ node: ComputedNode) { neededObservers().dependents.insert(node) }
  func removeDependent(_ identity: ObjectIdentifier) {
    observers?.dependents.remove(identity)
  }
}

/// The computed values that depend on a source, in order of creation.
///
/// They are not retained; each removes itself when it is deinitialized.
struct Dependents {
  private struct Reference {
    unowned let node: ComputedNode
  }

  private var list = NumberedList<Reference>()
  private var numbers: [ObjectIdentifier: UInt] = [:]

  /// A Boolean value that indicates whether there are no dependents.
  var isEmpty: Bool { list.count == 0 }

  /// The computed values, oldest first.
  var all: [ComputedNode] { list.elements.map(\.node) }

  /// Adds a computed value, unless it is already present.
  mutating func insert(_ node: ComputedNode) {
    let identity = ObjectIdentifier(node)
    if numbers[identity] == nil { numbers[identity] = list.append(Reference(node: node)) }
  }

  /// Removes a computed value.
  mutating func remove(_ identity: ObjectIdentifier) {
    if let number = numbers.removeValue(forKey: identity) { _ = list.remove(number: number) }
  }

  /// Marks all direct and indirect dependents as dirty.
  func invalidate() {
    guard !isEmpty else { return }
    list.forEach { $0.node.invalidate() }
  }

  /// Notifies the observers of all direct and indirect dependents, in order of height.
  func settle() {
    guard !isEmpty else { return }
    let nodes = all
    if nodes.count == 1, nodes[0].dependents.isEmpty { return nodes[0].settle() }
    ComputedNode.settle(from: nodes)
  }
}
