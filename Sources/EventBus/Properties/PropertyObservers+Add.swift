extension PropertyObservers {
  /// Makes the mark of the next registration.
  func newMark() -> ObservationMark {
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
  func add(
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
    }
    slots.append(
      Slot(number: observer.number, observer: observer, address: ObjectAddress.of(observer))
    )
    census.note(observer, by: 1)
    updateInvolvement()
    observer.wasAdded()
    cleanIfSoiled()
    return true
  }

  /// Calls a new registration with the value there is.
  ///
  /// What it sets is told when it has returned, so that it is not called inside its own call.
  func tellInitial(_ observer: PropertyObserver<Value>, _ value: Value) {
    let isOutermost = !isDraining
    isDraining = true
    let outer = beginWalk()
    if outer == nil { ledger.call(observer.number) }
    if observer.mark.isOpen, !observer.receive(Change(.initial, old: value, new: value)) {
      observer.mark.endByItself()
    }
    endWalk(outer)
    if isOutermost { drain() }
  }

  /// Ends every registration of an owner.
  func end(of owner: AnyObject) {
    for observer in observers where observer.belongs(to: owner) { observer.mark.endByItself() }
    cleanIfSoiled()
  }

  /// Makes every token inert; the property dies.
  func close() {
    for observer in observers { observer.mark.endByItself() }
  }

  private var observers: [PropertyObserver<Value>] { slots.compactMap(\.observer) }

  /// Ends the registrations of owners that have died, if there may be too many of them.
  ///
  /// After it at most max(8, 2 × living) slots are taken, counting as living what lived when all were
  /// looked at last.
  private func sweepOwners() {
    cleanIfSoiled()
    guard census.untold > 0, walks == 0 else { return }
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
    if sweepLimit == .max { sweepLimit = max(8, 2 * census.count) }
  }
}

extension PropertyObservers {
  /// Registers a handler that belongs to an object.
  ///
  /// - Parameters:
  ///   - owner: The object.
  ///   - id: What the owner calls the registration.
  ///   - options: What is wanted besides the changes.
  ///   - value: The value there is.
  ///   - isBehind: Whether the others are yet to be told of it.
  ///   - body: The handler.
  /// - Returns: The token.
  func register<O: AnyObject>(
    owner: O,
    id: AnyHashable?,
    _ options: ObserveOptions,
    value: Value,
    isBehind: Bool,
    _ body: @escaping (O, Change<Value>) -> Void
  ) -> Token {
    let observer = OwnedPropertyObserver(
      newMark(),
      options.roles(of: Value.self),
      owner: owner,
      tells: owner is any LifetimeOwner,
      body
    )
    let key = id.map { PropertyObserverKey(owner: ObjectIdentifier(owner), id: $0) }
    return enter(observer, owner: owner, key: key, options, value: value, isBehind: isBehind)
  }

  /// Registers a handler that lasts as long as its token.
  func register(
    _ options: ObserveOptions,
    value: Value,
    isBehind: Bool,
    _ body: @escaping (Change<Value>) -> Void
  ) -> Token {
    let observer = PlainPropertyObserver(newMark(), options.roles(of: Value.self), body)
    return enter(observer, options, value: value, isBehind: isBehind)
  }

  /// Adds a registration and tells it the present value if it wants it.
  func enter(
    _ observer: PropertyObserver<Value>,
    owner: AnyObject? = nil,
    key: PropertyObserverKey? = nil,
    _ options: ObserveOptions,
    value: Value,
    isBehind: Bool
  ) -> Token {
    let token = Token(observer.mark, handle: 0, isKept: owner != nil)
    let isAdded = add(observer, owner: owner, key: key, knowing: isBehind ? value : nil)
    if isAdded, options.contains(.initial) { tellInitial(observer, value) }
    return token
  }
}

extension ObserveOptions {
  /// What a registration with these options is called for.
  func roles<Value>(of: Value.Type) -> PropertyObserver<Value>.Roles {
    contains(.prior) ? [.changes, .priors] : .changes
  }
}
