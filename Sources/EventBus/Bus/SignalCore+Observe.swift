extension SignalCore {
  /// A filter of events.
  typealias Predicate = @Sendable (Payload) -> Bool
  /// The events to keep while an asynchronous handler is busy.
  typealias Buffering = AsyncStream<Payload>.Continuation.BufferingPolicy

  /// Registers a handler that belongs to its token.
  func observe(
    _ request: ObserveRequest,
    where predicate: Predicate? = nil,
    _ handler: @escaping @isolated(any) @Sendable (Payload) throws -> Void
  ) -> Token {
    let (registration, actor) = (ObserverRegistration(self, at: request.site), handler.isolation)
    let call = withoutIsolation(handler)
    let conditions = conditions(of: request, predicate)
    if conditions == nil, actor == nil, !request.once {
      add(plainSink.init(registration, priority: request.priority, call))
      return Token(registration)
    }
    let sink = handlerSink.init(registration, request, conditions, on: mailbox(of: actor)) {
      try call($1)
    }
    return enter(sink, request)
  }

  /// Registers a handler that belongs to an object.
  func observe<Owner: AnyObject & Sendable>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: Owner,
    _ handler: @escaping @isolated(any) @Sendable (Owner, Payload) throws -> Void
  ) -> Token {
    let actor = handler.isolation
    return observe(request, predicate, owner, on: actor, withoutIsolationAndOwnerType(handler))
  }

  /// Registers a handler that belongs to an actor and runs on it.
  func observe<Owner: Actor>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    actor owner: Owner,
    _ handler: @escaping @Sendable (isolated Owner, Payload) throws -> Void
  ) -> Token {
    observe(request, predicate, owner, on: owner, withoutIsolationAndOwnerType(onOwner: handler))
  }

  private func observe(
    _ request: ObserveRequest,
    _ predicate: Predicate?,
    _ owner: AnyObject,
    on actor: (any Actor)?,
    _ handler: @escaping @Sendable (AnyObject, Payload) throws -> Void
  ) -> Token {
    let sink = handlerSink.init(
      ObserverRegistration(self, at: request.site),
      request,
      conditions(of: request, predicate),
      owner: owner,
      on: mailbox(of: actor),
      handler
    )
    return enter(sink, request, owner)
  }

  /// Registers a handler that the posting code calls, and that receives the caller's actor; it receives no
  /// recorded events.
  func observePoster(
    _ request: ObserveRequest,
    _ handler: @escaping @Sendable (Payload, (any Actor)?) -> Void
  ) -> Token {
    enter(PosterSink(ObserverRegistration(self, at: request.site), request, handler), request)
  }

  /// Registers an asynchronous handler that belongs to its token.
  func observe(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    _ buffering: Buffering,
    async handler: @escaping @isolated(any) @Sendable (Payload) async throws -> Void
  ) -> Token {
    let actor = handler.isolation
    return queue(request, where: predicate, buffering, on: actor) { payload, refusal in
      try await Self.call(on: handler.isolation, unless: refusal, with: { () }) {
        try await handler(payload)
      }
    }
  }

  /// Registers an asynchronous handler that belongs to an object.
  func observe<Owner: AnyObject & Sendable>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: Owner,
    _ buffering: Buffering,
    async handler: @escaping @isolated(any) @Sendable (Owner, Payload) async throws -> Void
  ) -> Token {
    let actor = handler.isolation
    let owner = Weak(owner)
    return queue(request, where: predicate, buffering, owner: owner.object, on: actor) {
      payload,
      refusal in
      try await Self.call(on: handler.isolation, unless: refusal, with: { owner.object }) {
        try await handler($0, payload)
      }
    }
  }

  /// Registers an asynchronous handler that belongs to an actor and runs on it.
  func observe<Owner: Actor>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    actor owner: Owner,
    _ buffering: Buffering,
    async handler: @escaping @Sendable (isolated Owner, Payload) async throws -> Void
  ) -> Token {
    queue(request, where: predicate, buffering, owner: owner, on: owner) {
      [weak owner] payload, refusal in
      guard let owner else { return .ownerLost }
      return try await Self.call(on: owner, unless: refusal, with: { owner }) {
        try await handler($0, payload)
      }
    }
  }

  private func queue(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    _ buffering: Buffering,
    owner: AnyObject? = nil,
    on actor: (any Actor)?,
    _ call: @escaping AsyncSink<Payload>.Call
  ) -> Token {
    let sink = AsyncSink(
      ObserverRegistration(self, at: request.site),
      request,
      conditions(of: request, predicate),
      owner: owner,
      on: mailbox(of: actor),
      BufferLimit(buffering, at: request.site, report: busState.message),
      call
    )
    return enter(sink, request, owner)
  }

  /// Calls an asynchronous handler from its actor, unless there is a reason not to call it there.
  ///
  /// - Parameters:
  ///   - isolation: The handler's actor. Nothing else runs on it between the look at the registration and the
  ///     beginning of the handler.
  ///   - refusal: Returns the reason.
  ///   - load: Returns the owner, if it is alive. Called on the actor, so that the last reference to the owner
  ///     is not dropped elsewhere.
  ///   - body: Calls the handler with the owner.
  /// - Returns: The outcome.
  /// - Throws: The error of the handler.
  private static func call<Owner>(
    on isolation: isolated (any Actor)?,
    unless refusal: Refusal,
    with load: () -> Owner?,
    _ body: (Owner) async throws -> Void
  ) async throws -> Reception {
    guard let owner = load() else { return .ownerLost }
    if let reason = refusal() { return reason }
    try await body(owner)
    return .called
  }
}

