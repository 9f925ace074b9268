/// One registration of somebody who wants to know what is done to the elements of a property.
///
/// It knows how many elements there were when it was told last, which is enough to say what gave way
/// when nobody wrote down how.
internal class ElementsObserver<Value: Collection>: PropertyObserver<Value> {
  private var knownCount: Int
  private var hasMissed = false

  internal init(_ mark: ObservationMark, from value: Value) {
    knownCount = value.count
    super.init(mark, .writes)
  }

  @usableFromInline
  override internal final func receive(_ change: Change<Value>) -> Bool {
    call(WriteReport(new: change.new, isInitial: true), knowing: 0)
  }

  @usableFromInline
  override internal final func receive(_ report: WriteReport<Value>) -> Bool {
    let count = knownCount
    knownCount = report.new.count
    // Whoever notified by hand may have named another value than the one observers know.
    let isOldKnown = report.old.map { $0.count == count } ?? true
    guard hasMissed || !isOldKnown else { return call(report, knowing: count) }
    // The value before is not the one that this observer knows.
    hasMissed = false
    return call(WriteReport(new: report.new), knowing: count)
  }

  override internal final func miss() { hasMissed = true }

  /// Calls the handler.
  ///
  /// - Parameters:
  ///   - report: What was done to the value this observer knows.
  ///   - count: How many elements that has.
  /// - Returns: Whether the owner is alive.
  internal func call(_ report: WriteReport<Value>, knowing count: Int) -> Bool { true }
}

/// An observer of elements without an owner.
internal final class PlainElementsObserver<Value: Collection>: ElementsObserver<Value> {
  private let body: (WriteReport<Value>, Int) -> Void

  internal init(
    _ mark: ObservationMark,
    from value: Value,
    _ body: @escaping (WriteReport<Value>, Int) -> Void
  ) {
    self.body = body
    super.init(mark, from: value)
  }

  override internal func call(_ report: WriteReport<Value>, knowing count: Int) -> Bool {
    body(report, count)
    return true
  }
}

/// An observer of elements that belongs to an object, which it holds weakly and passes to its handler.
internal final class OwnedElementsObserver<
  Owner: AnyObject,
  Value: Collection
>: ElementsObserver<Value> {
  private weak let owner: Owner?
  private let tells: Bool
  private let body: (Owner, WriteReport<Value>, Int) -> Void

  internal init(
    _ mark: ObservationMark,
    from value: Value,
    owner: Owner,
    _ body: @escaping (Owner, WriteReport<Value>, Int) -> Void
  ) {
    self.owner = owner
    tells = owner is any LifetimeOwner
    self.body = body
    super.init(mark, from: value)
  }

  override internal func call(_ report: WriteReport<Value>, knowing count: Int) -> Bool {
    guard let owner else { return false }
    body(owner, report, count)
    return true
  }

  override internal func belongs(to object: AnyObject) -> Bool { owner === object }
  override internal var needsSweeping: Bool { !tells }
  override internal var hasLostOwner: Bool { owner == nil }
}

extension Observed where Value: Collection {
  /// Registers a handler for reports that belongs to an object.
  internal func observeWrites<O: AnyObject>(
    owner: O,
    id: AnyHashable?,
    _ options: ObserveOptions,
    _ body: @escaping (O, WriteReport<Value>, Int) -> Void
  ) -> Token {
    requireNoPrior(options)
    let (observers, value) = (neededObservers(), storage)
    return observers.enter(
      OwnedElementsObserver(observers.newMark(), from: value, owner: owner, body),
      owner: owner,
      key: id.map { PropertyObserverKey(owner: ObjectIdentifier(owner), id: $0) },
      options,
      value: value,
      isBehind: observers.enlisted != nil || observers.wroteSilently
    )
  }

  /// Registers a handler for reports that lasts as long as its token.
  internal func observeWrites(
    _ options: ObserveOptions,
    _ body: @escaping (WriteReport<Value>, Int) -> Void
  ) -> Token {
    requireNoPrior(options)
    let (observers, value) = (neededObservers(), storage)
    return observers.enter(
      PlainElementsObserver(observers.newMark(), from: value, body),
      options,
      value: value,
      isBehind: observers.enlisted != nil || observers.wroteSilently
    )
  }

  private func requireNoPrior(_ options: ObserveOptions) {
    guard options.contains(.prior) else { return }
    Misuse.trap(
      "observers of elements are not told before: the property at \(place) has none to tell",
      remedy: "Leave out `.prior`, or use observe(owner:options:_:), which tells whole values"
    )
  }
}
