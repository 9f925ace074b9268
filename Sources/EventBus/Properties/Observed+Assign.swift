extension Observed {
  /// Takes a value through all the steps of an assignment.
  @inlinable
  internal func assign(_ value: Value) {
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
  internal func assignInOrder(
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
  internal func didMutate(_ observers: PropertyObservers<Value>, _ write: Write = .mutation) {
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
  internal func isEqual(to value: Value) -> Bool {
    guard let areEqual else { return false }
    return areEqual(storage, value)
  }

  /// Lets an open batch tell the change at its end.
  ///
  /// - Returns: `false` when there is none.
  @usableFromInline
  internal func enlist(_ old: Value?, _ observers: PropertyObservers<Value>) -> Bool {
    guard let batch = OpenBatch.current else { return false }
    if observers.enlisted == nil {
      observers.enlisted = PropertyEnlistment(old: old)
      batch.add(self)
    }
    return true
  }
}
