extension Observed {
  /// Performs an assignment, with all its steps.
  @inlinable
  func assign(_ value: Value) {
    _ = ObjectAddress.borrow(cell.observer) { (observers: PropertyObservers<Value>) in
      observers.cleanIfDirty()
      if observers.isInvolved || notifies == .manually || OpenBatch.isAnyOpen {
        return assignInOrder(value, observers, .assignment)
      }
      if let areEqual, areEqual(storage, value) { return }
      let old = cell.exchange(value)
      if observers.hasDependents { observers.invalidateDependents() }
      observers.report(old: old, new: value, .assignment)
    }
  }

  /// The slow path of ``assign(_:)``.
  @usableFromInline
  func assignInOrder(
    _ value: Value,
    _ observers: PropertyObservers<Value>,
    _ write: Write
  ) {
    observers.cleanIfDirty()
    var proposed = value
    if observers.census.validators > 0, !observers.approve(&proposed, old: { storage }) { return }
    if notifies == .manually {
      let old = cell.exchange(proposed)
      observers.dependents.invalidate()
      observers.noteSilently(write)
      return withExtendedLifetime(old) {}
    }
    if isEqual(to: proposed) { return }
    if observers.census.wantingPriors > 0, observers.enlisted == nil {
      observers.notifyPrior(old: storage, new: proposed)
      // An observer may have set the property in the meantime.
      if isEqual(to: proposed) { return }
    }
    let old = cell.exchange(proposed)
    observers.dependents.invalidate()
    if enlist(old, observers) { return observers.note(write) }
    observers.reportInOrder(old: old, new: proposed, write)
  }

  /// Reports a mutation in place for which no observer needed the old value.
  @inlinable
  func didMutate(_ observers: PropertyObservers<Value>, _ write: Write = .mutation) {
    if observers.hasDependents { observers.invalidateDependents() }
    if notifies == .manually { return observers.noteSilently(write) }
    if OpenBatch.isAnyOpen, enlist(nil, observers) { return observers.note(write) }
    observers.reportInPlace(storage, write)
  }

  /// Returns whether a value equals the current one; `false` if values cannot be compared.
  func isEqual(to value: Value) -> Bool {
    guard let areEqual else { return false }
    return areEqual(storage, value)
  }

  /// Defers the report to the end of the open batch.
  ///
  /// - Returns: `false` if no batch is open.
  @usableFromInline
  func enlist(_ old: Value?, _ observers: PropertyObservers<Value>) -> Bool {
    guard let batch = OpenBatch.current else { return false }
    if observers.enlisted == nil {
      observers.enlisted = .some(old)
      batch.add(self)
    }
    return true
  }
}

extension Observed {
  /// Reports a change to the observers.
  ///
  /// Use it for properties in manual mode and after ``withoutNotifying(_:)``. The change is reported even if
  /// the values are equal. Observers with ``ObserveOptions/prior`` receive no announcement, because the
  /// value has already changed.
  ///
  /// - Parameter old: The value that the observers know.
  public func notifyChange(from old: Value) {
    guard let observers else { return }
    // First write of a batch: `old` covers earlier silent writes.
    if observers.enlisted == nil, OpenBatch.current != nil { observers.wroteSilently = false }
    if enlist(old, observers) { return }
    observers.reportInOrder(old: old, new: storage, nil)
  }

  /// Mutates the value in place without notifying observers.
  ///
  /// Validators do not run. Computed values that depend on the property return the new value when read;
  /// their observers are notified with the next reported change.
  ///
  /// - Parameter body: Mutates the value. It must not access the property in any other way.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error. Mutations made before the error remain.
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
