/// What an `observe` call asks for, besides its handler.
internal struct ObserveRequest {
  internal let priority: Priority
  internal let once: Bool
  internal let fileID: StaticString
  internal let line: UInt
}

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
    if !request.once, predicate == nil, actor == nil {
      let observer = plainObserver.init(fileID: request.fileID, line: request.line, handler: call)
      add(observer, priority: request.priority.rawValue)
      return Token(self, handle: observer.address)
    }
    let body = RoutedObserver<Payload>.Body { payload in
      try call(payload)
      return .called
    }
    return Token(route(request, where: predicate, body, on: actor), handle: 0)
  }

  /// Registers a handler that belongs to an object.
  internal func observe<Owner: AnyObject & Sendable>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: Owner,
    _ handler: @escaping @isolated(any) @Sendable (Owner, Payload) throws -> Void
  ) -> Token {
    observe(
      request,
      where: predicate,
      owner: owner,
      on: handler.isolation,
      WrittenHandler.bare(handler)
    )
  }

  /// Registers a handler that belongs to an actor and runs on it.
  internal func observe<Owner: Actor>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    isolatedOwner owner: Owner,
    _ handler: @escaping @Sendable (isolated Owner, Payload) throws -> Void
  ) -> Token {
    observe(
      request,
      where: predicate,
      owner: owner,
      on: owner,
      WrittenHandler.bare(onOwner: handler)
    )
  }

  private func observe<Owner: AnyObject & Sendable>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: Owner,
    on actor: (any Actor)?,
    _ call: @escaping @Sendable (Owner, Payload) throws -> Void
  ) -> Token {
    let carrier = owner as? any LifetimeOwner
    let link: ObserverLink
    if !request.once, predicate == nil, actor == nil {
      link = ObserverLink(self)
      let observer = OwnerObserver(
        fileID: request.fileID,
        line: request.line,
        owner: owner,
        tells: carrier != nil,
        link: link,
        handler: call
      )
      link.connect(observer)
      if !add(observer, priority: request.priority.rawValue) { link.disconnect() }
    } else {
      let body = RoutedObserver<Payload>.Body(
        ownerType: "\(Owner.self)",
        needsSweeping: carrier == nil,
        hasLostOwner: { [weak owner] in owner == nil },
        call: { [weak owner] payload in
          guard let owner else { return .ownerLost }
          try call(owner, payload)
          return .called
        }
      )
      link = route(request, where: predicate, body, on: actor)
    }
    let token = Token(link, handle: 0, isKept: true)
    if let carrier { token.attached(to: carrier.lifetime) }
    return token
  }

  private func route(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    _ body: RoutedObserver<Payload>.Body,
    on actor: (any Actor)?
  ) -> ObserverLink {
    let link = ObserverLink(self)
    let observer = RoutedObserver(
      fileID: request.fileID,
      line: request.line,
      body: body,
      predicate: predicate,
      once: request.once,
      mailbox: actor.map { hub.mailbox(of: $0) },
      link: link
    )
    link.connect(observer)
    if !add(observer, priority: request.priority.rawValue, isBound: actor != nil) {
      link.disconnect()
    }
    return link
  }
}
