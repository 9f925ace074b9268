/// The state that an observer of elements keeps between two reports.
///
/// The element count suffices to report that everything was replaced when the old value is unknown.
@usableFromInline
final class ElementsMemory {
  /// The number of elements at the last report.
  @usableFromInline var knownCount = 0
  /// A Boolean value that indicates whether a report was missed while the registration was paused.
  @usableFromInline var hasMissed = false

  @inlinable
  init() {}

  /// Updates the state with a report.
  ///
  /// - Returns: The report, without records and old value if they do not apply to the value that the
  ///   observer knows, and the element count of that value.
  @inlinable
  func take<Value: Collection>(
    _ report: WriteReport<Value>
  ) -> (report: WriteReport<Value>, count: Int) {
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

/// An observer of elements without an owner.
///
/// All type-specific work is in the closure, which is compiled where the concrete type is known.
final class PlainElementsObserver<Value>: PropertyObserver<Value> {
  private let memory: ElementsMemory
  private let body: (WriteReport<Value>) -> Void

  init(
    _ registration: PropertyRegistration,
    _ memory: ElementsMemory,
    _ body: @escaping (WriteReport<Value>) -> Void
  ) {
    self.memory = memory
    self.body = body
    super.init(registration, .writes)
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
  private let hasLifetime: Bool
  private let memory: ElementsMemory
  private let body: (Owner, WriteReport<Value>) -> Void

  init(
    _ registration: PropertyRegistration,
    owner: Owner,
    _ memory: ElementsMemory,
    _ body: @escaping (Owner, WriteReport<Value>) -> Void
  ) {
    self.owner = owner
    hasLifetime = owner is any LifetimeOwner
    self.memory = memory
    self.body = body
    super.init(registration, .writes)
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
  override var needsSweeping: Bool { !hasLifetime }
  override var hasLostOwner: Bool { owner == nil }
}

extension Observed where Value: Collection {
  /// Registers a handler for write reports that belongs to an object.
  @usableFromInline
  func observeWrites<O: AnyObject>(
    owner: O,
    id: AnyHashable?,
    _ options: ObserveOptions,
    _ memory: ElementsMemory,
    _ body: @escaping (O, WriteReport<Value>) -> Void
  ) -> Token {
    requireNoPrior(options)
    let (observers, value) = (observersToJoin(), storage)
    memory.knownCount = value.count
    return observers.enter(
      OwnedElementsObserver(observers.newRegistration(), owner: owner, memory, body),
      owner: owner,
      key: id.map { PropertyObserverKey(owner: ObjectIdentifier(owner), id: $0) },
      options,
      value: value,
      isBehind: observers.enlisted != nil || observers.wroteSilently
    )
  }

  /// Registers a handler for write reports that belongs to its token.
  @usableFromInline
  func observeWrites(
    _ options: ObserveOptions,
    _ memory: ElementsMemory,
    _ body: @escaping (WriteReport<Value>) -> Void
  ) -> Token {
    requireNoPrior(options)
    let (observers, value) = (observersToJoin(), storage)
    memory.knownCount = value.count
    return observers.enter(
      PlainElementsObserver(observers.newRegistration(), memory, body),
      options,
      value: value,
      isBehind: observers.enlisted != nil || observers.wroteSilently
    )
  }

  private func requireNoPrior(_ options: ObserveOptions) {
    guard options.contains(.prior) else { return }
    trap(
      "observers of elements of the property at \(propertySite) cannot be called before a change",
      remedy: "Leave out `.prior`, or use observe(owner:options:_:), which reports whole values"
    )
  }
}

extension Observed where Value: RangeReplaceableCollection & RandomAccessCollection {
  /// Calls a handler with the changes of the elements while its owner is alive.
  ///
  /// Operations of the property, such as `$items.append(item)`, are reported as splices; other writes are
  /// reported as ``CollectionChange/Kind/setting``. The handler does not cause a copy of the value. The
  /// operations of a batch are reported in one change, even if they cancel each other out, unless another
  /// observer required the old value.
  ///
  /// Silent writes, in manual mode or by ``withoutNotifying(_:)``, are reported with the next change: as
  /// splices, if all of them were operations of the property and there were at most 1,000.
  ///
  /// The owner is held weakly, and the registration ends with it, as with
  /// ``observe(owner:id:options:_:)``.
  ///
  /// - Parameters:
  ///   - owner: The object whose lifetime limits the registration. It may be the object that declares the
  ///     property.
  ///   - id: An identifier. A later registration of the same owner with an equal identifier replaces this
  ///     one.
  ///   - options: ``ObserveOptions/initial`` or none.
  ///   - body: The handler, called with the owner and the change. A handler registered during a change is
  ///     not called for that change.
  /// - Returns: A token that cancels the registration. Releasing the token does not.
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

  /// Calls a handler with the changes of the elements while the returned token is retained.
  ///
  /// - Parameters:
  ///   - options: ``ObserveOptions/initial`` or none.
  ///   - body: The handler, called with the change.
  /// - Returns: A token that owns the registration: releasing the token ends it.
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

@available(*, unavailable)
extension ElementsMemory: Sendable {}
