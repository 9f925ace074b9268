extension ObservedProperty {
  /// Calls a handler for every change of a property of the object that this property holds, and when the
  /// object is replaced.
  ///
  /// ```swift
  /// @MainActor final class Account {
  ///   @Observed var balance = 0
  /// }
  ///
  /// @MainActor final class Player {
  ///   @Observed var account: Account?
  /// }
  ///
  /// @MainActor final class Screen {
  ///   var text = ""
  /// }
  ///
  /// let player = Player()
  /// let screen = Screen()
  /// player.$account.observe(\.$balance, owner: screen) { screen, change in
  ///   screen.text = change.new.map { "\($0)" } ?? "no account"
  /// }
  /// player.account = Account()
  /// ```
  ///
  /// Replacing the object is one change, from the value in the old object to the value in the new one; if
  /// the two are equal, nothing is reported.
  ///
  /// The rules of plain observers apply. A handler that sets the inner property or replaces the object is
  /// called again after it returns. While the registration is paused, it follows replacements but reports
  /// nothing. A batch that changes both the object and the inner property reports once.
  ///
  /// - Parameters:
  ///   - path: The key path from the object to the view of its property, such as `\.$balance`.
  ///   - owner: The object whose lifetime limits the registration.
  ///   - initial: Whether the handler is also called with the current value, during the registration.
  ///   - prior: Whether the handler is called before each change as well, while the property has the old value.
  ///   - handler: Called with the owner and the change of the inner value.
  /// - Returns: A token that cancels the registration. Releasing the token does not.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func observe<Owner: AnyObject, Leaf>(
    _ path: KeyPath<Value, Observed<Leaf>.ReadOnly>,
    owner: Owner,
    initial: Bool = false,
    prior: Bool = false,
    _ handler: @escaping (Owner, Change<Leaf>) -> Void
  ) -> Token {
    readOnly.property.addObserver(owner, initial, prior, { $0[keyPath: path].property }) {
      // There is always an object.
      guard let old = $1.old, let new = $1.new else { return }
      handler($0, Change($1.kind, old: old, new: new))
    }
  }

  /// Calls a handler for every change of a property of the object that this optional property holds, and
  /// when the object is set, replaced or removed.
  ///
  /// Without an object the value is `nil`. Replacing the object is one change, from the value in the old
  /// object to the value in the new one; if the two are equal, nothing is reported.
  ///
  /// - Parameters:
  ///   - path: The key path from the object to the view of its property, such as `\.$balance`.
  ///   - owner: The object whose lifetime limits the registration.
  ///   - initial: Whether the handler is also called with the current value, during the registration.
  ///   - prior: Whether the handler is called before each change as well, while the property has the old value.
  ///   - handler: Called with the owner and the change of the inner value.
  /// - Returns: A token that cancels the registration. Releasing the token does not.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func observe<Owner: AnyObject, Wrapped, Leaf>(
    _ path: KeyPath<Wrapped, Observed<Leaf>.ReadOnly>,
    owner: Owner,
    initial: Bool = false,
    prior: Bool = false,
    _ handler: @escaping (Owner, Change<Leaf?>) -> Void
  ) -> Token where Value == Wrapped? {
    readOnly.property.addObserver(owner, initial, prior, { $0?[keyPath: path].property }, handler)
  }
}

extension Observed {
  fileprivate func addObserver<Owner: AnyObject, Leaf>(
    _ owner: Owner,
    _ initial: Bool,
    _ prior: Bool,
    _ find: @escaping (Value) -> Observed<Leaf>?,
    _ body: @escaping (Owner, Change<Leaf?>) -> Void
  ) -> Token {
    observersToJoin().register(owner: owner, initial: initial, value: storage) {
      PathObserver($0, .changes(prior: prior), of: self, owner: owner, find: find, body)
    }
  }
}

/// An observer of a property of the object that another property holds.
///
/// It is registered with the outer property and holds a registration with the inner one.
///
/// The handler receives one chain of changes from both properties. Its calls never nest: changes made
/// during a call are queued. A change in an object that has already been replaced is dropped, because the
/// report of the replacement follows with the newest value. While the registration is paused, the
/// observer follows the object without calling the handler.
///
/// The values in the handler's changes are `nil` while there is no object.
final class PathObserver<Owner: AnyObject, Root, Leaf>: PropertyObserver<Root> {
  private weak let owner: Owner?
  private weak let outer: Observed<Root>?
  /// Returns the inner property, if there is an object.
  private let find: (Root) -> Observed<Leaf>?
  private let body: (Owner, Change<Leaf?>) -> Void
  /// The observed inner property.
  private var property: Observed<Leaf>?
  private var token: Token?
  /// The newest value that was reported or queued.
  private var known: Leaf?
  private var isCalling = false
  /// The changes made while the handler was running.
  private var waiting = BoundedQueue<(change: Change<Leaf?>, chain: SettingChain)>()

