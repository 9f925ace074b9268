extension WeakObserved {
  private typealias Request = SharedCore<WeakReferent<Referent>>.Request

  /// Calls a handler for every change, for as long as the token is kept.
  ///
  /// - Parameters:
  ///   - options: What is wanted besides the changes, as with ``SharedObserved``.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called with each change, where it was written.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1).
  public func observe(
    options: ObserveOptions = [],
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Change<Referent?>) -> Void
  ) -> Token {
    let request = Request(options: options, fileID: fileID, line: line)
    return core.observe(request, { $0.map(\.object) }, handler)
  }

  /// Calls a handler for every change, for as long as its owner lives.
  ///
  /// The owner is held weakly and passed to the handler. A ``LifetimeOwner`` ends the registration the
  /// moment its lifetime ends; those of other owners are swept.
  ///
  /// - Parameters:
  ///   - owner: The object whose life the registration shares.
  ///   - id: A name: another registration of this owner with an equal one replaces this one.
  ///   - options: What is wanted besides the changes.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called with the owner and each change, where it was written.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers with an `id`.
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    owner: Owner,
    id: (any Hashable & Sendable)? = nil,
    options: ObserveOptions = [],
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Owner, Change<Referent?>) -> Void
  ) -> Token {
    let request = Request(
      options: options,
      fileID: fileID,
      line: line,
      id: id
    )
    return core.observe(request, owner: owner, { $0.map(\.object) }, handler)
  }

  /// Calls a handler on an actor for every change, for as long as the actor lives.
  ///
  /// - Parameters:
  ///   - owner: The actor, held weakly.
  ///   - id: A name: another registration of this owner with an equal one replaces this one.
  ///   - options: What is wanted besides the changes.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called on the actor with each change.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers with an `id`.
  @discardableResult
  public func observe<Owner: Actor>(
    owner: Owner,
    id: (any Hashable & Sendable)? = nil,
    options: ObserveOptions = [],
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (isolated Owner, Change<Referent?>) -> Void
  ) -> Token {
    let request = Request(
      options: options,
      fileID: fileID,
      line: line,
      id: id
    )
    return core.observe(request, isolatedOwner: owner, { $0.map(\.object) }, handler)
  }
}
