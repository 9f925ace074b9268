/// An observer of a property inside an object that another property holds, and may replace.
///
/// It stands among the observers of the outer property and keeps a registration at the inner one.
///
/// `Seen` is what its handler is told of: the inner value, or an optional one where there may be no
/// object.
internal final class PathObserver<Owner: AnyObject, Root, Leaf, Seen>: PropertyObserver<Root> {
  /// How the inner property is found in the outer value.
  internal struct Path {
    /// The inner property, if there is an object.
    internal let find: (Root) -> Observed<Leaf>?
    /// The inner value, as the handler sees it.
    internal let see: (Root) -> Seen
    /// The same for a value of the inner property.
    internal let lift: (Leaf) -> Seen
    /// The value again, if there is an object.
    internal let leaf: (Seen) -> Leaf?
  }

  private weak let owner: Owner?
  private let tells: Bool
  private let path: Path
  private let options: ObserveOptions
  private let body: (Owner, Change<Seen>) -> Void
  /// The inner property at first, until it is observed.
  private var first: Observed<Leaf>?
  /// The inner property now.
  private var property: Observed<Leaf>?
  private var token: Token?
  /// The value the handler knows.
  private var told: Seen

  internal init(
    _ mark: ObservationMark,
    _ path: Path,
    from root: Root,
    owner: Owner,
    _ options: ObserveOptions,
    _ body: @escaping (Owner, Change<Seen>) -> Void
  ) {
    self.owner = owner
    tells = owner is any LifetimeOwner
    self.path = path
    self.options = options
    self.body = body
    told = path.see(root)
    first = path.find(root)
    super.init(mark, options.roles(of: Root.self))
  }

  // Not before: the inner property may be the outer one, whose registrations stand in order.
  override internal func wasAdded() { follow(first.take()) }

  override internal func belongs(to object: AnyObject) -> Bool { owner === object }
  override internal var needsSweeping: Bool { !tells }
  override internal var hasLostOwner: Bool { owner == nil }

  @usableFromInline
  override internal func receive(_ change: Change<Root>) -> Bool {
    guard let owner else { return false }
    let found = path.find(change.new)
    let seen = path.see(change.new)
    switch change.kind {
    case .initial:
      body(owner, Change(.initial, old: told, new: told))
    case .prior:
      if isChange(to: seen, in: found) { body(owner, Change(.prior, old: told, new: seen)) }
    case .set:
      let isNews = isChange(to: seen, in: found)
      follow(found)
      if isNews { tell(owner, seen) }
    }
    return true
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
    guard mark.isOpen else { return }
    guard let owner else { return mark.endByItself() }
    if change.kind == .prior {
      body(owner, Change(.prior, old: told, new: path.lift(change.new)))
    } else {
      tell(owner, path.lift(change.new))
    }
  }

  private func tell(_ owner: Owner, _ seen: Seen) {
    let old = told
    told = seen
    body(owner, Change(.set, old: old, new: seen))
  }

  /// Whether the handler is to be told of what the outer property holds now.
  private func isChange(to seen: Seen, in found: Observed<Leaf>?) -> Bool {
    switch (path.leaf(told), path.leaf(seen)) {
    case (nil, nil): return false
    case (let old?, let new?):
      if found === property { return false }
      guard let areEqual = found?.areEqual else { return true }
      return !areEqual(old, new)
    default: return true
    }
  }
}
