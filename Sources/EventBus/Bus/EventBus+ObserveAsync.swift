extension EventBus {
  /// Calls an asynchronous handler for every occurrence of an event while the token is kept.
  ///
  /// The handler runs in a task, in the isolation of the closure. It handles one event at a time, in the
  /// order of the posts; further events wait. Cancelling the token drops the events that wait. A call that
  /// has begun continues, and its task is not cancelled.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
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
    let limit = BufferLimit(buffering, fileID: fileID, line: line, report: hub.message)
    let request = ObserveRequest(sender, priority, once, limit: limit, at: fileID, line)
    return withCore(of: name) { $0.observe(request, where: predicate, async: handler) }
  }

  /// Calls an asynchronous handler for every occurrence of an event while its owner is alive.
  ///
  /// As with a synchronous handler, the owner is held weakly. It is loaded when a call begins and retained
  /// until the call has ended.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
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
    let limit = BufferLimit(buffering, fileID: fileID, line: line, report: hub.message)
    let request = ObserveRequest(sender, priority, once, limit: limit, at: fileID, line)
    return withCore(of: name) {
      $0.observe(request, where: predicate, owner: owner, async: handler)
    }
  }

  /// Calls an asynchronous handler on an actor for every occurrence of an event while the actor is alive.
  ///
  /// The handler is isolated to the actor that it receives and need not capture it.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
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
    let limit = BufferLimit(buffering, fileID: fileID, line: line, report: hub.message)
    let request = ObserveRequest(sender, priority, once, limit: limit, at: fileID, line)
    return withCore(of: name) {
      $0.observe(request, where: predicate, isolatedOwner: owner, async: handler)
    }
  }
}
