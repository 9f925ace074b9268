extension SignalCore {
  internal typealias Predicate = @Sendable (Payload) -> Bool

  /// Registers a handler that belongs to its token.
  internal func observe(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    _ handler: @escaping @isolated(any) @Sendable (Payload) throws -> Void
  ) -> Token {
    let actor = handler.isolation
    let call = WrittenHandler.bare(handler)
    if request.isPlain, predicate == nil, actor == nil, !isReplaying {
      let observer = plainObserver.init(fileID: request.fileID, line: request.line, handler: call)
      add(observer, priority: request.priority.rawValue)
      return Token(self, handle: observer.address)
    }
    let link = route(request, where: predicate, owner: nil, .none, on: actor) { payload in
      try call(payload)
      return .called
    }
    return Token(link, handle: 0)
  }

  /// Registers a handler that belongs to an object.
  internal func observe<Owner: AnyObject & Sendable>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: Owner,
    _ handler: @escaping @isolated(any) @Sendable (Owner, Payload) throws -> Void
  ) -> Token {
    let actor = handler.isolation
    let call = WrittenHandler.bare(handler)
    if request.isPlain, predicate == nil, actor == nil, !isReplaying {
      return observePlainly(request, owner: owner, call)
    }
    return observe(request, where: predicate, owner: owner, on: actor, call)
  }

  /// Registers a handler that belongs to an actor and runs on it.
  internal func observe<Owner: Actor>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    isolatedOwner owner: Owner,
    _ handler: @escaping @Sendable (isolated Owner, Payload) throws -> Void
  ) -> Token {
    let call = WrittenHandler.bare(onOwner: handler)
    return observe(request, where: predicate, owner: owner, on: owner, call)
  }

  private func observe<Owner: AnyObject & Sendable>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: Owner,
    on actor: (any Actor)?,
    _ call: @escaping @Sendable (Owner, Payload) throws -> Void
  ) -> Token {
    let facts = OwnerFacts(of: owner, on: actor)
    let link = route(request, where: predicate, owner: owner, facts, on: actor) {
      [weak owner] payload in
      guard let owner else { return .ownerLost }
      try call(owner, payload)
      return .called
    }
    return Token(link, handle: 0, isKept: true)
  }

  private func observePlainly<Owner: AnyObject & Sendable>(
    _ request: ObserveRequest,
    owner: Owner,
    _ call: @escaping @Sendable (Owner, Payload) throws -> Void
  ) -> Token {
    let link = ObserverLink(self)
    let observer = OwnerObserver(
      fileID: request.fileID,
      line: request.line,
      owner: owner,
      link: link,
      handler: call
    )
    enter(observer, request, link, owner: owner)
    return Token(link, handle: 0, isKept: true)
  }

  private func route(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: AnyObject?,
    _ facts: OwnerFacts,
    on actor: (any Actor)?,
    _ body: @escaping @Sendable (Payload) throws -> Reception
  ) -> ObserverLink {
    let link = ObserverLink(self)
    let observer = RoutedObserver<Payload>(
      fileID: request.fileID,
      line: request.line,
      conditions: .init(predicate: predicate, once: request.once),
      owner: facts,
      link: link,
      gate: newGate(),
      mailbox: actor.map { hub.mailbox(of: $0) },
      body: body
    )
    enter(observer, request, link, owner: owner)
    return link
  }

  /// Adds an observer to the list, or ends its registration when the list is closed, ties it to the
  /// lifetime of its owner and gives it what is replayed.
  internal func enter(
    _ observer: AnyObserver,
    _ request: ObserveRequest,
    _ link: ObserverLink,
    owner: AnyObject? = nil
  ) {
    link.connect(observer)
    let isAdded = add(observer, priority: request.priority.rawValue, for: request.sender)
    guard isAdded else { return link.disconnect() }
    if let carrier = owner as? any LifetimeOwner { link.join(carrier.lifetime.members) }
    if let observer = observer as? ConditionalObserver<Payload>, let gate = observer.gate {
      replay(to: observer, through: gate, from: request.sender)
    }
  }
}
