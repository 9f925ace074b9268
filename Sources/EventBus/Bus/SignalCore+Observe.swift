extension SignalCore {
  typealias Predicate = @Sendable (Payload) -> Bool

  /// Registers a handler that belongs to its token.
  func observe(
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
  func observe<Owner: AnyObject & Sendable>(
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
  func observe<Owner: Actor>(
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
  func enter(
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

extension SignalCore {
  /// Whether payloads are kept for observers that come later.
  var isReplaying: Bool { (interned?.replay ?? 0) > 0 }

  /// A gate for a new observer, where there may be something to replay.
  func newGate() -> ReplayGate? { isReplaying ? ReplayGate() : nil }

  /// Gives a new observer what was posted before it came, and then what arrived meanwhile.
  ///
  /// The observer is linked already, with its gate closed: a post either is among what was recorded when
  /// this looks, or waits at the gate.
  func replay(
    to observer: ConditionalObserver<Payload>,
    through gate: ReplayGate,
    from sender: AnyObject?
  ) {
    let (entries, newest) = replays.object(orMake: ReplayBuffer.init).contents()
    let meant = entries.lazy.filter { entry in sender.map(entry.isFrom) ?? true }
    handOver(
      meant.map { ($0.payload, $0.delivery) },
      upTo: newest,
      to: observer,
      through: gate
    )
  }
}

extension EventBus {
  /// The last payload of an event that is replayed.
  ///
  /// - Parameter name: The event.
  /// - Returns: The payload the bus recorded last, or `nil` when there was none, it was forgotten, or the
  ///   name asks for no replay.
  /// - Complexity: O(1), one lock.
  public func latest<Payload>(_ name: EventName<Payload>) -> Payload? {
    core(of: name).replays.object?.latest
  }

  /// Forgets the payloads kept of an event; observers that come later are given none of them.
  ///
  /// - Parameter name: The event.
  /// - Complexity: O(*k*) in the number of payloads kept.
  public func clearReplay<Payload>(_ name: EventName<Payload>) {
    core(of: name).replays.object?.clear()
  }
}
