extension Observed {
  /// Takes a value through all the steps of an assignment.
  @inlinable
  func assign(_ value: Value) {
    _ = ObjectAddress.borrow(cell.observer) { (observers: PropertyObservers<Value>) in
      observers.cleanIfSoiled()
      if observers.isInvolved || notifies == .manually || OpenBatch.isAnyOpen {
        return assignInOrder(value, observers, .assignment)
      }
      if let areEqual, areEqual(storage, value) { return }
      let old = cell.exchange(value)
      if observers.hasDependents { observers.invalidateDependents() }
      observers.report(old: old, new: value, .assignment)
    }
  }

  /// The general way of ``assign(_:)``.
  @usableFromInline
  func assignInOrder(
    _ value: Value,
    _ observers: PropertyObservers<Value>,
    _ write: Write
  ) {
    observers.cleanIfSoiled()
    var proposed = value
    if observers.census.validators > 0, !observers.approve(&proposed, old: { storage }) { return }
    if notifies == .manually { return storeSilently(proposed, observers, write) }
    if isEqual(to: proposed) { return }
    if observers.census.wantingPriors > 0, observers.enlisted == nil {
      observers.tellPrior(old: storage, new: proposed)
      // An observer may have set the property meanwhile.
      if isEqual(to: proposed) { return }
    }
    let old = cell.exchange(proposed)
    observers.dependents.invalidate()
    if enlist(old, observers) { return observers.note(write) }
    observers.reportInOrder(old: old, new: proposed, write)
  }

  /// Reports what was changed in place, where nobody wanted the value before.
  @inlinable
  func didMutate(_ observers: PropertyObservers<Value>, _ write: Write = .mutation) {
    if observers.hasDependents { observers.invalidateDependents() }
    if notifies == .manually { return observers.noteSilently(write) }
    if OpenBatch.isAnyOpen, enlist(nil, observers) { return observers.note(write) }
    observers.reportInPlace(storage, write)
  }

  private func storeSilently(
    _ value: Value,
    _ observers: PropertyObservers<Value>,
    _ write: Write
  ) {
    let old = cell.exchange(value)
    observers.dependents.invalidate()
    observers.noteSilently(write)
    withExtendedLifetime(old) {}
  }

  /// Whether a value may be taken for the present one.
  func isEqual(to value: Value) -> Bool {
    guard let areEqual else { return false }
    return areEqual(storage, value)
  }

  /// Lets an open batch tell the change at its end.
  ///
  /// - Returns: `false` when there is none.
  @usableFromInline
  func enlist(_ old: Value?, _ observers: PropertyObservers<Value>) -> Bool {
    guard let batch = OpenBatch.current else { return false }
    if observers.enlisted == nil {
      observers.enlisted = PropertyEnlistment(old: old)
      batch.add(self)
    }
    return true
  }
}

extension Observed {
  /// Tells the observers that the value has changed.
  ///
  /// For properties in manual mode, and after ``withoutNotifying(_:)``. They are told whether or not the
  /// values differ; ``ObserveOptions/prior`` observers are not told before, since it is past.
  ///
  /// - Parameter old: The value that the observers know.
  public func notifyChange(from old: Value) {
    guard let observers else { return }
    // At the first write of a batch: what was stored silently before is in `old`.
    if observers.enlisted == nil, OpenBatch.current != nil { observers.wroteSilently = false }
    if enlist(old, observers) { return }
    observers.reportInOrder(old: old, new: storage, nil)
  }

  /// Changes the value in place and tells nobody.
  ///
  /// Validators are not asked. Computed values that depend on the property give the right value when they
  /// are read from now on; their observers are told together with the next reported change.
  ///
  /// - Parameter body: Changes the value. It must not read or set the property otherwise.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; what it changed until then stays.
  public func withoutNotifying<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    defer {
      if let observers {
        observers.dependents.invalidate()
        observers.noteSilently(.mutation)
      }
    }
    return try body(&storage)
  }
}
