extension EventBus {
  /// Calls a handler for every occurrence of an event while the token is kept.
  ///
  /// The handler runs in the isolation of the closure. A nonisolated handler is called on the posting
  /// thread before the post returns. A handler on an actor runs on that actor: immediately when the post is
  /// made there, otherwise later, in the order of the posts. A post does not call observers that are added
  /// while it runs. An error thrown by a handler does not keep the other handlers from being called.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
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
  public func observe<Payload>(
    _ name: EventName<Payload>,
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
    return withCore(of: name) { $0.observe(request, where: predicate, handler) }
  }

  /// Calls a handler for every occurrence of an event while its owner is alive.
  ///
  /// The owner is held weakly and passed to the handler, with a strong reference for the duration of the
  /// call; the handler is never called with a dead owner. If the owner is a ``LifetimeOwner``, the
  /// registration is removed when its lifetime ends. Otherwise it is removed by the next post that reaches
  /// it, or by a later registration: after any registration, at most max(8, 2 × live) slots are in use. Up
  /// to 24 slots, this bound is certain. Beyond that, a registration inspects a sample and may occasionally
  /// leave the sweep to the next one. The owner of a handler on an actor is inspected on that actor only:
  /// there the bound holds after the actor's next turn. The owner of any other handler is retained briefly
  /// by threads that post, register or take a snapshot, and its `deinit` may run there. A registration for a
  /// sender that has been deallocated is removed by later registrations in the same way.
  ///
  /// An owner that is not `Sendable` belongs to one isolation; store the token in it instead and capture it
  /// weakly in the handler. The same owner may register more than once; the registrations are independent.
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
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call with the owner and the payload.
  /// - Returns: The token, which may be dropped without ending the registration. Cancelling it ends the
  ///   registration early.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
  @discardableResult
  public func observe<Owner: AnyObject & Sendable, Payload>(
    _ name: EventName<Payload>,
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
    return withCore(of: name) { $0.observe(request, where: predicate, owner: owner, handler) }
  }

  /// Calls a handler on an actor for every occurrence of an event while the actor is alive.
  ///
  /// Use this form in an actor that observes an event itself: the handler is isolated to the actor that it
  /// receives and need not capture it, so that the registration does not keep the actor alive.
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
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call on the actor, with the actor and the payload.
  /// - Returns: The token, which may be dropped without ending the registration. Cancelling it ends the
  ///   registration early.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
  @discardableResult
  public func observe<Owner: Actor, Payload>(
    _ name: EventName<Payload>,
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
    return withCore(of: name) {
      $0.observe(request, where: predicate, actor: owner, handler)
    }
  }

  /// Calls an asynchronous handler for every occurrence of an event while the token is kept.
  ///
  /// The handler runs in a task, in the isolation of the closure. It handles one event at a time, in the
  /// order of the posts; further events wait. Cancelling the token drops the events that wait. A call that
  /// has begun continues, and its task is not cancelled; the handler is released when that call has ended.
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
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
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
    let request = ObserveRequest(sender, priority.rawValue, once: once, at: CallSite(fileID, line))
    return withCore(of: name) {
      $0.observe(request, where: predicate, buffering, async: handler)
    }
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
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
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
    let request = ObserveRequest(sender, priority.rawValue, once: once, at: CallSite(fileID, line))
    return withCore(of: name) {
      $0.observe(request, where: predicate, owner: owner, buffering, async: handler)
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
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
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
    let request = ObserveRequest(sender, priority.rawValue, once: once, at: CallSite(fileID, line))
    return withCore(of: name) {
      $0.observe(request, where: predicate, actor: owner, buffering, async: handler)
    }
  }
}

extension EventBus {
  /// Calls a handler at the next occurrence of an event, with the payload and the caller's actor.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call once, on the posting thread, before the post returns, with the payload
  ///     and the actor that the caller runs on, where the compiler knows it. The registration has ended by
  ///     then.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
  package func observePoster<Payload>(
    of name: EventName<Payload>,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (Payload, (any Actor)?) -> Void
  ) -> Token {
    let request = ObserveRequest(once: true, at: CallSite(fileID, line))
    return core(of: name).observePoster(request, handler)
  }

  /// Returns the number of nested deliveries, on an actor, of events that were posted elsewhere.
  ///
  /// Call it on that actor. A post on the actor first delivers the events that wait for it. A call that
  /// begins while the number is higher than at an earlier point of the call stack was therefore not caused
  /// by the code that runs at that point.
  ///
  /// - Complexity: O(1).
  package func openings(on actor: any Actor) -> Int {
    busState.mailboxes.member(of: actor)?.openings ?? 0
  }
}

extension EventBus {
  /// Calls a handler for every event of the bus, in the same order as the observers of its name.
  ///
  /// Such observers do not count as having handled an event: a post that reaches only them returns zero and
  /// is reported to ``EventHooks/onUnhandled``.
  ///
  /// - Parameters:
  ///   - priority: The priority. Observers of equal priority are called in the order of registration, across
  ///     all names.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call with the event, in the closure's isolation.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1); O(*n*) in the number of such observers if some have a lower priority. While
  ///   there are any, every post of this bus takes longer.
  public func observeAll(
    priority: Priority = .normal,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (AnyEvent) -> Void
  ) -> Token {
    let request = ObserveRequest(nil, priority.rawValue, at: CallSite(fileID, line))
    return wildcards.observe(request, handler)
  }

  /// Calls a handler for every event of the bus while its owner is alive.
  ///
  /// - Parameters:
  ///   - owner: The object whose lifetime the registration shares, held weakly.
  ///   - priority: The priority, as for the form without an owner.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call with the owner and the event, in the closure's isolation.
  /// - Returns: The token, which may be dropped without ending the registration.
  /// - Complexity: Amortized O(1); O(*n*) in the number of such observers if some have a lower priority. While
  ///   there are any, every post of this bus takes longer.
  @discardableResult
  public func observeAll<Owner: AnyObject & Sendable>(
    owner: Owner,
    priority: Priority = .normal,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Owner, AnyEvent) -> Void
  ) -> Token {
    let request = ObserveRequest(nil, priority.rawValue, at: CallSite(fileID, line))
    return wildcards.observe(request, where: nil, owner: owner, handler)
  }

  /// Calls a handler on an actor for every event of the bus while the actor is alive.
  ///
  /// Use this form in an actor that observes events itself: the handler is isolated to the actor that it
  /// receives and need not capture it, so that the registration does not keep the actor alive.
  ///
  /// - Parameters:
  ///   - owner: The actor, held weakly.
  ///   - priority: The priority, as for the form without an owner.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call on the actor, with the actor and the event.
  /// - Returns: The token, which may be dropped without ending the registration.
  /// - Complexity: Amortized O(1); O(*n*) in the number of such observers if some have a lower priority. While
  ///   there are any, every post of this bus takes longer.
  @discardableResult
  public func observeAll<Owner: Actor>(
    owner: Owner,
    priority: Priority = .normal,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (isolated Owner, AnyEvent) -> Void
  ) -> Token {
    let request = ObserveRequest(nil, priority.rawValue, at: CallSite(fileID, line))
    return wildcards.observe(request, where: nil, actor: owner, handler)
  }
}
