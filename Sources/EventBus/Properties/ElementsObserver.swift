/// What an observer of elements remembers between two reports.
///
/// The number of elements is enough to say what gave way when nobody wrote down how.
@usableFromInline
final class ElementsMemory {
  /// How many elements there were when it was told last.
  @usableFromInline var knownCount = 0
  /// Whether a report came while the registration was paused.
  @usableFromInline var hasMissed = false

  @inlinable
  init() {}

  /// Takes in a report.
  ///
  /// - Returns: The report, as far as it is about the value that the observer knows, and how many elements
  ///   that has.
  @inlinable
  func take<Value: Collection>(
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
final class PlainElementsObserver<Value>: PropertyObserver<Value> {
  private let memory: ElementsMemory
  private let body: (WriteReport<Value>) -> Void

  init(
    _ mark: ObservationMark,
    _ memory: ElementsMemory,
    _ body: @escaping (WriteReport<Value>) -> Void
  ) {
    self.memory = memory
    self.body = body
    super.init(mark, .writes)
  }

  @usableFromInline
  override func receive(_ change: Change<Value>) -> Bool {
    receive(WriteReport(new: change.new, isInitial: true))
  }

  @usableFromInline
  override func receive(_ report: WriteReport<Value>) -> Bool {
    body(report)
    return true
  }

  @usableFromInline
  override func miss() { memory.hasMissed = true }
}

/// An observer of elements that belongs to an object, which it holds weakly and passes to its handler.
final class OwnedElementsObserver<Owner: AnyObject, Value>: PropertyObserver<Value> {
  private weak let owner: Owner?
  private let tells: Bool
  private let memory: ElementsMemory
  private let body: (Owner, WriteReport<Value>) -> Void

  init(
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
  override func receive(_ change: Change<Value>) -> Bool {
    receive(WriteReport(new: change.new, isInitial: true))
  }

  @usableFromInline
  override func receive(_ report: WriteReport<Value>) -> Bool {
    guard let owner else { return false }
    body(owner, report)
    return true
  }

  @usableFromInline
  override func miss() { memory.hasMissed = true }

  override func belongs(to object: AnyObject) -> Bool { owner === object }
  override var needsSweeping: Bool { !tells }
  override var hasLostOwner: Bool { owner == nil }
}

extension Observed where Value: Collection {
  /// Registers a handler for reports that belongs to an object.
  @usableFromInline
  func observeWrites<O: AnyObject>(
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
  func observeWrites(
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
    trap(
      "observers of elements are not told before: the property at \(place) has none to tell",
      remedy: "Leave out `.prior`, or use observe(owner:options:_:), which tells whole values"
    )
  }
}

extension Observed where Value: RangeReplaceableCollection & RandomAccessCollection {
  /// Calls a handler with what is done to the elements, for as long as its owner lives.
  ///
  /// What the operations of the property do, such as `$items.append(item)`, is told as splices; other
  /// writes are told as a ``CollectionChange/Kind/setting``. The handler costs no copy of the value. The
  /// operations of a batch are told in one change; they are told also when they undo each other, unless
  /// somebody kept the value before.
  ///
  /// What is stored silently, in manual mode or by ``withoutNotifying(_:)``, is told with the next change
  /// that is reported: as splices if only operations of the property were used, up to 1,000.
  ///
  /// The owner is held weakly, and the registration ends with it, as with
  /// ``observe(owner:id:options:_:)``.
  ///
  /// - Parameters:
  ///   - owner: The object whose life the registration shares. It may be the one that has the property.
  ///   - id: A name for the registration: another one of the same owner with the same name replaces it.
  ///   - options: ``ObserveOptions/initial`` or nothing.
  ///   - body: Called with the owner and the change. A handler that is added during a change is not
  ///     called for it.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1).
  @inlinable
  @discardableResult
  public func observeElements<O: AnyObject>(
    owner: O,
    id: AnyHashable? = nil,
    options: ObserveOptions = [],
    _ body: @escaping (O, CollectionChange<Value>) -> Void
  ) -> Token {
    let memory = ElementsMemory()
    return observeWrites(owner: owner, id: id, options, memory) { owner, report in
      body(owner, CollectionChange(memory.take(report)))
    }
  }

  /// Calls a handler with what is done to the elements, for as long as the token is kept.
  ///
  /// - Parameters:
  ///   - options: ``ObserveOptions/initial`` or nothing.
  ///   - body: Called with the change, as with an owner.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1).
  @inlinable
  public func observeElements(
    options: ObserveOptions = [],
    _ body: @escaping (CollectionChange<Value>) -> Void
  ) -> Token {
    let memory = ElementsMemory()
    return observeWrites(options, memory) { body(CollectionChange(memory.take($0))) }
  }
}
