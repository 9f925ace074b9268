/// An observer of elements, with or without an owner, which it holds weakly.
///
/// All type-specific work is in the closure, which is compiled where the concrete types are known.
@usableFromInline
final class ElementsObserver<Value>: PropertyObserver<Value> {
  /// Calls the handler; returns `false` if the owner has died.
  @usableFromInline typealias Body = (ElementsObserver, WriteReport<Value>) -> Bool

  @usableFromInline weak let owner: AnyObject?
  private let body: Body
  /// The number of elements at the last report.
  ///
  /// It suffices to report that everything was replaced when the old value is unknown.
  @usableFromInline var knownCount: Int
  /// A Boolean value that indicates whether a report was missed while the registration was paused.
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
  override func receive(_ report: WriteReport<Value>) -> Bool { body(self, report) }

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

extension Observed where Value: Collection {
  /// Creates the change that a report describes, unless its operations cancel each other out.
  ///
  /// It receives the element count of the value that the observer knows.
  @usableFromInline
  typealias Describing<News> = (_ report: WriteReport<Value>, _ knownCount: Int) -> News?

  /// Registers a handler for changes of elements that belongs to an object.
  @inlinable
  func observeElements<Owner: AnyObject, News>(
    of owner: Owner,
    id: AnyHashable?,
    _ initial: Bool,
    _ body: @escaping (Owner, News) -> Void,
    as describe: @escaping Describing<News>
  ) -> Token {
    observeWrites(owner: owner, id: id, initial) { observer, report in
      guard let owner = observer.owner as? Owner else { return false }
      let (report, count) = observer.adopt(report)
      if let change = describe(report, count) { body(owner, change) }
      return true
    }
  }

  /// Registers a handler for changes of elements that belongs to its token.
  @inlinable
  func observeElements<News>(
    _ initial: Bool,
    _ body: @escaping (News) -> Void,
    as describe: @escaping Describing<News>
  ) -> Token {
    observeWrites(owner: nil, id: nil, initial) { observer, report in
      let (report, count) = observer.adopt(report)
      if let change = describe(report, count) { body(change) }
      return true
    }
  }

  @usableFromInline
  func observeWrites(
    owner: AnyObject?,
    id: AnyHashable?,
    _ initial: Bool,
    _ body: @escaping ElementsObserver<Value>.Body
  ) -> Token {
    let options = ObserveOptions(initial, false)
    return observersToJoin().register(owner: owner, id: id, options, value: storage) {
      ElementsObserver($0, owner: owner, knownCount: storage.count, body)
    }
  }
}