extension SignalCore {
  /// Returns the conditions that an event must meet to reach a new observer.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - predicate: The filter.
  ///   - wantsReplay: Whether the observer receives the recorded events.
  /// - Returns: The conditions; `nil` if there are none.
  func conditions(of request: ObserveRequest, _ predicate: Predicate?, wantsReplay: Bool = true)
    -> Conditions<Payload>?
  {
    let isReplaying = wantsReplay && interned?.replay ?? 0 > 0
    if request.sender == nil, predicate == nil, !isReplaying { return nil }
    return conditionsClass.init(where: predicate, isReplaying: isReplaying)
  }

  private func mailbox(of actor: (any Actor)?) -> Mailbox? {
    actor.map { busState.mailbox(of: $0) }
  }

  /// Adds a sink to the list, ties it to the lifetime of its owner, and gives it the recorded events.
  ///
  /// - Returns: The token, which may be dropped if there is an owner.
  @_semantics("optimize.sil.specialize.generic.never")
  func enter(_ sink: GeneralSink<Payload>, _ request: ObserveRequest, _ owner: AnyObject? = nil)
    -> Token
  {
    let registration = sink.registration
    if add(sink, for: request.sender) {
      if let lifetime = owner.flatMap(busState.lifetime) { registration.join(lifetime.members) }
      if let gate = sink.conditions?.gate { replay(to: sink, through: gate, from: request.sender) }
    }
    return Token(registration, isKept: owner != nil)
  }

  /// Delivers the recorded events to a new observer, followed by the events that arrive meanwhile.
  ///
  /// The sink is already linked, with its gate closed: the event of each post is either among the
  /// recorded ones or waits at the gate.
  private func replay(
    to sink: GeneralSink<Payload>,
    through gate: ReplayGate,
    from sender: AnyObject?
  ) {
    // Events that arrive meanwhile wait at the gate, for this thread.
    busState.counts.beginTurn(for: ObjectAddress.of(self))
    defer { busState.counts.endTurn() }
    let (recorded, newest) = replays.object(orMake: ReplayBuffer.init).contents()
    handOver(recorded, from: sender, upTo: newest, to: sink, through: gate)
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
    core(of: name).replays.object?.latest(as: RecordedEvent<Payload>.self)?.payload
  }

  /// Removes the recorded payloads of an event, so that they are not replayed to later observers.
  ///
  /// - Parameter name: The name of the event.
  /// - Complexity: O(*k*) in the number of recorded payloads.
  public func clearReplay<Payload>(_ name: EventName<Payload>) {
    core(of: name).replays.object?.clear()
  }
}
