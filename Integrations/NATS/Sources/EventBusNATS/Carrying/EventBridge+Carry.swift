public import EventBus

extension EventBridge {
  /// Carries an event, with its payload as JSON.
  ///
  /// Carrying an event out again replaces the former way out; another way in is added to the former ones.
  ///
  /// - Precondition: The bridge carries no event with the same string and another payload type: both would
  ///   have the same subject.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - direction: The direction.
  ///   - delivery: The guarantee of delivery.
  ///   - publishers: The programs whose messages become events.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Returns: The token, which the bridge keeps: cancelling it ends the carrying.
  @discardableResult
  public func carry<Payload: Codable & Sendable>(
    _ name: EventName<Payload>,
    _ direction: Direction = .both,
    delivery: Delivery = .live,
    accepting publishers: Publishers = .bridges,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Token {
    carry(
      name,
      direction,
      delivery: delivery,
      codec: .json,
      accepting: publishers,
      fileID: fileID,
      line: line
    )
  }

  /// Carries an event without a payload.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - direction: The direction.
  ///   - delivery: The guarantee of delivery.
  ///   - publishers: The programs whose messages become events.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Returns: The token, which the bridge keeps: cancelling it ends the carrying.
  @discardableResult
  public func carry(
    _ name: EventName<Void>,
    _ direction: Direction = .both,
    delivery: Delivery = .live,
    accepting publishers: Publishers = .bridges,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Token {
    carry(
      name,
      direction,
      delivery: delivery,
      codec: .none,
      accepting: publishers,
      fileID: fileID,
      line: line
    )
  }

  /// Carries an event, with a codec for its payload.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - direction: The direction.
  ///   - delivery: The guarantee of delivery.
  ///   - codec: The conversion between payloads and bytes.
  ///   - publishers: The programs whose messages become events.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Returns: The token, which the bridge keeps: cancelling it ends the carrying.
  @discardableResult
  public func carry<Payload>(
    _ name: EventName<Payload>,
    _ direction: Direction = .both,
    delivery: Delivery = .live,
    codec: EventCodec<Payload>,
    accepting publishers: Publishers = .bridges,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Token {
    core.claim(name.name, Payload.self, fileID, line)
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
    replaceWayOut(name, by: nil)
    var following: Token?
    var sender: DurableSender?
    var preparation: Token?
    if case .durable(let stream, _) = delivery {
      let made = core.makeSender(name.name, stream: stream)
      sender = made
      following = PostFollower.carry(name.name, .out, core.bus)
      preparation = core.preparations.add(
        name.name,
        failed: { [weak made, event = name.name] error in
          switch error {
          case .notAuthorized(let words):
            made?.deny(.stream, NATSError(.notAuthorized, "The stream of \(event): \(words)"))
          case .rejected(let words): made?.reject(NATSError(.refused, "\(event): \(words)"))
          default: made?.close(.stream(NATSError(.invalidName, "\(error)")))
          }
        }
      ) {
        [weak core, event = name.name]
        () async throws(LinkFailure) in
        guard let core else { return }
        try await core.prepareStream(stream, for: event, isKnown: made.isPrepared)
        made.prepared()
        core.wake()
      }
    }
    let number = sender?.number ?? core.nextNumber()
    let lane = OutgoingLane(core, name, codec, number: number, durable: sender)
    core.add(lane, name)
    let observation = Outlets.add(lane, core.bus, name)
    let way = Token { [weak core, preparation, following] in
      observation.cancel()
      preparation?.cancel()
      core?.remove(lane, name)
      lane.close(.carrying)
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
    let intake = Intake(name, codec, publishers, core)
    let lane: AnyIncomingLane
    var following: Token?
    switch delivery {
    case .live, .queueGroup:
      let live = LiveLane(core, intake, group: delivery.group)
      try? live.subscribe(core)  // Reason: the preparation repeats it.
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
      // The lane ticks until its handlers have finished, so that the server does not deliver their events again.
      Task {
        await lane.stop()
        core?.remove(lane)
      }
    }
  }
}

extension Token {
  /// A token that cancels two others.
  fileprivate static func joining(_ first: Token, _ second: Token) -> Token {
    Token {
      second.cancel()
      first.cancel()
    }
  }
}

extension EventBridge.Delivery {
  /// The group of which one member receives each event, if there is one.
  fileprivate var group: String? {
    if case .queueGroup(let group) = self { group } else { nil }
  }
}
