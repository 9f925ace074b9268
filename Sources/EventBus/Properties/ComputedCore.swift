/// What a computed value is made of: its formula, the value it computed last, and its observers.
internal final class ComputedCore<Value: Equatable>: ComputedNode {
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

  internal init(_ formula: ComputedFormula<Value>, _ place: PropertyPlace) {
    self.formula = formula
    self.place = place
    observers = PropertyObservers(place) { $0 == $1 }
    let known = formula.sources.compactMap { $0 as? any DependencySource }
    super.init(height: 1 + (known.map(\.height).max() ?? 0))
    for source in formula.sources { depend(on: source) }
  }

  /// Leaves the sources and ends all registrations, for good.
  internal func close() {
    isClosed = true
    for case let source as any DependencySource in formula.sources {
      source.removeDependent(ObjectIdentifier(self))
    }
    observers.close()
    tokens = []
  }

  /// The value for the sources as they are now.
  internal var value: Value {
    if isComputing {
      Misuse.trap(
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
  internal func register(
    _ add: (PropertyObservers<Value>, _ value: Value, _ isBehind: Bool) -> Token
  ) -> Token {
    observers.cleanIfSoiled()
    let value = value
    if observers.census.count == 0 { told = value }
    return add(observers, value, told != value)
  }

  /// Ends every registration of an owner.
  internal func unobserve(owner: AnyObject) { observers.end(of: owner) }

  override internal func settle() {
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
