extension PropertyObservers {
  /// Adds an observer, unless the lifetime of its owner has already ended, and delivers the initial value
  /// if requested.
  ///
  /// - Parameters:
  ///   - owner: The owner of the registration.
  ///   - id: The identifier under which the registration replaces an earlier one of its owner.
  ///   - initial: Whether the handler is also called with the current value.
  ///   - value: The current value; `nil` for a validator, which does not need it.
  ///   - isBehind: Pass `true` if the other observers do not know that value for a reason outside this
  ///     property.
  ///   - make: Creates the observer.
  /// - Returns: The token.
  func register(
    owner: AnyObject? = nil,
    id: AnyHashable? = nil,
    initial: Bool = false,
    value: Value?,
    isBehind: Bool = false,
    _ make: (PropertyRegistration) -> PropertyObserver<Value>
  ) -> Token {
    let observer = make(PropertyRegistration(number: rounds.takeNumber(), ended))
    let token = Token(observer.registration, isKept: owner != nil)
    if let carrier = owner as? any LifetimeOwner {
      guard observer.registration.join(carrier.lifetime.members) else { return token }
    }
    if let owner, let id {
      let key = PropertyObserverKey(owner: ObjectIdentifier(owner), id: id)
      observer.key = key
      if let former = numbers.updateValue(observer.number, forKey: key),
        let index = index(of: former)
      {
        let slot = slots[index]
        slot.borrow { (former: PropertyObserver<Value>) in former.registration.end() }
        withExtendedLifetime(slot) {}
      }
    }
    rounds.add(observer.number, observer.roles, value: value, isBehind: isBehind)
    slots.append(PropertySlot(observer.number, observer))
    count += 1
    if observer.needsSweeping { sweptCount += 1 }
    if let value, initial {
      deliverInitial(observer, value)
    } else {
      observer.wasAdded()
    }
    // Last: the release of the replaced handler may set the property.
    cleanIfDirty()
    return token
  }

  /// Calls a new observer with the current value.
  ///
  /// Changes made meanwhile are reported after it returns, so that its calls do not nest.
  private func deliverInitial(_ observer: PropertyObserver<Value>, _ value: Value) {
    let isOutermost = rounds.begin()
    calling {
      observer.wasAdded()
      guard observer.registration.isOpen else { return }
      let isAlive =
        observer.roles.contains(.writes)
        ? observer.receive(WriteReport(new: value, isInitial: true))
        : observer.receive(Change(.initial, old: value, new: value))
      if !isAlive { observer.registration.end() }
    }
    if isOutermost { drain() }
  }

  /// Ends all registrations of an owner.
  func end(of owner: AnyObject) {
    forEach { observer in
      if observer.currentOwner === owner { observer.registration.end() }
    }
    cleanIfDirty()
  }

  /// Ends all registrations, because the property is being deinitialized.
  func close() { forEach { $0.registration.end() } }

  private func forEach(_ body: (PropertyObserver<Value>) -> Void) {
    // A copy of the slots retains the observers, whatever the closure releases.
    for slot in slots { slot.borrow(body) }
  }

  /// Ends the registrations of dead owners, if a sample suggests that there are many.
  ///
  /// After that, at most max(8, 2 × live) slots are in use, where registrations count as live if they
  /// were live at the last full sweep.
  func sweepOwners() {
    cleanIfDirty()
    guard sweptCount > 0, !ended.isReporting else { return }
    var probe = SweepProbe(total: slots.count, seed: probes)
    probes &+= 1
    // Loading an owner may release its last reference, and its deinitializer may use the property.
    ended.beginReport()
    while let index = probe.next(), index < slots.count {
      var isDead: Bool?
      slots[index].borrow { (observer: PropertyObserver<Value>) in isDead = observer.hasLostOwner }
      probe.record(isDead: isDead)
    }
    let isSweep = probe.shouldSweep || slots.count >= sweepLimit
    if isSweep {
      // Registrations made by what the sweep releases do not sweep again.
      sweepLimit = .max
      forEach { if $0.hasLostOwner { $0.registration.end() } }
    }
    endWalk()
    if isSweep { sweepLimit = max(8, 2 * count) }
  }
}
