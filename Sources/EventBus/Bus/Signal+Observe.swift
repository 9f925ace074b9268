extension ReadableSignal {
  /// Calls a handler for every occurrence of the signal while the token is kept.
  ///
  /// The handler runs, and the registration ends, as with `observe(_:)` of an ``EventBus/EventBus``.
  ///
  /// - Parameters:
  ///   - sender: The only sender whose events are delivered, compared by identity and held weakly; `nil` for
  ///     any sender.
  ///   - priority: The priority. Observers of equal priority are called in the order of registration.
  ///   - once: Whether the registration ends with its first call; it ends *before* the call.
  ///   - predicate: The filter, called on the posting thread with no lock held. Events for which it returns
  ///     `false` are not delivered.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call with the payload. It is released when the registration has ended.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
  public func observe(
    from sender: AnyObject? = nil,
    priority: Priority = .normal,
    once: Bool = false,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Payload) throws -> Void
  ) -> Token {
    let request = ObserveRequest(sender, priority.rawValue, once: once, at: CallSite(fileID, line))
    return readOnly.core.observe(request, where: predicate, handler)
  }

  /// Calls a handler for every occurrence of the signal while its owner is alive.
  ///
  /// The owner is held, and the registration is removed, as with `observe(_:owner:)` of an
  /// ``EventBus/EventBus``.
  ///
  /// - Parameters:
  ///   - owner: The object whose lifetime the registration shares.
  ///   - sender: The only sender whose events are delivered, compared by identity and held weakly; `nil` for
  ///     any sender.
  ///   - priority: The priority. Observers of equal priority are called in the order of registration.
  ///   - once: Whether the registration ends with its first call; it ends *before* the call.
  ///   - predicate: The filter, called on the posting thread with no lock held. Events for which it returns
  ///     `false` are not delivered.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call with the owner and the payload.
  /// - Returns: The token, which may be dropped without ending the registration. Cancelling it ends the
  ///   registration early.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    owner: Owner,
    from sender: AnyObject? = nil,
    priority: Priority = .normal,
    once: Bool = false,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Owner, Payload) throws -> Void
  ) -> Token {
    let request = ObserveRequest(sender, priority.rawValue, once: once, at: CallSite(fileID, line))
    return readOnly.core.observe(request, where: predicate, owner: owner, handler)
  }

  /// Calls a handler on an actor for every occurrence of the signal while the actor is alive.
  ///
  /// The handler is isolated to the actor that it receives and need not capture it.
  ///
  /// - Parameters:
  ///   - owner: The actor, held weakly.
  ///   - sender: The only sender whose events are delivered, compared by identity and held weakly; `nil` for
  ///     any sender.
  ///   - priority: The priority. Observers of equal priority are called in the order of registration.
  ///   - once: Whether the registration ends with its first call; it ends *before* the call.
  ///   - predicate: The filter, called on the posting thread with no lock held. Events for which it returns
  ///     `false` are not delivered.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call on the actor, with the actor and the payload.
  /// - Returns: The token, which may be dropped without ending the registration. Cancelling it ends the
  ///   registration early.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
  @discardableResult
  public func observe<Owner: Actor>(
    owner: Owner,
    from sender: AnyObject? = nil,
    priority: Priority = .normal,
    once: Bool = false,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (isolated Owner, Payload) throws -> Void
  ) -> Token {
    let request = ObserveRequest(sender, priority.rawValue, once: once, at: CallSite(fileID, line))
    return readOnly.core.observe(request, where: predicate, actor: owner, handler)
  }

  /// Calls an asynchronous handler for every occurrence of the signal while the token is kept.
  ///
  /// The handler runs, and events wait for it, as with `observe(_:)` of an ``EventBus/EventBus``.
  ///
  /// - Parameters:
  ///   - sender: The only sender whose events are delivered, compared by identity and held weakly; `nil` for
  ///     any sender.
  ///   - priority: The priority. Observers of equal priority are called in the order of registration.
  ///   - once: Whether the registration ends with its first call; it ends *before* the call.
  ///   - predicate: The filter, called on the posting thread with no lock held. Events for which it returns
  ///     `false` are not delivered.
  ///   - buffering: The events to keep while the handler is busy. Discarded events are counted.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call, in a task, with the payload. It is released when the registration
  ///     has ended.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
  public func observe(
    from sender: AnyObject? = nil,
    priority: Priority = .normal,
    once: Bool = false,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    buffering: AsyncStream<Payload>.Continuation.BufferingPolicy = .unbounded,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Payload) async throws -> Void
  ) -> Token {
    let request = ObserveRequest(sender, priority.rawValue, once: once, at: CallSite(fileID, line))
    return readOnly.core.observe(request, where: predicate, buffering, async: handler)
  }

  /// Calls an asynchronous handler for every occurrence of the signal while its owner is alive.
  ///
  /// The owner is loaded when a call begins and retained until the call has ended.
  ///
  /// - Parameters:
  ///   - owner: The object whose lifetime the registration shares.
  ///   - sender: The only sender whose events are delivered, compared by identity and held weakly; `nil` for
  ///     any sender.
  ///   - priority: The priority. Observers of equal priority are called in the order of registration.
  ///   - once: Whether the registration ends with its first call; it ends *before* the call.
  ///   - predicate: The filter, called on the posting thread with no lock held. Events for which it returns
  ///     `false` are not delivered.
  ///   - buffering: The events to keep while the handler is busy. Discarded events are counted.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call, in a task, with the owner and the payload.
  /// - Returns: The token, which may be dropped without ending the registration. Cancelling it ends the
  ///   registration early.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    owner: Owner,
    from sender: AnyObject? = nil,
    priority: Priority = .normal,
    once: Bool = false,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    buffering: AsyncStream<Payload>.Continuation.BufferingPolicy = .unbounded,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Owner, Payload) async throws -> Void
  ) -> Token {
    let request = ObserveRequest(sender, priority.rawValue, once: once, at: CallSite(fileID, line))
    return readOnly.core.observe(request, where: predicate, owner: owner, buffering, async: handler)
  }

  /// Calls an asynchronous handler on an actor for every occurrence of the signal while the actor is alive.
  ///
  /// The handler is isolated to the actor that it receives and need not capture it.
  ///
  /// - Parameters:
  ///   - owner: The actor, held weakly.
  ///   - sender: The only sender whose events are delivered, compared by identity and held weakly; `nil` for
  ///     any sender.
  ///   - priority: The priority. Observers of equal priority are called in the order of registration.
  ///   - once: Whether the registration ends with its first call; it ends *before* the call.
  ///   - predicate: The filter, called on the posting thread with no lock held. Events for which it returns
  ///     `false` are not delivered.
  ///   - buffering: The events to keep while the handler is busy. Discarded events are counted.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call, in a task on the actor, with the actor and the payload.
  /// - Returns: The token, which may be dropped without ending the registration. Cancelling it ends the
  ///   registration early.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
  @discardableResult
  public func observe<Owner: Actor>(
    owner: Owner,
    from sender: AnyObject? = nil,
    priority: Priority = .normal,
    once: Bool = false,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    buffering: AsyncStream<Payload>.Continuation.BufferingPolicy = .unbounded,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (isolated Owner, Payload) async throws -> Void
  ) -> Token {
    let request = ObserveRequest(sender, priority.rawValue, once: once, at: CallSite(fileID, line))
    return readOnly.core.observe(request, where: predicate, actor: owner, buffering, async: handler)
  }
}
