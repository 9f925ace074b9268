/// What an observer of elements remembers between two reports.
///
/// The number of elements is enough to say what gave way when nobody wrote down how.
@usableFromInline
internal final class ElementsMemory {
  /// How many elements there were when it was told last.
  @usableFromInline internal var knownCount = 0
  /// Whether a report came while the registration was paused.
  @usableFromInline internal var hasMissed = false

  @inlinable
  internal init() {}

  /// Takes in a report.
  ///
  /// - Returns: The report, as far as it is about the value that the observer knows, and how many elements
  ///   that has.
  @inlinable
  internal func take<Value: Collection>(
    _ report: WriteReport<Value>
  ) -> (report: WriteReport<Value>, count: Int) {
    if report.isInitial { return (report, 0) }
    let count = knownCount
    knownCount = report.new.count
    // Whoever notified by hand may have named another value than the one observers know.
    let isOldKnown = report.old.map { $0.count == count } ?? true
    guard hasMissed || !isOldKnown else { return (report, count) }
    hasMissed = false
    return (WriteReport(new: report.new), count)
  }
}

@available(*, unavailable)
extension ElementsMemory: Sendable {}

/// An observer of elements without an owner.
///
/// What it does is in its closure, which is compiled where the value's type is known.
internal final class PlainElementsObserver<Value>: PropertyObserver<Value> {
  private let memory: ElementsMemory
  private let body: (WriteReport<Value>) -> Void

  internal init(
    _ mark: ObservationMark,
    _ memory: ElementsMemory,
    _ body: @escaping (WriteReport<Value>) -> Void
  ) {
    self.memory = memory
    self.body = body
    super.init(mark, .writes)
  }

  @usableFromInline
  override internal func receive(_ change: Change<Value>) -> Bool {
    receive(WriteReport(new: change.new, isInitial: true))
  }

  @usableFromInline
  override internal func receive(_ report: WriteReport<Value>) -> Bool {
    body(report)
    return true
  }

  @usableFromInline
  override internal func miss() { memory.hasMissed = true }
}

/// An observer of elements that belongs to an object, which it holds weakly and passes to its handler.
internal final class OwnedElementsObserver<Owner: AnyObject, Value>: PropertyObserver<Value> {
  private weak let owner: Owner?
  private let tells: Bool
  private let memory: ElementsMemory
  private let body: (Owner, WriteReport<Value>) -> Void

  internal init(
    _ mark: ObservationMark,
    owner: Owner,
    _ memory: ElementsMemory,
    _ body: @escaping (Owner, WriteReport<Value>) -> Void
  ) {
    self.owner = owner
    tells = owner is any LifetimeOwner
    self.memory = memory
    self.body = body
    super.init(mark, .writes)
  }

  @usableFromInline
  override internal func receive(_ change: Change<Value>) -> Bool {
    receive(WriteReport(new: change.new, isInitial: true))
  }

  @usableFromInline
  override internal func receive(_ report: WriteReport<Value>) -> Bool {
    guard let owner else { return false }
    body(owner, report)
    return true
  }

  @usableFromInline
  override internal func miss() { memory.hasMissed = true }

  override internal func belongs(to object: AnyObject) -> Bool { owner === object }
  override internal var needsSweeping: Bool { !tells }
  override internal var hasLostOwner: Bool { owner == nil }
}

extension Observed where Value: Collection {
  /// Registers a handler for reports that belongs to an object.
  @usableFromInline
  internal func observeWrites<O: AnyObject>(
    owner: O,
    id: AnyHashable?,
    _ options: ObserveOptions,
    _ memory: ElementsMemory,
    _ body: @escaping (O, WriteReport<Value>) -> Void
  ) -> Token {
    requireNoPrior(options)
    let (observers, value) = (neededObservers(), storage)
    memory.knownCount = value.count
    return observers.enter(
      OwnedElementsObserver(observers.newMark(), owner: owner, memory, body),
      owner: owner,
      key: id.map { PropertyObserverKey(owner: ObjectIdentifier(owner), id: $0) },
      options,
      value: value,
      isBehind: observers.enlisted != nil || observers.wroteSilently
    )
  }

  /// Registers a handler for reports that lasts as long as its token.
  @usableFromInline
  internal func observeWrites(
    _ options: ObserveOptions,
    _ memory: ElementsMemory,
    _ body: @escaping (WriteReport<Value>) -> Void
  ) -> Token {
    requireNoPrior(options)
    let (observers, value) = (neededObservers(), storage)
    memory.knownCount = value.count
    return observers.enter(
      PlainElementsObserver(observers.newMark(), memory, body),
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
