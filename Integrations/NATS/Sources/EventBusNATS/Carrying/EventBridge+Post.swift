public import EventBus

extension EventBridge {
  /// Posts an event on the bus, and sends it; returns when the server has stored it.
  ///
  /// Handlers on this bus are called as by `EventBus.post(_:_:)`, before the method suspends.
  ///
  /// An event that is not stored when the time is over still waits for the server, as one that `EventBus.post(_:_:)`
  /// posts: an error with the code `timedOut` does not say that it is lost.
  ///
  /// - Parameters:
  ///   - name: The name of an event that is carried out of the process durably.
  ///   - payload: The payload.
  ///   - sender: The sender of the event on this bus.
  ///   - limit: The longest wait for the server.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: The answer of the server.
  /// - Throws: ``NATSError`` with the code `notCarried`, `full`, `notEncodable`, `tooLarge`, `refused`,
  ///   `notAuthorized`, `timedOut`, `closed` or `cancelled`. With the first two, the event was not posted, nor if the
  ///   server was known to refuse it.
  @discardableResult
  public func post<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    within limit: Duration = .seconds(30),
    isolation: isolated (any Actor)? = #isolation
  ) async throws(NATSError) -> EventBridge.Receipt {
    guard let lane = core.lane(name) as? OutgoingLane<Payload> else {
      if core.isStopped { throw NATSError(.closed, BridgeCore.ended(name.name)) }
      throw NATSError(.notCarried, "The event \(name.name) is not carried")
    }
    let promise = Promise<EventBridge.Receipt>()
    // The server may send the event back before the handlers of the post have finished.
    let local = PostFollower.follows(name.name, core.bus) ? LocalPost() : nil
    if let refusal = lane.post(payload, local, isAwaited: true, { promise.fulfill($0) }) {
      throw refusal
    }
    if let outlet = Outlets.outlet(core.bus, name) {
      _ = Arrival.$current.withValue(Arrival(outlet, lane: lane, local: local)) {
        core.bus.post(name, payload, from: sender, isolation: isolation)
      }
    } else {
      core.bus.post(name, payload, from: sender, isolation: isolation)
    }
    local?.endUnlessBound()
    return try await promise.value(until: .now + limit) { [link = core.link, event = name.name] in
      if let words = link.refusedCredentials {
        let failure = LinkFailure.unauthenticated(words)
        return NATSError(.notAuthorized, "\(event) is not stored yet, and still waits: \(failure)")
      }
      let reason = link.awaitedServer.map { ": \($0)" } ?? ""
      let words = "\(event) was not stored within \(limit), and still waits\(reason)"
      return NATSError(.timedOut, words)
    }
  }

  /// Posts an event without a payload on the bus, and sends it; returns when the server has stored it.
  ///
  /// - Parameters:
  ///   - name: The name of an event that is carried out of the process durably.
  ///   - sender: The sender of the event on this bus.
  ///   - limit: The longest wait for the server.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: The answer of the server.
  /// - Throws: ``NATSError``, as for an event with a payload.
  @discardableResult
  public func post(
    _ name: EventName<Void>,
    from sender: AnyObject? = nil,
    within limit: Duration = .seconds(30),
    isolation: isolated (any Actor)? = #isolation
  ) async throws(NATSError) -> EventBridge.Receipt {
    try await post(name, (), from: sender, within: limit, isolation: isolation)
  }
}
