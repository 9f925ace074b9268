// The short way of a change in place, which only observers of elements are told.
extension PropertyObservers {
  /// Whether somebody wants to know what was written.
  @usableFromInline
  internal var wantsWrites: Bool { census.wantingWrites > 0 }

  /// Whether somebody may decide for another value, or set the property before one is stored.
  @usableFromInline
  internal var isDecided: Bool { census.validators + census.wantingPriors > 0 }

  /// Whether a write in place is all there is to tell, and to all.
  @usableFromInline
  internal var tellsWritesAtOnce: Bool {
    !isDraining && census.baselines == 0 && !wroteSilently
  }

  /// Tells what was changed in place, where nobody wanted the value before.
  @inlinable
  internal func reportInPlace(_ new: Value, _ write: Write) {
    guard tellsWritesAtOnce else { return reportInOrder(old: nil, new: new, write) }
    isDraining = true
    tell(WriteReport(new: new, records: write.records))
    if hasDependents { settleDependents() }
    drain()
  }

  /// Tells a report to those who were there when the walk began.
  @inlinable
  internal func tell(_ report: WriteReport<Value>) {
    let outer = beginWalk()
    let end = slots.count
    var index = 0
    while index < end {
      if outer == nil { ledger.call(slots[index].number) }
      _ = ObjectAddress.borrow(slots[index].address) { (observer: PropertyObserver<Value>) in
        if !observer.mark.isOpen {
          observer.miss()
        } else if !observer.receive(report) {
          observer.mark.endByItself()
        }
      }
      index += 1
    }
    endWalk(outer)
  }
}