  init(
    _ registration: PropertyRegistration,
    _ roles: PropertyFlags,
    of outer: Observed<Root>,
    owner: Owner,
    find: @escaping (Root) -> Observed<Leaf>?,
    _ body: @escaping (Owner, Change<Leaf?>) -> Void
  ) {
    self.owner = owner
    self.outer = outer
    (self.find, self.body) = (find, body)
    super.init(registration, roles, owner: owner)
  }

  // Not in `init`: the inner property may be the outer one, whose slots are in ascending order.
  override func wasAdded() { miss() }

  override var currentOwner: AnyObject? { owner }

  override func receive(_ change: Change<Root>) -> Bool {
    guard let owner else { return false }
    let found = find(change.new)
    let isReplaced = found !== property
    switch change.kind {
    case .initial:
      call(owner, Change(.initial, old: known, new: known))
    case .prior:
      let seen = found?.value
      if isChange(to: seen, in: found, isReplaced) {
        body(owner, Change(.prior, old: known, new: seen))
      }
    case .set:
      // What the registration releases may set the inner property, or end or pause this one.
      follow(found)
      let seen = found?.value
      if !registration.isOpen {
        known = seen
      } else if isChange(to: seen, in: found, isReplaced) {
        report(owner, seen)
      }
    }
    return true
  }

  /// Follows the current object without calling the handler, because the registration is new or paused.
  override func miss() {
    if registration.hasEnded { return follow(nil) }
    guard let root = outer?.cell.settled else { return }
    let found = find(root)
    // What the registration releases may replace the object: that change begins at this value.
    known = found?.value
    follow(found)
    known = property?.value
  }

  private func follow(_ found: Observed<Leaf>?) {
    guard found !== property else { return }
    property = found
    let inner = found?.observe(prior: roles.contains(.priors)) { [weak self] change in
      self?.receiveInner(change)
    }
    // What the registration released may have replaced the object.
    guard property === found else {
      inner?.cancel()
      return
    }
    let former = token
    token = inner
    former?.cancel()
  }

  private func receiveInner(_ change: Change<Leaf>) {
    guard let outer, let observers = outer.observers, !registration.hasEnded else {
      return follow(nil)
    }
    // Also published as a report of the outer property, for tasks that wait for the end of the
    // registration.
    observers.calling { receiveInner(change, from: outer) }
  }

  private func receiveInner(_ change: Change<Leaf>, from outer: Observed<Root>) {
    // If the object has already been replaced, that report follows or was left out on purpose.
    if let root = outer.cell.settled, find(root) !== property { return }
    guard registration.isOpen else {
      if change.kind == .set { known = change.new }
      return
    }
    guard let owner else {
      registration.end()
      return follow(nil)
    }
    if change.kind == .prior { return body(owner, Change(.prior, old: known, new: change.new)) }
    // A manual report with equal values is passed on.
    let isChange = differ(known, change.new, in: property)
    if isChange || !differ(change.old, change.new, in: property) { report(owner, change.new) }
  }

  private func report(_ owner: Owner, _ seen: Leaf?) {
    let change = Change(.set, old: known, new: seen)
    known = seen
    call(owner, change)
  }

  /// Calls the handler, or queues the change if the handler is running.
  private func call(_ owner: Owner, _ change: Change<Leaf?>) {
    guard !isCalling else { return _ = waiting.append((change, SettingChain.current.next)) }
    isCalling = true
    body(owner, change)
    deliverRounds(of: outer?.propertySite, { waiting.popFirst() }) { next in
      // Changes are dropped while the registration is paused.
      if registration.isOpen { next.chain.calling { body(owner, next.change) } }
    }
    isCalling = false
  }

  /// Returns whether a new outer value changes the value that the handler knows.
  private func isChange(to seen: Leaf?, in found: Observed<Leaf>?, _ isReplaced: Bool) -> Bool {
    switch (known, seen) {
    case (nil, nil): false
    case (let old?, let new?): isReplaced && differ(old, new, in: found)
    default: true
    }
  }

  /// Returns whether two values differ for an inner property; `true` if it cannot compare values.
  private func differ(_ old: Leaf?, _ new: Leaf, in property: Observed<Leaf>?) -> Bool {
    guard let old, let property else { return true }
    return !property.neededObservers().areEqual(old, new)
  }
}
