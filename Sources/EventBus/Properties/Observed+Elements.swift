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
