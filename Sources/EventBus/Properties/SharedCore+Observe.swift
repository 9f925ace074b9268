extension SharedCore {
  /// Makes what a handler is given of a change.
  internal typealias View<Seen> = @Sendable (Change<Value>) -> Change<Seen>

  /// Registers a handler that belongs to its token.
  internal func observe<Seen>(
    _ request: Request,
    _ view: @escaping View<Seen>,
    _ handler: @escaping @isolated(any) @Sendable (Change<Seen>) -> Void
  ) -> Token {
    let actor = handler.isolation
    let call = WrittenHandler.bare(handler)
    let link = register(request, on: actor) { change in
      try? call(view(change))  // Reason: what was written cannot throw.
      return .called
    }
    return Token(link, handle: 0)
  }

  /// Registers a handler that belongs to an object.
  internal func observe<Owner: AnyObject & Sendable, Seen>(
    _ request: Request,
    owner: Owner,
    _ view: @escaping View<Seen>,
    _ handler: @escaping @isolated(any) @Sendable (Owner, Change<Seen>) -> Void
  ) -> Token {
    let actor = handler.isolation
    return observe(request, owner: owner, on: actor, view, WrittenHandler.bare(handler))
  }

  /// Registers a handler that belongs to an actor and runs on it.
  internal func observe<Owner: Actor, Seen>(
    _ request: Request,
    isolatedOwner owner: Owner,
    _ view: @escaping View<Seen>,
    _ handler: @escaping @Sendable (isolated Owner, Change<Seen>) -> Void
  ) -> Token {
    observe(request, owner: owner, on: owner, view, WrittenHandler.bare(onOwner: handler))
  }

  private func observe<Owner: AnyObject & Sendable, Seen>(
    _ request: Request,
    owner: Owner,
    on actor: (any Actor)?,
    _ view: @escaping View<Seen>,
    _ call: @escaping @Sendable (Owner, Change<Seen>) throws -> Void
  ) -> Token {
    let facts = OwnerFacts(of: owner, on: actor, id: request.id)
    let link = register(request, owner: owner, facts, on: actor) { [weak owner] change in
      guard let owner else { return .ownerLost }
      try? call(owner, view(change))  // Reason: as above.
      return .called
    }
    return Token(link, handle: 0, isKept: true)
  }
}
