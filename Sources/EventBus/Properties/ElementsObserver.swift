/// The writes since the last report, for observers of elements, which do not need the old value.
///
/// While no observer needs a ``Change``, the value is mutated in place without a copy.
@usableFromInline
package struct WriteReport<Value> {
  /// The new value.
  @usableFromInline package let new: Value
  /// The old value, if it was kept.
  @usableFromInline package let old: Value?
  /// The records of the writes, in order; `nil` if any write was not described.
  @usableFromInline package let records: [AnyObject]?
  /// A Boolean value that indicates whether this is the initial report of a registration.
  @usableFromInline package let isInitial: Bool
  /// A Boolean value that indicates whether this is the report of a batch, which is left out if the writes
  /// cancel each other out.
  @usableFromInline package let isOfBatch: Bool

  @inlinable
  init(
    new: Value,
    old: Value? = nil,
    records: [AnyObject]? = nil,
    isInitial: Bool = false,
    isOfBatch: Bool = false
  ) {
    self.new = new
    self.old = old
    self.records = records
    self.isInitial = isInitial
    self.isOfBatch = isOfBatch
  }

  /// The descriptions of the writes, in order.
  @inlinable
  func edits<Edits>(_: Edits.Type) -> some Sequence<Edits> {
    (records ?? []).lazy.compactMap { ($0 as? WriteRecord<Edits>)?.edits }
  }
}

/// The description of one write, in the form that suits the kind of collection.
///
/// A class, because a value of type `Any` takes 150 instructions more on its way to the observers.
@usableFromInline
final class WriteRecord<Edits> {
  @usableFromInline let edits: Edits

  @inlinable
  init(_ edits: Edits) { self.edits = edits }
}

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
  func observeElements<O: AnyObject, News>(
    of owner: O,
    id: AnyHashable?,
    _ options: ObserveOptions,
    _ body: @escaping (O, News) -> Void,
    as describe: @escaping Describing<News>
  ) -> Token {
    observeWrites(owner: owner, id: id, options) { observer, report in
      guard let owner = observer.owner as? O else { return false }
      let (report, count) = observer.adopt(report)
      if let change = describe(report, count) { body(owner, change) }
      return true
    }
  }

  /// Registers a handler for changes of elements that belongs to its token.
  @inlinable
  func observeElements<News>(
    _ options: ObserveOptions,
    _ body: @escaping (News) -> Void,
    as describe: @escaping Describing<News>
  ) -> Token {
    observeWrites(owner: nil, id: nil, options) { observer, report in
      let (report, count) = observer.adopt(report)
      if let change = describe(report, count) { body(change) }
      return true
    }
  }

  @usableFromInline
  func observeWrites(
    owner: AnyObject?,
    id: AnyHashable?,
    _ options: ObserveOptions,
    _ body: @escaping ElementsObserver<Value>.Body
  ) -> Token {
    if options.contains(.prior) {
      let (fileID, line) = propertySite
      trap(
        "observers of elements of the property at \(fileID):\(line) cannot be called before a change",
        remedy: "Leave out `.prior`, or use observe(owner:options:_:), which reports whole values"
      )
    }
    return observersToJoin().register(owner: owner, id: id, options, value: storage) {
      ElementsObserver($0, owner: owner, knownCount: storage.count, body)
    }
  }
}

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

extension ObservableProperty where Value: RangeReplaceableCollection & RandomAccessCollection {
  /// Calls a handler with the changes of the elements while its owner is alive.
  ///
  /// Operations of the property, such as `_items.append(item)`, are reported as splices; other writes are
  /// reported as ``CollectionChange/Kind/setting``. The operations of a batch are reported in one change,
  /// unless they cancel each other out; that is known of elements that are `Equatable`. The handler does not
  /// cause a copy of the value, with one exception: if a batch begins with a plain mutation, such as
  /// `items.sort()`, the value before it is kept until the end of the batch. A batch that begins with
  /// operations and goes on with plain mutations is always reported.
  ///
  /// Silent writes, in manual mode or by ``Observed/withoutNotifying(_:)``, are reported with the next
  /// change: as splices, if all of them were operations of the property and there were at most 1,000.
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
    readOnly.property.observeElements(of: owner, id: id, options, body) { CollectionChange($0, $1) }
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
    readOnly.property.observeElements(options, body) { CollectionChange($0, $1) }
  }
}

@available(*, unavailable)
extension WriteReport: Sendable {}

@available(*, unavailable)
extension WriteRecord: Sendable {}
