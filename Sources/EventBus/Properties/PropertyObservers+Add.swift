extension PropertyObservers {
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
  internal func tellInitial(_ observer: PropertyObserver<Value>, _ value: Value) {
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
