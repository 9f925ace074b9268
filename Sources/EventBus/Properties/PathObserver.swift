extension Observed {
  /// Calls a handler for every change of a property inside the object that this one holds, also when
  /// the object is replaced.
  ///
  /// ```swift
  /// player.$account.observe(\.$balance, owner: screen) { screen, change in
  ///   screen.text = change.new.map { "\($0)" } ?? "nobody"
  /// }
  /// ```
  ///
  /// Replacing the object is one change, from the value in the old object to the one in the new; none if
  /// they are equal.
  ///
  /// The rules are those of plain observers. A handler that sets the inner property or replaces the object
  /// is called again when it has returned. What changes while the registration is paused is not reported,
  /// but followed. In a batch over both, the object and the inner property report once.
  ///
  /// - Parameters:
  ///   - path: From the object to its property.
  ///   - owner: The object whose life the registration shares.
  ///   - options: What is wanted besides the changes.
  ///   - body: Called with the owner and the change of the inner value.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func observe<O: AnyObject, Leaf>(
    _ path: KeyPath<Value, Observed<Leaf>>,
    owner: O,
    options: ObserveOptions = [],
    _ body: @escaping (O, Change<Leaf>) -> Void
  ) -> Token {
    let steps = PathObserver<O, Value, Leaf, Leaf>.Path(
      find: { $0[keyPath: path] },
      see: { $0[keyPath: path].storage },
      lift: { $0 },
      leaf: { $0 }
    )
    return observe(steps, owner: owner, options, body)
  }

  /// Calls a handler for every change of a property inside the object that this one may hold, also when
  /// the object is replaced, comes or goes.
  ///
  /// Without an object the value is `nil`. Replacing the object is one change, from the value in the old
  /// object to the one in the new; none if they are equal.
  ///
  /// - Parameters:
  ///   - path: From the object to its property.
  ///   - owner: The object whose life the registration shares.
  ///   - options: What is wanted besides the changes.
  ///   - body: Called with the owner and the change of the inner value.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func observe<O: AnyObject, Wrapped, Leaf>(
    _ path: KeyPath<Wrapped, Observed<Leaf>>,
    owner: O,
    options: ObserveOptions = [],
    _ body: @escaping (O, Change<Leaf?>) -> Void
  ) -> Token where Value == Wrapped? {
    let steps = PathObserver<O, Value, Leaf, Leaf?>.Path(
      find: { $0?[keyPath: path] },
      see: { $0?[keyPath: path].storage },
      lift: { $0 },
      leaf: { $0 }
    )
    return observe(steps, owner: owner, options, body)
  }

  private func observe<O: AnyObject, Leaf, Seen>(
    _ path: PathObserver<O, Value, Leaf, Seen>.Path,
    owner: O,
    _ options: ObserveOptions,
    _ body: @escaping (O, Change<Seen>) -> Void
  ) -> Token {
    let (observers, value) = (neededObservers(), storage)
    let observer = PathObserver(
      observers.newMark(),
      path,
      of: self,
      owner: owner,
      options,
      body
    )
    return observers.enter(
      observer,
      owner: owner,
      options,
      value: value,
      isBehind: observers.enlisted != nil
    )
  }
}

/// An observer of a property inside an object that another property holds, and may replace.
///
/// It stands among the observers of the outer property and keeps a registration at the inner one.
///
/// Its handler sees one chain of changes, whichever property they come from, and is never called inside
/// itself: what happens meanwhile waits here. A change of an object that has been replaced already is
/// left out, since the report of the replacement follows, with the newest value. While the registration
/// is paused it follows the object without a call.
///
/// `Seen` is the value in the changes of its handler: the inner value, or an optional one where there may
/// be no object.
final class PathObserver<Owner: AnyObject, Root, Leaf, Seen>: PropertyObserver<Root> {
  /// How the inner property is found in the outer value.
  struct Path {
    /// The inner property, if there is an object.
    let find: (Root) -> Observed<Leaf>?
    /// The inner value, as the handler sees it.
    let see: (Root) -> Seen
    /// The same for a value of the inner property.
    let lift: (Leaf) -> Seen
    /// The value again, if there is an object.
    let leaf: (Seen) -> Leaf?
  }

  private weak let owner: Owner?
  private weak let outer: Observed<Root>?
  private let tells: Bool
  private let path: Path
  private let options: ObserveOptions
  private let body: (Owner, Change<Seen>) -> Void
  /// The inner property that is observed.
  private var property: Observed<Leaf>?
  private var token: Token?
  /// The newest value that was reported to the handler, or waits until it has returned.
  private var known: Seen
  private var isCalling = false
  /// What happened while the handler was running.
  private var waiting = BoundedQueue<Change<Seen>>()

