/// An observer of elements, with or without an owner, which it holds weakly.
///
/// All type-specific work is in the closure, which is compiled where the concrete types are known.
@usableFromInline
final class ElementsObserver<Value>: PropertyObserver<Value> {
  /// Calls the handler; receives the owner, if there is one.
  @usableFromInline typealias Body = (ElementsObserver, AnyObject?, WriteReport<Value>) -> Void

  private weak let owner: AnyObject?
  private let body: Body
  /// The number of elements at the last report.
  ///
  /// It suffices to report that everything was replaced when the old value is unknown.
  @usableFromInline var knownCount: Int
  /// True if a report was missed while the registration was paused.
  @usableFromInline var hasMissed = false

  init(
    _ registration: PropertyRegistration,
    owner: AnyObject?,
    knownCount: Int,
    _ body: @escaping Body
  ) {
    self.owner = owner
    self.knownCount = knownCount
    self.body = body
    super.init(registration, .writes, owner: owner)
  }

  @usableFromInline
  override func receive(_ report: WriteReport<Value>) -> Bool {
    let owner = owner
    if isOwned, owner == nil { return false }
    body(self, owner, report)
    return true
  }

  @usableFromInline
  override func miss() { hasMissed = true }

  override var currentOwner: AnyObject? { owner }

  /// Returns a report with the element count that the observer knows.
  ///
  /// Records and old value are left out if they do not apply to the value that the observer knows.
  @inlinable
  func adopt(_ report: WriteReport<Value>) -> (report: WriteReport<Value>, knownCount: Int)
  where Value: Collection {
    if report.isInitial { return (report, 0) }
    let count = knownCount
    knownCount = report.new.count
    // A manual report may name an old value other than the one that observers know.
    let isOldKnown = report.old.map { $0.count == count } ?? true
    guard hasMissed || !isOldKnown else { return (report, count) }
    hasMissed = false
    return (WriteReport(new: report.new), count)
  }
}

extension Observed where Value: RangeReplaceableCollection {
  /// Registers a handler for changes of elements.
  ///
  /// - Parameters:
  ///   - owner: The object that the registration belongs to, held weakly; `nil` if it belongs to its token.
  ///   - id: The identifier under which the registration replaces an earlier one of its owner.
  ///   - initial: Whether the handler is also called with the current value.
  ///   - body: Called with the owner and the change.
  /// - Returns: The token.
  @inlinable
  func observeElements(
    of owner: AnyObject?,
    id: AnyHashable? = nil,
    _ initial: Bool,
    _ body: @escaping (AnyObject?, CollectionChange<Value>) -> Void
  ) -> Token {
    observeWrites(of: owner, id: id, initial) { observer, owner, report in
      let (report, count) = observer.adopt(report)
      if let change = CollectionChange(report, count) { body(owner, change) }
    }
  }

  @usableFromInline
  func observeWrites(
    of owner: AnyObject?,
    id: AnyHashable?,
    _ initial: Bool,
    _ body: @escaping ElementsObserver<Value>.Body
  ) -> Token {
    observersToJoin().register(owner: owner, id: id, initial: initial, value: storage) {
      ElementsObserver($0, owner: owner, knownCount: storage.count, body)
    }
  }
}
