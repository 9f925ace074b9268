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