  init(
    _ mark: ObservationMark,
    _ path: Path,
    of outer: Observed<Root>,
    owner: Owner,
    _ options: ObserveOptions,
    _ body: @escaping (Owner, Change<Seen>) -> Void
  ) {
    self.owner = owner
    self.outer = outer
    tells = owner is any LifetimeOwner
    self.path = path
    self.options = options
    self.body = body
    known = path.see(outer.storage)
    super.init(mark, options.roles(of: Root.self))
  }

  // Not before: the inner property may be the outer one, whose registrations stand in order.
  override func wasAdded() { miss() }

  override func belongs(to object: AnyObject) -> Bool { owner === object }
  override var needsSweeping: Bool { !tells }
  override var hasLostOwner: Bool { owner == nil }

  @usableFromInline
  override func receive(_ change: Change<Root>) -> Bool {
    guard let owner else { return false }
    let found = path.find(change.new)
    let seen = path.see(change.new)
    switch change.kind {
    case .initial:
      call(owner, Change(.initial, old: known, new: known))
    case .prior:
      if isChange(to: seen, in: found) { body(owner, Change(.prior, old: known, new: seen)) }
    case .set:
      let isNews = isChange(to: seen, in: found)
      follow(found)
      if isNews { report(owner, seen) }
    }
    return true
  }

  /// Follows the object that is there now, without a call: the registration is new or paused.
  @usableFromInline
  override func miss() {
    if mark.hasEnded { return follow(nil) }
    guard let root = outer?.cell.settled else { return }
    follow(path.find(root))
    known = path.see(root)
  }

  private func follow(_ found: Observed<Leaf>?) {
    guard found !== property else { return }
    property = found
    let inner = found?.observe(options: options.intersection(.prior)) { [weak self] change in
      self?.receiveInner(change)
    }
    let former = token
    token = inner
    former?.cancel()
  }

  private func receiveInner(_ change: Change<Leaf>) {
    guard let outer, let observers = outer.observers, !mark.hasEnded else { return follow(nil) }
    // A call of the outer property's observer, too, for those that wait for its end.
    let outerCall = observers.beginWalk()
    if outerCall == nil { observers.ledger.call(number) }
    defer { observers.endWalk(outerCall) }
    // If the object was replaced already, the report of that follows, or was left out on purpose.
    if let root = outer.cell.settled, path.find(root) !== property { return }
    let seen = path.lift(change.new)
    guard mark.isOpen else {
      if change.kind == .set { known = seen }
      return
    }
    guard let owner else {
      mark.endByItself()
      return follow(nil)
    }
    if change.kind == .prior { return body(owner, Change(.prior, old: known, new: seen)) }
    // What was reported by hand, with equal values, is reported here as well.
    let isNews = areUnequal(path.leaf(known), change.new) || !areUnequal(change.old, change.new)
    if isNews { report(owner, seen) }
  }

  private func report(_ owner: Owner, _ seen: Seen) {
    let change = Change(.set, old: known, new: seen)
    known = seen
    call(owner, change)
  }

  /// Calls the handler, or lets the change wait until the handler has returned.
  private func call(_ owner: Owner, _ change: Change<Seen>) {
    guard !isCalling else { return _ = waiting.append(change) }
    isCalling = true
    body(owner, change)
    var rounds = 1
    while let next = waiting.popFirst() {
      // What comes while the registration is paused is dropped.
      if mark.isOpen { body(owner, next) }
      rounds += 1
      if rounds == 101 { outer?.observers?.warnOfRounds() }
    }
    isCalling = false
  }

  /// Whether a value of the outer property is a change for the handler.
  private func isChange(to seen: Seen, in found: Observed<Leaf>?) -> Bool {
    switch (path.leaf(known), path.leaf(seen)) {
    case (nil, nil): false
    case (let old?, let new?): found !== property && areUnequal(old, new, in: found)
    default: true
    }
  }

  private func areUnequal(_ old: Leaf?, _ new: Leaf) -> Bool {
    guard let old else { return true }
    return areUnequal(old, new, in: property)
  }

  /// Whether two values differ for the inner property, as all do if it cannot compare them.
  private func areUnequal(_ old: Leaf, _ new: Leaf, in property: Observed<Leaf>?) -> Bool {
    guard let areEqual = property?.areEqual else { return true }
    return !areEqual(old, new)
  }
}
