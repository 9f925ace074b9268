extension EventBus {
  /// Calls a handler for every occurrence of an event, for as long as the token is kept.
  ///
  /// The handler runs where it was written. Written in nonisolated code, it is called on the posting
  /// thread before the post returns. Written on an actor, it runs on that actor: at once when the post
  /// was made there, otherwise later, in the order of the posts. A handler that is added during a post
  /// is not called by it. A handler may throw; the others are called all the same.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - sender: The only sender to listen to, matched by identity and held weakly; `nil` for any.
  ///   - priority: Higher is told first; among equals the order of registration holds.
  ///   - once: Whether the registration ends with its first call; it ends *before* the call.
  ///   - predicate: Asked on the posting thread, under no lock; events it declines are not delivered.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called with the payload. Released when the registration has ended.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1).
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
    let request = ObserveRequest(
      sender: sender,
      priority: priority,
      once: once,
      fileID: fileID,
      line: line
    )
    return core(of: name).observe(request, where: predicate, handler)
  }

  /// Calls a handler for every occurrence of an event, for as long as its owner lives.
  ///
  /// The owner is held weakly and passed to the handler, strong for the duration of the call; the handler
  /// is never entered with a dead owner. If the owner is a ``LifetimeOwner``, the registration is removed
  /// the moment its lifetime ends. Otherwise it is removed by the next post that meets it, or by a later
  /// registration: after any registration at most max(8, 2 × living) places are taken. Up to 24 places
  /// that is certain; beyond, a registration looks at a sample and may now and then leave the sweeping to
  /// the next one. The owner of a handler on an actor is looked at on that actor only: there the bound
  /// holds after the actor's next turn. The owner of another handler is held for a moment by the threads
  /// that post, register or take a snapshot, and its `deinit` may run there.
  ///
  /// An owner that is not `Sendable` belongs to one isolation; keep the token in it instead and capture
  /// it weakly in the handler. The same owner may register twice; the registrations are independent.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - owner: The object whose life the registration shares.
  ///   - sender: The only sender to listen to, matched by identity and held weakly; `nil` for any.
  ///   - priority: Higher is told first; among equals the order of registration holds.
  ///   - once: Whether the registration ends with its first call; it ends *before* the call.
  ///   - predicate: Asked on the posting thread, under no lock; events it declines are not delivered.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called with the owner and the payload, where it was written.
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
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Owner, Payload) throws -> Void
  ) -> Token {
    let request = ObserveRequest(
      sender: sender,
      priority: priority,
      once: once,
      fileID: fileID,
      line: line
    )
    return core(of: name).observe(request, where: predicate, owner: owner, handler)
  }

  /// Calls a handler on an actor for every occurrence of an event, for as long as the actor lives.
  ///
  /// The form for an actor that observes for itself: the handler is isolated to the actor it is given
  /// and need not capture it, so that the registration does not keep it alive.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - owner: The actor, held weakly.
  ///   - sender: The only sender to listen to, matched by identity and held weakly; `nil` for any.
  ///   - priority: Higher is told first; among equals the order of registration holds.
  ///   - once: Whether the registration ends with its first call; it ends *before* the call.
  ///   - predicate: Asked on the posting thread, under no lock; events it declines are not delivered.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called on the actor, with the actor and the payload.
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
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (isolated Owner, Payload) throws -> Void
  ) -> Token {
    let request = ObserveRequest(
      sender: sender,
      priority: priority,
      once: once,
      fileID: fileID,
      line: line
    )
    return core(of: name).observe(request, where: predicate, isolatedOwner: owner, handler)
  }
}

extension EventBus {
  /// Calls a handler at the next occurrence of an event, where the poster is, and tells it where that is.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called once, on the posting thread, before the post returns, with the payload and the
  ///     actor that the poster runs on, where the compiler knew it. The registration has ended by then.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1).
  package func observePoster<Payload>(
    of name: EventName<Payload>,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (Payload, (any Actor)?) -> Void
  ) -> Token {
    let core = core(of: name)
    let link = ObserverLink(core)
    let observer = PosterObserver(fileID: fileID, line: line, link: link, handler: handler)
    link.connect(observer)
    if !core.add(observer, priority: Priority.normal.rawValue) { link.disconnect() }
    return Token(link, handle: 0)
  }
}

extension EventBus {
  /// How many times, one inside the other, what was posted for an actor from elsewhere is being
  /// delivered; asked on that actor.
  ///
  /// A call that begins while the number is higher than at some earlier point of the call stack was
  /// not led to by what runs there: a post on the actor delivers first what waits for it.
  ///
  /// - Complexity: O(1).
  package func openings(on actor: any Actor) -> Int { hub.openings(on: actor) }
}
