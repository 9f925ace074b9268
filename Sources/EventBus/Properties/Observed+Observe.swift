extension Observed {
  /// Calls a handler for every change, for as long as its owner lives.
  ///
  /// The owner is held weakly and passed to the handler. If it is a ``LifetimeOwner``, the registration
  /// ends the moment its lifetime does; otherwise it ends with the next change that meets it dead, or by
  /// a later registration: after any registration at most max(8, 2 × living) places are taken.
  ///
  /// Registering twice makes two registrations, unless they have the same `id`.
  ///
  /// - Parameters:
  ///   - owner: The object whose life the registration shares. It may be the one that has the property.
  ///   - id: A name for the registration: another one of the same owner with the same name replaces it.
  ///   - options: What is wanted besides the changes.
  ///   - body: Called with the owner and the change. A handler that is added during a change is not
  ///     called for it.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func observe<O: AnyObject>(
    owner: O,
    id: AnyHashable? = nil,
    options: ObserveOptions = [],
    _ body: @escaping (O, Change<Value>) -> Void
  ) -> Token {
    let (observers, value) = (neededObservers(), storage)
    return observers.register(
      owner: owner,
      id: id,
      options,
      value: value,
      isBehind: observers.enlisted != nil,
      body
    )
  }

  /// Calls a handler for every change, for as long as the token is kept.
  ///
  /// - Parameters:
  ///   - options: What is wanted besides the changes.
  ///   - body: Called with the change. A handler that is added during a change is not called for it.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1).
  public func observe(
    options: ObserveOptions = [],
    _ body: @escaping (Change<Value>) -> Void
  ) -> Token {
    let (observers, value) = (neededObservers(), storage)
    return observers.register(options, value: value, isBehind: observers.enlisted != nil, body)
  }

  /// Asks a closure before a value is stored; it may replace the value or decline it.
  ///
  /// Validators are asked in the order of their registration, each with what the one before left, and
  /// before anything else happens. A declined value is not stored and nobody is told. With a validator,
  /// changing the value in place copies it.
  ///
  /// - Parameter validate: Given the present value and the one to be stored, answers whether to store it.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1).
  public func willSet(
    _ validate: @escaping (_ old: Value, _ proposed: inout Value) -> Bool
  ) -> Token {
    let observers = neededObservers()
    let validator = PropertyValidator(observers.newMark(), validate)
    observers.add(validator)
    return Token(validator.mark, handle: 0)
  }

  /// Ends every registration of an owner.
  ///
  /// - Parameter owner: The owner, as it was passed at the registrations.
  /// - Complexity: O(*n*) in the number of registrations.
  public func unobserve<O: AnyObject>(owner: O) { observers?.end(of: owner) }
}

extension Observed {
  /// Keeps a property of an object at the value of this one: now, and after every change.
  ///
  /// ```swift
  /// account.$owner.bind(to: screen, \.text)
  /// ```
  ///
  /// - Parameters:
  ///   - owner: The object, held weakly; the binding ends with it.
  ///   - keyPath: Its property.
  /// - Returns: The token, which may be dropped: the binding stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func bind<O: AnyObject>(
    to owner: O,
    _ keyPath: ReferenceWritableKeyPath<O, Value>
  ) -> Token {
    observe(owner: owner, options: .initial) { owner, change in
      owner[keyPath: keyPath] = change.new
    }
  }
}
