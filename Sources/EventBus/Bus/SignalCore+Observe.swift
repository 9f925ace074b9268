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
    let actor = handler.isolation
    if request.isPlain, predicate == nil, actor == nil, !isReplaying {
      let address = ObjectAddress.retained(
        plainObserver.init(at: request.site, handler: withoutIsolation(handler))
      )
      add(retained: address, priority: request.priority, for: nil)
      return Token(self, handle: address)
    }
    let call = withoutIsolation(handler)
    let sink = GeneralObserver<Payload>.Sink.handler { payload in
      try call(payload)
      return .called
    }
    return register(request, where: predicate, on: actor, sink)
  }

  /// Registers a handler that belongs to an object.
  func observe<Owner: AnyObject & Sendable>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: Owner,
    _ handler: @escaping @isolated(any) @Sendable (Owner, Payload) throws -> Void
  ) -> Token {
    let actor = handler.isolation
    guard request.isPlain, predicate == nil, actor == nil, !isReplaying else {
      let call = withoutIsolation(handler)
      return observe(request, where: predicate, owner: owner, on: actor, call)
    }
    let registration = ObserverRegistration(self, owner: owner)
    let observer = ownerObserver.init(
      at: request.site,
      owner: owner,
      registration,
      handler: withoutIsolationAndOwnerType(handler)
    )
    enter(observer, registration, request, owner)
    return Token(registration, handle: 0, isKept: true)
  }

  /// Registers a handler that belongs to an actor and runs on it.
  func observe<Owner: Actor>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    actor owner: Owner,
    _ handler: @escaping @Sendable (isolated Owner, Payload) throws -> Void
  ) -> Token {
    observe(request, where: predicate, owner: owner, on: owner, withoutIsolation(onOwner: handler))
  }

  private func observe<Owner: AnyObject & Sendable>(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    owner: Owner,
    on actor: (any Actor)?,
    _ call: @escaping @Sendable (Owner, Payload) throws -> Void
  ) -> Token {
    let sink = GeneralObserver<Payload>.Sink.handler { [weak owner] payload in
      guard let owner else { return .ownerLost }
      try call(owner, payload)
      return .called
    }
    return register(request, where: predicate, owner: owner, on: actor, sink)
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
    _ body: @escaping GeneralObserver<Payload>.Sink.AsyncCall
  ) -> Token {
    let limit = BufferLimit(buffering, at: request.site, report: busState.message)
    let sink = GeneralObserver.Sink.asyncHandler(AsyncCallQueue(limit, busState.waiting), body)
    return register(request, where: predicate, owner: owner, on: actor, sink)
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
  /// Whether payloads are recorded for later observers.
  private var isReplaying: Bool { (interned?.replay ?? 0) > 0 }

  /// Registers an observer that delivers to a sink.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - predicate: The filter.
  ///   - owner: The owner.
  ///   - actor: The actor on which the handler runs.
  ///   - wantsReplay: Whether the observer receives the recorded events.
  ///   - sink: The destination of the events.
  /// - Returns: The token, which may be dropped if there is an owner.
  @_semantics("optimize.sil.specialize.generic.never")
  func register(
    _ request: ObserveRequest,
    where predicate: Predicate? = nil,
    owner: AnyObject? = nil,
    on actor: (any Actor)? = nil,
    wantsReplay: Bool = true,
    _ sink: GeneralObserver<Payload>.Sink
  ) -> Token {
    let mailbox = actor.map { busState.mailbox(of: $0) }
    let registration = ObserverRegistration(self, owner: owner, on: mailbox)
    let gate = wantsReplay && isReplaying ? ReplayGate() : nil
    let observer = generalObserver.init(
      request,
      where: predicate,
      owner: owner,
      registration,
      gate: gate,
      envelope: envelope,
      sink
    )
    if enter(observer, registration, request, owner), let gate {
      replay(to: observer, through: gate, from: request.sender)
    }
    return Token(registration, handle: 0, isKept: owner != nil)
  }

  /// Adds an observer to the list, and ties it to the lifetime of its owner.
  ///
  /// - Returns: `false` if the list is closed; the registration has then ended.
  @discardableResult
  private func enter(
    _ observer: AnyObserver,
    _ registration: ObserverRegistration,
    _ request: ObserveRequest,
    _ owner: AnyObject?
  ) -> Bool {
    guard add(observer, priority: request.priority, for: request.sender) else {
      registration.disconnect()
      return false
    }
    if let lifetime = owner.flatMap(busState.lifetime) { registration.join(lifetime.members) }
    return true
  }

  /// Delivers the recorded events to a new observer, followed by the events that arrive meanwhile.
  ///
  /// The observer is already linked, with its gate closed: the event of each post is either among the
  /// recorded ones or waits at the gate.
  private func replay(
    to observer: GeneralObserver<Payload>,
    through gate: ReplayGate,
    from sender: AnyObject?
  ) {
    // Events that arrive meanwhile wait at the gate, for this thread.
    busState.waiting.beginTurn(for: ObjectAddress.of(self))
    defer { busState.waiting.endTurn() }
    let (recorded, newest) = replays.object(orMake: ReplayBuffer.init).contents()
    handOver(recorded, from: sender, upTo: newest, to: observer, through: gate)
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
