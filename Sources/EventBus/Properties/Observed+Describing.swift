extension Observed {
  /// Changes the value and describes what was done to those who want to know.
  ///
  /// In place, unless somebody wants the value before, or to decide. Where somebody may decide for another
  /// value, or may set the property before this one is stored, the description would not be true, and
  /// the change is told as an assignment.
  ///
  /// - Parameters:
  ///   - describe: Describes the change; asked before it is made, if at all. It must not use the property.
  ///   - change: Makes it. Nothing may die in it.
  internal func write(
    describedBy describe: () -> AnyObject,
    _ change: (inout Value) -> Void
  ) {
    guard let observers else { return change(&storage) }
    let isDescribed = observers.wantingWrites > 0
    if observers.allowsMutationInPlace {
      let write = isDescribed ? Write.described(describe()) : .mutation
      change(&storage)
      return didMutate(observers, write)
    }
    let isDecided = observers.validators + observers.wantingPriors > 0
    let write = isDescribed && !isDecided ? Write.described(describe()) : .assignment
    var copy = storage
    change(&copy)
    assignInOrder(copy, observers, write)
  }
}
