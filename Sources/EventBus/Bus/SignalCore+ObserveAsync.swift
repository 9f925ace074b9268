extension SignalCore {
  /// Registers an asynchronous handler that belongs to its token.
  func observe(
    _ request: Request,
    async handler: @escaping @isolated(any) @Sendable (Payload) async throws -> Void
  ) -> Token {
    let actor = handler.isolation
    return queue(request, owner: nil, on: actor) { payload in
      try await handler(payload)
      return .called
    }
  }

  /// Registers an asynchronous handler that belongs to an object.
  func observe<Owner: AnyObject & Sendable>(
    _ request: Request,
    owner: Owner,
    async handler: @escaping @isolated(any) @Sendable (Owner, Payload) async throws -> Void
  ) -> Token {
    let actor = handler.isolation
    return queue(request, owner: owner, on: actor) { [weak owner] payload in
      // Loaded where the handler runs, so that the last reference is not dropped elsewhere.
      try await Self.call(handler, on: handler.isolation, payload) { owner }
    }
  }

  /// Registers an asynchronous handler that belongs to an actor and runs on it.
  func observe<Owner: Actor>(
    _ request: Request,
    isolatedOwner owner: Owner,
    async handler: @escaping @Sendable (isolated Owner, Payload) async throws -> Void
  ) -> Token {
    queue(request, owner: owner, on: owner) { [weak owner] payload in
      guard let owner else { return .ownerLost }
      try await handler(owner, payload)
      return .called
    }
  }

  private func queue(
    _ request: Request,
    owner: (any AnyObject & Sendable)?,
    on actor: (any Actor)?,
    _ body: @escaping @Sendable (Payload) async throws -> Reception
  ) -> Token {
    enter(request, owner: owner) { link in
      AsyncObserver<Payload>(
        fileID: request.fileID,
        line: request.line,
        conditions: request.conditions,
        owner: owner.map { OwnerFacts(of: $0, on: actor) } ?? .none,
        link: link,
        gate: newGate(),
        limit: request.limit,
        mailbox: actor.map { hub.mailbox(of: $0) },
        body: body
      )
    }
  }

  private static func call<Owner: AnyObject & Sendable>(
    _ handler: @isolated(any) @Sendable (Owner, Payload) async throws -> Void,
    on isolation: isolated (any Actor)?,
    _ payload: Payload,
    _ load: @Sendable () -> Owner?
  ) async throws -> Reception {
    guard let owner = load() else { return .ownerLost }
    try await handler(owner, payload)
    return .called
  }
}
