extension SignalCore {
  typealias BufferingPolicy = AsyncStream<Payload>.Continuation.BufferingPolicy

  /// Registers an asynchronous handler that belongs to its token.
  func observe(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    buffering: BufferingPolicy,
    async handler: @escaping @isolated(any) @Sendable (Payload) async throws -> Void
  ) -> Token {
    let actor = handler.isolation
    let link = queue(request, where: predicate, owner: nil, .none, on: actor, buffering) {
      payload in
      try await handler(payload)
      return .called
    }
    return Token(link, handle: 0)
  }

  /// Registers an asynchronous handler that belongs to an object.
  func observe<Owner: AnyObject & Sendable>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: Owner,
    buffering: BufferingPolicy,
    async handler: @escaping @isolated(any) @Sendable (Owner, Payload) async throws -> Void
  ) -> Token {
    let actor = handler.isolation
    let facts = OwnerFacts(of: owner, on: actor)
    let link = queue(request, where: predicate, owner: owner, facts, on: actor, buffering) {
      [weak owner] payload in
      // Loaded where the handler runs, so that the last reference is not dropped elsewhere.
      try await Self.call(handler, on: handler.isolation, payload) { owner }
    }
    return Token(link, handle: 0, isKept: true)
  }

  /// Registers an asynchronous handler that belongs to an actor and runs on it.
  func observe<Owner: Actor>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    isolatedOwner owner: Owner,
    buffering: BufferingPolicy,
    async handler: @escaping @Sendable (isolated Owner, Payload) async throws -> Void
  ) -> Token {
    let facts = OwnerFacts(of: owner, on: owner)
    let link = queue(request, where: predicate, owner: owner, facts, on: owner, buffering) {
      [weak owner] payload in
      try await Self.call(on: owner, payload, handler)
    }
    return Token(link, handle: 0, isKept: true)
  }

  private func queue(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: AnyObject?,
    _ facts: OwnerFacts,
    on actor: (any Actor)?,
    _ policy: BufferingPolicy,
    _ body: @escaping @Sendable (Payload) async throws -> Reception
  ) -> ObserverLink {
    let link = ObserverLink(self)
    let observer = AsyncObserver<Payload>(
      fileID: request.fileID,
      line: request.line,
      conditions: .init(predicate: predicate, once: request.once),
      owner: facts,
      link: link,
      gate: newGate(),
      limit: BufferLimit(policy, fileID: request.fileID, line: request.line),
      mailbox: actor.map { hub.mailbox(of: $0) },
      body: body
    )
    enter(observer, request, link, owner: owner)
    return link
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

  private static func call<Owner: Actor>(
    on owner: Owner?,
    _ payload: Payload,
    _ handler: @Sendable (isolated Owner, Payload) async throws -> Void
  ) async throws -> Reception {
    guard let owner else { return .ownerLost }
    try await handler(owner, payload)
    return .called
  }
}
