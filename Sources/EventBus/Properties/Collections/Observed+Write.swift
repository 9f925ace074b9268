extension Observed {
  /// Mutates the value and reports a description of the mutation to observers of elements.
  ///
  /// The mutation happens in place unless an observer needs the old value or a validator is registered. A
  /// validator may replace the value, and a prior observer may set the property before the value is stored;
  /// the description could then be wrong, so the write is reported as an assignment.
  ///
  /// - Parameters:
  ///   - describe: Describes the mutation. It is called before the mutation, or not at all, and must not
  ///     write to the property.
  ///   - change: Performs the mutation. It must not release the last reference to any object.
  @inlinable
  func write<Edits>(describedBy describe: () -> Edits, _ change: (inout Value) -> Void) {
    guard cell.isObserved, let observers else { return change(&storage) }
    // Nothing is released between the checks of the operation and the mutation.
    let isInPlace = !observers.has(.preventsMutationInPlace)
    let isDescribed = observers.has(.writes) && !observers.has([.priors, .validators])
    let record = isDescribed ? WriteRecord(describe()) : nil
    if isInPlace {
      change(&storage)
      return didMutate(observers, record)
    }
    var copy = storage
    change(&copy)
    assignInOrder(copy, observers, record)
  }

  /// Removes ended registrations.
  ///
  /// Their release may run arbitrary code. Every operation calls this first; ``write(describedBy:_:)``
  /// releases none, so that indices and descriptions remain valid.
  @inlinable
  func clean() {
    if cell.isObserved { observers?.cleanIfDirty() }
  }
}
