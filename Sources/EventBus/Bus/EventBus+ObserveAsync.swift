extension EventBus {
  /// Calls an asynchronous handler for every occurrence of an event, for as long as the token is kept.
  ///
  /// The handler runs in a task, where it was written. It handles one event at a time, in the order of the
  /// posts; what comes meanwhile waits. Cancelling the token drops what has not begun; a call that has
  /// begun goes on, and its task is not cancelled.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - sender: The only sender to listen to, matched by identity and held weakly; `nil` for any.
  ///   - priority: Higher is told first; among equals the order of registration holds.
  ///   - once: Whether the registration ends with its first call; it ends *before* the call.
  ///   - predicate: Asked on the posting thread, under no lock; events it declines are not delivered.
  ///   - buffering: What to keep while the handler is busy; what it discards is counted.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called in a task with the payload. Released when the registration has ended.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1).
  public func observe<Payload>(
    _ name: EventName<Payload>,
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
    let request = ObserveRequest(
      sender: sender,
      priority: priority,
      once: once,
      fileID: fileID,
      line: line
    )
    return core(of: name).observe(request, where: predicate, buffering: buffering, async: handler)
  }

  /// Calls an asynchronous handler for every occurrence of an event, for as long as its owner lives.
  ///
  /// As with the synchronous form the owner is held weakly; it is loaded when a call begins and held
  /// until the call has ended.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - owner: The object whose life the registration shares.
  ///   - sender: The only sender to listen to, matched by identity and held weakly; `nil` for any.
  ///   - priority: Higher is told first; among equals the order of registration holds.
  ///   - once: Whether the registration ends with its first call; it ends *before* the call.
  ///   - predicate: Asked on the posting thread, under no lock; events it declines are not delivered.
  ///   - buffering: What to keep while the handler is busy; what it discards is counted.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called in a task with the owner and the payload, where it was written.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func observe<Owner: AnyObject & Sendable, Payload>(
    _ name: EventName<Payload>,
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
    let request = ObserveRequest(
      sender: sender,
      priority: priority,
      once: once,
      fileID: fileID,
      line: line
    )
    return core(of: name).observe(
      request,
      where: predicate,
      owner: owner,
      buffering: buffering,
      async: handler
    )
  }

  /// Calls an asynchronous handler on an actor for every occurrence of an event, while the actor lives.
  ///
  /// The handler is isolated to the actor it is given and need not capture it.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - owner: The actor, held weakly.
  ///   - sender: The only sender to listen to, matched by identity and held weakly; `nil` for any.
  ///   - priority: Higher is told first; among equals the order of registration holds.
  ///   - once: Whether the registration ends with its first call; it ends *before* the call.
  ///   - predicate: Asked on the posting thread, under no lock; events it declines are not delivered.
  ///   - buffering: What to keep while the handler is busy; what it discards is counted.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called in a task on the actor, with the actor and the payload.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func observe<Owner: Actor, Payload>(
    _ name: EventName<Payload>,
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
    let request = ObserveRequest(
      sender: sender,
      priority: priority,
      once: once,
      fileID: fileID,
      line: line
    )
    return core(of: name).observe(
      request,
      where: predicate,
      isolatedOwner: owner,
      buffering: buffering,
      async: handler
    )
  }
}
