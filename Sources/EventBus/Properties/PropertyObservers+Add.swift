extension PropertyObservers {
  /// Creates the next registration.
  func newRegistration() -> PropertyRegistration {
    defer { nextNumber += 1 }
    return PropertyRegistration(number: nextNumber, ledger: ledger)
  }

  /// Adds a registration, unless the lifetime of its owner has already ended.
  ///
  /// - Parameters:
  ///   - observer: The observer, with the registration that was created last.
  ///   - owner: The owner of the registration.
  ///   - key: The key under which the registration replaces an earlier one.
  ///   - known: The value that the new observer knows, if a report of it to the other observers is pending.
  /// - Returns: `true` if the registration was added.
  @discardableResult
  func add(
    _ observer: PropertyObserver<Value>,
    owner: AnyObject? = nil,
    key: PropertyObserverKey? = nil,
    knowing known: Value? = nil
  ) -> Bool {
    if let carrier = owner as? any LifetimeOwner {
      guard observer.registration.join(carrier.lifetime.members) else { return false }
    }
    if let key {
      let former = numbers.updateValue(observer.number, forKey: key)
      observer.key = key
      if let former, let index = index(of: former) {
        slots[index].observer?.registration.endByItself()
      }
    }
    observer.baseline = known
    slots.append(
      Slot(number: observer.number, observer: observer, address: ObjectAddress.of(observer))
    )
    census.note(observer, by: 1)
    updateInvolvement()
    observer.wasAdded()
    cleanIfDirty()
    return true
  }

  /// Calls a new observer with the current value.
  ///
  /// Changes that the observer makes are reported after it returns, so that its calls do not nest.
  func deliverInitial(_ observer: PropertyObserver<Value>, _ value: Value) {
    let isOutermost = !isDraining
    isDraining = true
    let outer = beginWalk()
    if outer == nil { ledger.call(observer.number) }
    if observer.registration.isOpen {
      let isAlive =
        observer.roles.contains(.writes)
        ? observer.receive(WriteReport(new: value, isInitial: true))
        : observer.receive(Change(.initial, old: value, new: value))
      if !isAlive { observer.registration.endByItself() }
    }
    endWalk(outer)
    if isOutermost { drain() }
  }

  /// Ends all registrations of an owner.
  func end(of owner: AnyObject) {
    for observer in observers where observer.belongs(to: owner) {
      observer.registration.endByItself()
    }
    cleanIfDirty()
  }

  /// Ends all registrations, because the property is being deinitialized.
  func close() {
    for observer in observers { observer.registration.endByItself() }
  }

  private var observers: [PropertyObserver<Value>] { slots.compactMap(\.observer) }

  /// Ends the registrations of dead owners, if a sample suggests that there are many.
  ///
  /// Afterwards at most max(8, 2 × live) slots are in use, where registrations count as live if they were
  /// live at the last full sweep.
  func sweepOwners() {
    cleanIfDirty()
    guard census.needingSweep > 0, walks == 0 else { return }
    var probe = SweepProbe(total: slots.count, seed: probes)
    probes &+= 1
    // Loading an owner may release its last reference, and its deinitializer may use the property.
    walks += 1
    while let index = probe.next(), index < slots.count {
      if slots[index].observer?.hasLostOwner ?? false { probe.foundDead() }
    }
    if probe.shouldSweep || slots.count >= sweepLimit {
      var index = 0
      while index < slots.count {
        if let observer = slots[index].observer, observer.hasLostOwner {
          observer.registration.endByItself()
        }
        index += 1
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
  ///   - id: The identifier under which the registration replaces an earlier one.
  ///   - options: The calls to make besides those for changes.
  ///   - value: The current value.
  ///   - isBehind: A Boolean value that indicates whether a report of the current value to the other
  ///     observers is pending.
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
      newRegistration(),
      options.roles(of: Value.self),
      owner: owner,
      body
    )
    let key = id.map { PropertyObserverKey(owner: ObjectIdentifier(owner), id: $0) }
    return enter(observer, owner: owner, key: key, options, value: value, isBehind: isBehind)
  }

  /// Registers a handler that belongs to its token.
  func register(
    _ options: ObserveOptions,
    value: Value,
    isBehind: Bool,
    _ body: @escaping (Change<Value>) -> Void
  ) -> Token {
    let observer = PlainPropertyObserver(newRegistration(), options.roles(of: Value.self), body)
    return enter(observer, options, value: value, isBehind: isBehind)
  }

  /// Adds a registration and delivers the initial value if requested.
  func enter(
    _ observer: PropertyObserver<Value>,
    owner: AnyObject? = nil,
    key: PropertyObserverKey? = nil,
    _ options: ObserveOptions,
    value: Value,
    isBehind: Bool
  ) -> Token {
    let token = Token(observer.registration, handle: 0, isKept: owner != nil)
    let isAdded = add(observer, owner: owner, key: key, knowing: isBehind ? value : nil)
    if isAdded, options.contains(.initial) { deliverInitial(observer, value) }
    return token
  }
}

extension ObserveOptions {
  /// The roles of a registration with these options.
  func roles<Value>(of: Value.Type) -> PropertyObserver<Value>.Roles {
    contains(.prior) ? [.changes, .priors] : .changes
  }
}
