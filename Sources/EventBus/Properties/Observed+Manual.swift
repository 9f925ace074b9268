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
