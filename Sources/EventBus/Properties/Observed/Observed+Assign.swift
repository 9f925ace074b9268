extension Observed {
  /// Performs an assignment, with all its steps.
  @inlinable
  func assign(_ value: Value) {
    _ = ObjectAddress.borrow(cell.observer) { (observers: PropertyObservers<Value>) in
      observers.cleanIfDirty()
      if observers.has(.involved) || notifies == .manually || OpenBatch.isAnyOpen {
        return assignInOrder(value, observers)
      }
      if isEqual(to: value, observers) { return }
      let old = cell.exchange(value)
      if observers.has(.dependents) { observers.dependents.invalidate() }
      observers.report(old: old, new: value)
    }
  }

  /// The slow path of ``assign(_:)``.
  ///
  /// - Parameters:
  ///   - value: The value to assign.
  ///   - observers: The registrations.
  ///   - record: The description of the change, if it has one.
  @usableFromInline
  func assignInOrder(
    _ value: Value,
    _ observers: PropertyObservers<Value>,
    _ record: AnyObject? = nil
  ) {
    var proposed = value
    if observers.has(.validators), !observers.approve(&proposed, old: { storage }) { return }
    if notifies == .manually {
      let old = cell.exchange(proposed)
      observers.dependents.invalidate()
      observers.note(record, isSilent: true)
      return withExtendedLifetime(old) {}
    }
    if isEqual(to: proposed, observers) { return }
    if observers.has(.priors), !observers.has(.batch) {
      observers.notifyPrior(old: storage, new: proposed)
      // An observer may have set the property in the meantime.
      if isEqual(to: proposed, observers) { return }
    }
    let old = cell.exchange(proposed)
    observers.dependents.invalidate()
    if joinBatch(old, observers) { return observers.note(record) }
    observers.reportInOrder(old: old, new: proposed, record)
  }

  /// Reports a mutation in place for which no observer needed the old value.
  @inlinable
  func didMutate(_ observers: PropertyObservers<Value>, _ record: AnyObject? = nil) {
    if observers.has(.dependents) { observers.dependents.invalidate() }
    if notifies == .manually { return observers.note(record, isSilent: true) }
    if OpenBatch.isAnyOpen, joinBatch(nil, observers) { return observers.note(record) }
    observers.reportInPlace(storage, record)
  }

  /// Ends a mutation in place.
  ///
  /// - Parameters:
  ///   - old: The value before the mutation, if a registration needs it or may decline the new one: the
  ///     mutation then becomes an assignment.
  ///   - observers: The registrations.
  @inlinable
  func finishMutation(from old: Value?, _ observers: PropertyObservers<Value>) {
    guard let old else { return didMutate(observers) }
    assignInOrder(cell.exchange(old), observers)
  }

  /// Returns whether a value equals the current one; `false` if values cannot be compared.
  @inlinable
  @inline(__always)
  func isEqual(to value: Value, _ observers: PropertyObservers<Value>) -> Bool {
    observers.areEqual(storage, value)
  }

  /// Defers the report to the end of the open batch.
  ///
  /// - Parameters:
  ///   - old: The value before the write; `nil` if no observer needed it.
  ///   - observers: The registrations.
  ///   - coversSilentWrites: Pass `true` if `old` is the value that all observers know.
  /// - Returns: `false` if no batch is open.
  @usableFromInline
  func joinBatch(
    _ old: Value?,
    _ observers: PropertyObservers<Value>,
    coversSilentWrites: Bool = false
  ) -> Bool {
    guard let batch = OpenBatch.current else { return false }
    if !observers.has(.batch) {
      observers.rounds.joinBatch(old: old, coversSilentWrites: coversSilentWrites)
      batch.add(self)
    }
    return true
  }
}

extension Observed {
  /// Adds a validator, which may replace or decline each value before it is stored.
  ///
  /// Validators run first, in registration order; each receives the value that the previous one produced.
  /// A declined value is neither stored nor reported. While a property has validators, mutating the value
  /// in place copies it.
  ///
  /// - Parameter validate: Receives the current value and the proposed one, which it may replace. Returns
  ///   whether to store the proposed value.
  /// - Returns: A token that owns the registration: releasing the token ends it.
  /// - Complexity: Amortized O(1).
  public func validate(
    _ validate: @escaping (_ old: Value, _ proposed: inout Value) -> Bool
  ) -> Token {
    observersToJoin().register(value: nil) { PropertyValidator($0, validate) }
  }

  /// Reports a change to the observers.
  ///
  /// Use it for properties in manual mode and after ``withoutNotifying(_:)``. The change is reported even if
  /// the values are equal. Observers with `prior: true` receive no announcement, because the
  /// value has already changed.
  ///
  /// - Parameter old: The value that the observers know.
  public func notifyChange(from old: Value) {
    guard let observers else { return }
    if joinBatch(old, observers, coversSilentWrites: true) { return }
    observers.reportInOrder(old: old, new: storage, isKnown: true)
  }

  /// Mutates the value in place without notifying observers.
  ///
  /// Validators do not run. Computed values that depend on the property return the new value when read;
  /// their observers are notified with the next reported change.
  ///
  /// - Parameter body: Mutates the value. It must not access the property in any other way.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error. Mutations made before the error remain.
  public func withoutNotifying<R, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> R
  ) throws(Failure) -> R {
    defer {
      if let observers {
        observers.dependents.invalidate()
        observers.note(nil, isSilent: true)
      }
    }
    return try body(&storage)
  }
}
