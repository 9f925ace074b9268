public import EventBus

extension EventBridge {
  /// Carries an event, with its payload as JSON.
  ///
  /// Carrying an event again in the same direction takes the place of the former way out; another way in is an
  /// addition.
  ///
  /// - Precondition: The bridge carries no event with the same string and another payload type: both would
  ///   have the same subject.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - direction: The direction.
  ///   - delivery: What is promised.
  ///   - publishers: Whose messages become events.
  /// - Returns: The token, which the bridge keeps: cancelling it ends the carrying.
  @discardableResult
  public func carry<Payload: Codable & Sendable>(
    _ name: EventName<Payload>,
    _ direction: Direction = .both,
    delivery: Delivery = .live,
    accepting publishers: Publishers = .bridges
  ) -> Token {
    carry(name, direction, delivery: delivery, codec: .json, accepting: publishers)
  }

  /// Carries an event without a payload.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - direction: The direction.
  ///   - delivery: What is promised.
  ///   - publishers: Whose messages become events.
  /// - Returns: The token, which the bridge keeps: cancelling it ends the carrying.
  @discardableResult
  public func carry(
    _ name: EventName<Void>,
    _ direction: Direction = .both,
    delivery: Delivery = .live,
    accepting publishers: Publishers = .bridges
  ) -> Token {
    carry(name, direction, delivery: delivery, codec: .none, accepting: publishers)
  }

  /// Carries an event, with a codec for its payload.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - direction: The direction.
  ///   - delivery: What is promised.
  ///   - codec: How payloads become bytes.
  ///   - publishers: Whose messages become events.
  /// - Returns: The token, which the bridge keeps: cancelling it ends the carrying.
  @discardableResult
  public func carry<Payload>(
    _ name: EventName<Payload>,
    _ direction: Direction = .both,
    delivery: Delivery = .live,
    codec: EventCodec<Payload>,
    accepting publishers: Publishers = .bridges
  ) -> Token {
    // The way in is opened first: an answer to the first event must find it.
    let way =
      switch direction {
      case .incoming: wayIn(name, delivery, codec, publishers)
      case .outgoing: wayOut(name, delivery, codec)
      case .both:
        Token.joining(wayIn(name, delivery, codec, publishers), wayOut(name, delivery, codec))
      }
    keep(way)
    return way
  }

  private func wayOut<Payload>(
    _ name: EventName<Payload>,
    _ delivery: Delivery,
    _ codec: EventCodec<Payload>
  ) -> Token {
    core.claim(name.name, Payload.self)
    replaceWayOut(name, by: nil)
    var following: Token?
    var durable: (number: Int, sender: DurableSender)?
    var preparation: Token?
    if case .durable(let stream, _) = delivery {
      let made = core.makeSender(name.name, stream: stream)
      durable = made
      following = PostFollower.carry(name.name, .out, core.bus)
      preparation = core.preparations.add(
        name.name,
        failed: { [weak sender = made.sender] error in
          switch error {
          case .notAuthorized(let words):
            let event = name.name
            sender?.deny(.stream, NATSError(.notAuthorized, "The stream of \(event): \(words)"))
          default: sender?.close(NATSError(.invalidName, "\(error)"))
          }
        }
      ) {
        [weak core, event = name.name]
        () async throws(LinkFailure) in
        guard let core else { return }
        try await core.prepareStream(stream, for: event)
        made.sender.prepared()
        core.wake()
      }
    }
    let number = durable?.number ?? core.nextNumber()
    let lane = OutgoingLane(core, name, codec, number: number, durable: durable?.sender)
    core.add(lane, name)
    let observation = Outlets.add(lane, core.bus, name)
    let way = Token { [weak core, preparation, following] in
      observation.cancel()
      preparation?.cancel()
      core?.remove(lane, name)
      lane.close(nil)
      following?.cancel()
    }
    replaceWayOut(name, by: way)
    return way
  }

  private func wayIn<Payload>(
    _ name: EventName<Payload>,
    _ delivery: Delivery,
    _ codec: EventCodec<Payload>,
    _ publishers: Publishers
  ) -> Token {
    core.claim(name.name, Payload.self)
    let intake = Intake(name, codec, publishers, core)
    let lane: AnyIncomingLane
    var following: Token?
    switch delivery {
    case .live:
      let live = LiveLane(core, intake, group: nil)
      try? live.subscribe(core)  // Reason: it is tried again below, and a failure reported there.
      lane = live
    case .shared(let group):
      let live = LiveLane(core, intake, group: group)
      try? live.subscribe(core)  // Reason: as above.
      lane = live
    case .durable(let stream, let consumer):
      following = PostFollower.carry(name.name, .in, core.bus)
      lane = DurableLane(core, intake, stream: stream, consumer: consumer)
    }
    core.add(lane)
    let preparation = core.preparations.add(
      name.name,
      isDenied: { [weak lane] in lane?.drop($0) ?? false }
    ) { [weak lane] () async throws(LinkFailure) in
      try await lane?.start()
    }
    return Token { [weak core, weak lane, following] in
      preparation.cancel()
      lane?.cancel()
      following?.cancel()
      guard let lane else { return }
      // Until its handlers have finished, the server has to hear of them.
      Task {
        await lane.stop()
        core?.remove(lane)
      }
    }
  }
}

extension EventBridge {
  /// Posts an event on the bus, and sends it; returns when the server has stored it.
  ///
  /// Handlers on this bus are called as by `EventBus.post(_:_:)`, before the method suspends.
  ///
  /// - Parameters:
  ///   - name: The name of an event that is carried out of the process durably.
  ///   - payload: The payload.
  ///   - sender: The sender of the event on this bus.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: What the server says.
  /// - Throws: ``NATSError`` with the code `notCarried`, `full`, `notEncodable`, `tooLarge`, `refused`, `closed`
  ///   or `cancelled`. With the first two, the event was not posted.
  @discardableResult
  public func post<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(NATSError) -> Receipt {
    guard let lane = core.lane(name) as? OutgoingLane<Payload> else {
      if core.isStopped { throw NATSError(.closed, "The event \(name.name) was not sent") }
      throw NATSError(.notCarried, "The event \(name.name) is not carried")
    }
    let promise = Promise<Receipt>()
    // The server may send the event back before the handlers of the post have finished.
    let local = PostFollower.follows(name.name, core.bus) ? LocalPost() : nil
    if let refusal = lane.post(payload, local, { promise.fulfil($0) }) { throw refusal }
    if let outlet = Outlets.outlet(core.bus, name) {
      _ = Arrival.$current.withValue(Arrival(outlet, lane: lane, local: local)) {
        core.bus.post(name, payload, from: sender, isolation: isolation)
      }
    } else {
      core.bus.post(name, payload, from: sender, isolation: isolation)
    }
    local?.endUnlessBound()
    return try await promise.value()
  }

  /// Posts an event without a payload on the bus, and sends it; returns when the server has stored it.
  ///
  /// - Parameters:
  ///   - name: The name of an event that is carried out of the process durably.
  ///   - sender: The sender of the event on this bus.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: What the server says.
  /// - Throws: ``NATSError``, as for an event with a payload.
  @discardableResult
  public func post(
    _ name: EventName<Void>,
    from sender: AnyObject? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(NATSError) -> Receipt {
    try await post(name, (), from: sender, isolation: isolation)
  }
}

extension Token {
  /// A token for two.
  fileprivate static func joining(_ first: Token, _ second: Token) -> Token {
    Token {
      second.cancel()
      first.cancel()
    }
  }
}
