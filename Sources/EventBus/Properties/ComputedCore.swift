/// What a computed value is made of: its formula, the value it computed last, and its observers.
final class ComputedCore<Value: Equatable>: ComputedNode {
  private let formula: ComputedFormula<Value>
  private let place: PropertyPlace
  private let observers: PropertyObservers<Value>
  private var computed: Value?
  /// The value the observers know, once there are any.
  private var told: Value?
  private var isComputing = false
  private var tellings: UInt = 0
  private var computations: UInt = 0
  /// Whether the value that handed this out has been released; settling may hold this a little longer.
  private var isClosed = false
  private var tokens: [Token] = []

  init(_ formula: ComputedFormula<Value>, _ place: PropertyPlace) {
    self.formula = formula
    self.place = place
    observers = PropertyObservers(place) { $0 == $1 }
    let known = formula.sources.compactMap { $0 as? any DependencySource }
    super.init(height: 1 + (known.map(\.height).max() ?? 0))
    for source in formula.sources { depend(on: source) }
  }

  /// Leaves the sources and ends all registrations, for good.
  func close() {
    isClosed = true
    for case let source as any DependencySource in formula.sources {
      source.removeDependent(ObjectIdentifier(self))
    }
    observers.close()
    tokens = []
  }

  /// The value for the sources as they are now.
  var value: Value {
    if isComputing {
      trap(
        "the value computed at \(place) is read or settled while it is being computed",
        remedy: "Let its closure use only what it is given, and set nothing"
      )
    }
    if !isDirty, let computed { return computed }
    // Cleared first: a source that changes meanwhile makes it dirty again.
    isDirty = false
    isComputing = true
    let value = formula.compute()
    isComputing = false
    let former = computed
    computed = value
    computations &+= 1
    withExtendedLifetime(former) {}
    return value
  }

  /// Registers an observer, which is to know the present value.
  func register(
    _ add: (PropertyObservers<Value>, _ value: Value, _ isBehind: Bool) -> Token
  ) -> Token {
    observers.cleanIfSoiled()
    let value = value
    if observers.census.count == 0 { told = value }
    return add(observers, value, told != value)
  }

  /// Ends every registration of an owner.
  func unobserve(owner: AnyObject) { observers.end(of: owner) }

  override func settle() {
    observers.cleanIfSoiled()
    var announcements = 0
    while !isClosed, observers.census.count > 0, let old = told {
      let new = value
      guard old != new else { return }
      if observers.census.wantingPriors > 0, announcements < 100 {
        let (tellings, computations) = (tellings, computations)
        observers.tellPrior(old: old, new: new)
        announcements += 1
        if announcements == 100 { observers.warnOfRounds() }
        // An observer may have set a source: then the value differs now, or was reported already.
        // Counted, since a value need not equal itself.
        if isClosed || self.tellings != tellings { continue }
        let now = value
        if self.computations != computations, now != new { continue }
      }
      told = new
      tellings &+= 1
      return observers.reportInOrder(old: old, new: new, nil)
    }
  }

  private func depend(on source: any ObservableValue) {
    if let source = source as? any DependencySource { return source.insertDependent(self) }
    tokens.append(observe(source))
  }

  /// Depends on a value of which only the public side is known.
  private func observe(_ source: some ObservableValue) -> Token {
    source.observe(options: []) { [weak self] _ in
      guard let self else { return }
      invalidate()
      ComputedNode.settle(from: [self])
    }
  }
}

/// A computed value as its sources know it: something that may be out of date, at a height.
class ComputedNode {
  /// One more than the greatest height among its sources; properties have none.
  let height: Int
  /// Whether a source has changed since the value was computed.
  ///
  /// Then everything that depends on it is out of date as well.
  final var isDirty = true
  /// What depends on this one.
  final var dependents = Dependents()
  private final var isGathered = false

  init(height: Int) { self.height = height }

  /// Tells the observers if the value is another one than they were told.
  func settle() {}

  /// Takes note that a source has changed.
  ///
  /// - Complexity: O(*n*) in the number of dependents that were up to date.
  final func invalidate() {
    guard !isDirty else { return }
    isDirty = true
    dependents.invalidate()
  }

  /// Settles values and all that depends on them, by height, each once.
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
    // From here on handlers run, which may settle other values, or these.
    for node in levels.joined() { node.settle() }
  }
}

/// What a computed value can depend on with exact order: a property or another computed value.
protocol DependencySource: AnyObject {
  /// How many computed values stand between it and a property, at most.
  var height: Int { get }
  /// The computed values that depend on it.
  var dependentNodes: [ComputedNode] { get }
  /// Adds a computed value that depends on it.
  func insertDependent(_ node: ComputedNode)
  /// Removes one that dies.
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

/// The computed values that depend on a value, in the order they were made.
///
/// They are not kept: each takes itself out when it dies.
struct Dependents {
  private struct Reference {
    unowned let node: ComputedNode
  }

  private var list = TicketList<Reference>()
  private var tickets: [ObjectIdentifier: TicketList<Reference>.Ticket] = [:]

  /// Whether nothing depends on the value.
  var isEmpty: Bool { list.count == 0 }

  /// The computed values, oldest first.
  var all: [ComputedNode] { list.elements.map(\.node) }

  /// Adds a computed value; once is enough.
  mutating func insert(_ node: ComputedNode) {
    let identity = ObjectIdentifier(node)
    if tickets[identity] == nil { tickets[identity] = list.append(Reference(node: node)) }
  }

  /// Removes a computed value that dies.
  mutating func remove(_ identity: ObjectIdentifier) {
    if let ticket = tickets.removeValue(forKey: identity) { _ = list.remove(ticket) }
  }

  /// Lets every value that depends on the value, also through others, be computed anew when it is read.
  func invalidate() {
    guard !isEmpty else { return }
    list.forEach { $0.node.invalidate() }
  }

  /// Tells the observers of all that depends on the value what has changed, nearest first.
  func settle() {
    guard !isEmpty else { return }
    let nodes = all
    if nodes.count == 1, nodes[0].dependents.isEmpty { return nodes[0].settle() }
    ComputedNode.settle(from: nodes)
  }
}
