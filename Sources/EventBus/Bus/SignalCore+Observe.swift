extension SignalCore {
  typealias Request = ObserveRequest<Payload>

  /// Registers a handler that belongs to its token.
  func observe(
    _ request: Request,
    _ handler: @escaping @isolated(any) @Sendable (Payload) throws -> Void
  ) -> Token {
    let actor = handler.isolation
    let call = withoutIsolation(handler)
    if request.isPlain, actor == nil, !isReplaying {
      let observer = plainObserver.init(fileID: request.fileID, line: request.line, handler: call)
      add(observer, priority: request.priority.rawValue)
      return Token(self, handle: observer.address)
    }
    return route(request, owner: nil, on: actor) { payload in
      try call(payload)
      return .called
    }
  }

  /// Registers a handler that belongs to an object.
  func observe<Owner: AnyObject & Sendable>(
    _ request: Request,
    owner: Owner,
    _ handler: @escaping @isolated(any) @Sendable (Owner, Payload) throws -> Void
  ) -> Token {
    let actor = handler.isolation
    let call = withoutIsolation(handler)
    guard request.isPlain, actor == nil, !isReplaying else {
      return observe(request, owner: owner, on: actor, call)
    }
    return enter(request, owner: owner) { link in
      OwnerObserver(
        fileID: request.fileID,
        line: request.line,
        owner: owner,
        link: link,
        handler: call
      )
    }
  }

  /// Registers a handler that belongs to an actor and runs on it.
  func observe<Owner: Actor>(
    _ request: Request,
    isolatedOwner owner: Owner,
    _ handler: @escaping @Sendable (isolated Owner, Payload) throws -> Void
  ) -> Token {
    observe(request, owner: owner, on: owner, withoutIsolation(onOwner: handler))
  }

  private func observe<Owner: AnyObject & Sendable>(
    _ request: Request,
    owner: Owner,
    on actor: (any Actor)?,
    _ call: @escaping @Sendable (Owner, Payload) throws -> Void
  ) -> Token {
    route(request, owner: owner, on: actor) { [weak owner] payload in
      guard let owner else { return .ownerLost }
      try call(owner, payload)
      return .called
    }
  }

  private func route(
    _ request: Request,
    owner: (any AnyObject & Sendable)?,
    on actor: (any Actor)?,
    _ body: @escaping @Sendable (Payload) throws -> Reception
  ) -> Token {
    enter(request, owner: owner) { link in
      RoutedObserver<Payload>(
        fileID: request.fileID,
        line: request.line,
        conditions: request.conditions,
        owner: owner.map { OwnerFacts(of: $0, on: actor) } ?? .none,
        link: link,
        gate: newGate(),
        mailbox: actor.map { hub.mailbox(of: $0) },
        body: body
      )
    }
  }

  /// Adds an observer to the list, ties it to the lifetime of its owner and replays recorded events to it.
  ///
  /// The registration ends immediately when the list is closed.
  func enter(
    _ request: Request,
    owner: AnyObject? = nil,
    _ makeObserver: (ObserverLink) -> AnyObserver
  ) -> Token {
    let link = ObserverLink(self)
    let observer = makeObserver(link)
    link.connect(observer)
    if add(observer, priority: request.priority.rawValue, for: request.sender) {
      if let carrier = owner as? any LifetimeOwner { link.join(carrier.lifetime.members) }
      if let observer = observer as? ConditionalObserver<Payload>, let gate = observer.gate {
        replay(to: observer, through: gate, from: request.sender)
      }
    } else {
      link.disconnect()
    }
    return Token(link, handle: 0, isKept: owner != nil)
  }
}

extension SignalCore {
  /// Whether payloads are recorded for later observers.
  var isReplaying: Bool { (interned?.replay ?? 0) > 0 }

  /// Returns a gate for a new observer if recorded events may have to be replayed to it.
  func newGate() -> ReplayGate? { isReplaying ? ReplayGate() : nil }

  /// Delivers the recorded events to a new observer, followed by the events that arrive meanwhile.
  ///
  /// The observer is already linked, with its gate closed: the event of each post is either among the
  /// recorded ones or waits at the gate.
  private func replay(
    to observer: ConditionalObserver<Payload>,
    through gate: ReplayGate,
    from sender: AnyObject?
  ) {
    let (entries, newest) = replays.object(orMake: ReplayBuffer.init).contents()
    let matching = entries.lazy.filter { entry in sender.map(entry.isFrom) ?? true }
    let events = matching.map { ($0.payload, $0.delivery) }
    handOver(events, upTo: newest, to: observer, through: gate)
  }
}

extension EventBus {
  /// Returns the most recent payload of a replayed event.
  ///
  /// - Parameter name: The name of the event.
  /// - Returns: The payload that the bus recorded last, or `nil` if there was none, if it was cleared, or if
  ///   the name asks for no replay.
  /// - Complexity: O(1), one lock.
  public func latest<Payload>(_ name: EventName<Payload>) -> Payload? {
    core(of: name).replays.object?.latest
  }

  /// Removes the recorded payloads of an event, so that they are not replayed to later observers.
  ///
  /// - Parameter name: The name of the event.
  /// - Complexity: O(*k*) in the number of recorded payloads.
  public func clearReplay<Payload>(_ name: EventName<Payload>) {
    core(of: name).replays.object?.clear()
  }
}
