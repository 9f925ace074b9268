extension SignalCore {
  internal typealias BufferingPolicy = AsyncStream<Payload>.Continuation.BufferingPolicy

  /// Registers an asynchronous handler that belongs to its token.
  internal func observe(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    buffering: BufferingPolicy,
    async handler: @escaping @isolated(any) @Sendable (Payload) async throws -> Void
  ) -> Token {
    let link = queue(request, where: predicate, owner: .none, buffering) { payload in
      try await handler(payload)
      return .called
    }
    return Token(link, handle: 0)
  }

  /// Registers an asynchronous handler that belongs to an object.
  internal func observe<Owner: AnyObject & Sendable>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: Owner,
    buffering: BufferingPolicy,
    async handler: @escaping @isolated(any) @Sendable (Owner, Payload) async throws -> Void
  ) -> Token {
    let link = queue(request, where: predicate, owner: OwnerFacts(of: owner), buffering) {
      [weak owner] payload in
      guard let owner else { return .ownerLost }
      try await handler(owner, payload)
      return .called
    }
    return keep(link, for: owner)
  }

  /// Registers an asynchronous handler that belongs to an actor and runs on it.
  internal func observe<Owner: Actor>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    isolatedOwner owner: Owner,
    buffering: BufferingPolicy,
    async handler: @escaping @Sendable (isolated Owner, Payload) async throws -> Void
  ) -> Token {
    let link = queue(request, where: predicate, owner: OwnerFacts(of: owner), buffering) {
      [weak owner] payload in
      guard let owner else { return .ownerLost }
      try await handler(owner, payload)
      return .called
    }
    return keep(link, for: owner)
  }

  private func queue(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: OwnerFacts,
    _ policy: BufferingPolicy,
    _ body: @escaping @Sendable (Payload) async throws -> Reception
  ) -> ObserverLink {
    let link = ObserverLink(self)
    let observer = AsyncObserver<Payload>(
      fileID: request.fileID,
      line: request.line,
      conditions: .init(predicate: predicate, once: request.once),
      owner: owner,
      link: link,
      gate: newGate(),
      limit: BufferLimit(policy, fileID: request.fileID, line: request.line),
      body: body
    )
    enter(observer, request, link, isBound: true)
    return link
  }
}
