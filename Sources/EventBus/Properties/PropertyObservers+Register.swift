extension PropertyObservers {
  /// Registers a handler that belongs to an object.
  ///
  /// - Parameters:
  ///   - owner: The object.
  ///   - id: What the owner calls the registration.
  ///   - options: What is wanted besides the changes.
  ///   - value: The value there is.
  ///   - isBehind: Whether the others are yet to be told of it.
  ///   - body: The handler.
  /// - Returns: The token.
  internal func register<O: AnyObject>(
    owner: O,
    id: AnyHashable?,
    _ options: ObserveOptions,
    value: Value,
    isBehind: Bool,
    _ body: @escaping (O, Change<Value>) -> Void
  ) -> Token {
    let observer = OwnedPropertyObserver(
      newMark(),
      options.roles(of: Value.self),
      owner: owner,
      tells: owner is any LifetimeOwner,
      body
    )
    let key = id.map { PropertyObserverKey(owner: ObjectIdentifier(owner), id: $0) }
    return enter(observer, owner: owner, key: key, options, value: value, isBehind: isBehind)
  }

  /// Registers a handler that lasts as long as its token.
  internal func register(
    _ options: ObserveOptions,
    value: Value,
    isBehind: Bool,
    _ body: @escaping (Change<Value>) -> Void
  ) -> Token {
    let observer = PlainPropertyObserver(newMark(), options.roles(of: Value.self), body)
    return enter(observer, options, value: value, isBehind: isBehind)
  }

  /// Adds a registration and tells it the present value if it wants it.
  internal func enter(
    _ observer: PropertyObserver<Value>,
    owner: AnyObject? = nil,
    key: PropertyObserverKey? = nil,
    _ options: ObserveOptions,
    value: Value,
    isBehind: Bool
  ) -> Token {
    let token = Token(observer.mark, handle: 0, isKept: owner != nil)
    let isAdded = add(observer, owner: owner, key: key, knowing: isBehind ? value : nil)
    if isAdded, options.contains(.initial) { tellInitial(observer, value) }
    return token
  }
}

extension ObserveOptions {
  /// What a registration with these options is called for.
  internal func roles<Value>(of: Value.Type) -> PropertyObserver<Value>.Roles {
    contains(.prior) ? [.changes, .priors] : .changes
  }
}
