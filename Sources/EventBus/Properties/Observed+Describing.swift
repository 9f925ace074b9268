extension Observed {
  /// Lets go of registrations that have ended, which may do anything, before positions are looked at.
  @inlinable
  internal func clean() { observers?.cleanIfSoiled() }

  /// Changes the value and describes what was done to those who want to know.
  ///
  /// In place, unless somebody wants the value before, or to decide. Where somebody may decide for another
  /// value, or may set the property before this one is stored, the description would not be true, and
  /// the change is told as an assignment.
  ///
  /// - Parameters:
  ///   - describe: Describes the change; asked before it is made, if at all. It must not use the property.
  ///   - change: Makes it. Nothing may die in it.
  @inlinable
  internal func write(
    describedBy describe: () -> AnyObject,
    _ change: (inout Value) -> Void
  ) {
    guard let observers else { return change(&storage) }
    let isDescribed = observers.wantsWrites
    if observers.allowsMutationInPlace {
      let write = isDescribed ? Write.described(describe()) : .mutation
      change(&storage)
      return didMutate(observers, write)
    }
    let write = isDescribed && !observers.isDecided ? Write.described(describe()) : .assignment
    var copy = storage
    change(&copy)
    assignInOrder(copy, observers, write)
  }
}
