extension EventBus {
  /// Returns a stream of the occurrences of an event, beginning with this call.
  ///
  /// If the name asks for replay, the stream begins with the recorded payloads.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - sender: The only sender whose events are delivered, compared by identity and held weakly; `nil` for
  ///     any sender.
  ///   - predicate: The filter, called on the posting thread with no lock held. Payloads for which it returns
  ///     `false` never enter the buffer.
  ///   - buffering: The payloads to keep while no task asks for them. Discarded payloads are counted. For a
  ///     size below one, a line is written to standard error and one payload is kept.
  ///   - lifetime: The lifetime with which the stream ends, at the latest.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  /// - Returns: The stream. Releasing it unsubscribes.
  /// - Complexity: Amortized O(1).
  @inlinable
  public func events<Payload>(
    _ name: EventName<Payload>,
    from sender: AnyObject? = nil,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    buffering: AsyncStream<Payload>.Continuation.BufferingPolicy = .unbounded,
    until lifetime: Lifetime? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> EventStream<Payload> {
    core(of: name)
      .stream(sender, predicate, buffering, until: lifetime, at: CallSite(fileID, line)) {
        $0.add($1, $2)
      }
  }

  /// Waits for the next occurrence of an event, after this call.
  ///
  /// The wait keeps neither the bus nor the sender alive. Recorded payloads do not count.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - sender: The only sender whose event ends the wait, compared by identity and held weakly; `nil` for
  ///     any sender.
  ///   - predicate: The filter, called on the posting thread with no lock held. Events for which it returns
  ///     `false` do not end the wait.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  /// - Returns: The payload.
  /// - Throws: `CancellationError` if the waiting task is cancelled, or if the bus is released, before the
  ///   event occurs.
  public consuming func next<Payload>(
    _ name: EventName<Payload>,
    from sender: consuming AnyObject? = nil,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws(CancellationError) -> Payload {
    let stream = core(of: name).nextOne(sender, predicate, at: CallSite(fileID, line))
    (_, _) = (consume self, consume sender)
    return try await stream.only()
  }

  /// Waits for the next occurrence of an event, after this call, for a limited time.
  ///
  /// ```swift
  /// extension EventNames {
  ///   static let didConnect = EventName<String>("server.didConnect")
  /// }
  ///
  /// func address(on bus: EventBus) async throws -> String {
  ///   try await bus.next(.didConnect, within: .seconds(5))
  /// }
  /// ```
  ///
  /// The wait keeps neither the bus nor the sender alive. Recorded payloads do not count.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - sender: The only sender whose event ends the wait, compared by identity and held weakly; `nil` for
  ///     any sender.
  ///   - predicate: The filter, called on the posting thread with no lock held. Events for which it returns
  ///     `false` do not end the wait.
  ///   - limit: The time after which the wait is given up.
  ///   - clock: The clock that measures the limit.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  /// - Returns: The payload.
  /// - Throws: ``NextError``, which names the event and the limit, when the time is up; `CancellationError` if the
  ///   waiting task is cancelled, or if the bus is released, before the event occurs.
  public consuming func next<Payload, C: Clock>(
    _ name: EventName<Payload>,
    from sender: consuming AnyObject? = nil,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    within limit: Duration,
    clock: C = ContinuousClock(),
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws -> Payload where C.Duration == Duration {
    let stream = core(of: name).nextOne(sender, predicate, at: CallSite(fileID, line))
    (_, _) = (consume self, consume sender)
    return try await stream.only(of: name.name, within: limit, clock)
  }

  /// The error of a wait for an event that has not occurred in time.
  public struct NextError: Error, CustomStringConvertible {
    /// The string of the event's name, or the label of a signal.
    public let name: String
    /// The time after which the wait was given up.
    public let limit: Duration

    /// A line that names the event and the limit; control characters in names are escaped.
    public var description: String {
      let subject =
        name.isEmpty ? "The signal was not sent" : "The event \"\(name)\" was not posted"
      let text =
        "EventBus: \(subject) within \(limit), or did not match this wait."
        + " Check the sender and the filter of the wait, or pass a longer limit."
      return text.onOneLine
    }
  }
}

extension ReadableSignal {
  /// Returns a stream of the occurrences of the signal, beginning with this call.
  ///
  /// - Parameters:
  ///   - sender: The only sender whose events are delivered, compared by identity and held weakly; `nil` for
  ///     any sender.
  ///   - predicate: The filter, called on the posting thread with no lock held. Payloads for which it returns
  ///     `false` never enter the buffer.
  ///   - buffering: The payloads to keep while no task asks for them. Discarded payloads are counted.
  ///   - lifetime: The lifetime with which the stream ends, at the latest.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  /// - Returns: The stream. Releasing it unsubscribes.
  /// - Complexity: Amortized O(1).
  @inlinable
  public func events(
    from sender: AnyObject? = nil,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    buffering: AsyncStream<Payload>.Continuation.BufferingPolicy = .unbounded,
    until lifetime: Lifetime? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> EventStream<Payload> {
    readOnly.core
      .stream(sender, predicate, buffering, until: lifetime, at: CallSite(fileID, line)) {
        $0.add($1, $2)
      }
  }

  /// Waits for the next occurrence of the signal, after this call.
  ///
  /// The wait keeps neither the signal nor the sender alive. Recorded payloads do not count.
  ///
  /// - Parameters:
  ///   - sender: The only sender whose event ends the wait, compared by identity and held weakly; `nil` for
  ///     any sender.
  ///   - predicate: The filter, called on the posting thread with no lock held. Events for which it returns
  ///     `false` do not end the wait.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  /// - Returns: The payload.
  /// - Throws: `CancellationError` if the waiting task is cancelled, or if the signal is released, before the
  ///   event occurs.
  public consuming func next(
    from sender: consuming AnyObject? = nil,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws(CancellationError) -> Payload {
    let stream = readOnly.core.nextOne(sender, predicate, at: CallSite(fileID, line))
    (_, _) = (consume self, consume sender)
    return try await stream.only()
  }

  /// Waits for the next occurrence of the signal, after this call, for a limited time.
  ///
  /// The wait keeps neither the signal nor the sender alive. Recorded payloads do not count.
  ///
  /// - Parameters:
  ///   - sender: The only sender whose event ends the wait, compared by identity and held weakly; `nil` for
  ///     any sender.
  ///   - predicate: The filter, called on the posting thread with no lock held. Events for which it returns
  ///     `false` do not end the wait.
  ///   - limit: The time after which the wait is given up.
  ///   - clock: The clock that measures the limit.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  /// - Returns: The payload.
  /// - Throws: ``EventBus/NextError``, which names the signal and the limit, when the time is up; `CancellationError`
  ///   if the waiting task is cancelled, or if the signal is released, before the event occurs.
  public consuming func next<C: Clock>(
    from sender: consuming AnyObject? = nil,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    within limit: Duration,
    clock: C = ContinuousClock(),
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws -> Payload where C.Duration == Duration {
    let core = readOnly.core
    let name = core.name
    let stream = (consume core).nextOne(sender, predicate, at: CallSite(fileID, line))
    (_, _) = (consume self, consume sender)
    return try await stream.only(of: name, within: limit, clock)
  }
}

extension SignalCore {
  /// Registers a stream.
  ///
  /// - Parameters:
  ///   - sender: The only sender whose events are delivered; `nil` for any sender.
  ///   - predicate: The filter.
  ///   - policy: The payloads to keep while no task asks for them.
  ///   - lifetime: The lifetime with which the stream ends, at the latest.
  ///   - site: The call that asks for the stream.
  ///   - fill: The closure that adds a payload to the buffer, from code that knows the payload's type.
  /// - Returns: The stream.
  @usableFromInline
  package func stream(
    _ sender: AnyObject?,
    _ predicate: (@Sendable (Payload) -> Bool)?,
    _ policy: AsyncStream<Payload>.Continuation.BufferingPolicy,
    until lifetime: Lifetime?,
    at site: CallSite,
    fill: @escaping StreamBuffer<Payload>.Filling
  ) -> EventStream<Payload> {
    let limit = BufferLimit(policy, at: site, report: busState.message)
    let request = ObserveRequest(sender, at: site)
    return stream(request, where: predicate, limit, until: lifetime, fill: fill)
  }

  /// Registers a stream of one element, which is not a recorded one.
  fileprivate func nextOne(
    _ sender: AnyObject?,
    _ predicate: (@Sendable (Payload) -> Bool)?,
    at site: CallSite
  ) -> EventStream<Payload> {
    let request = ObserveRequest(sender, once: true, at: site)
    return stream(request, where: predicate, wantsReplay: false) { $0.add($1, $2) }
  }

  private func stream(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    _ limit: BufferLimit = .unlimited,
    until lifetime: Lifetime? = nil,
    wantsReplay: Bool = true,
    fill: @escaping StreamBuffer<Payload>.Filling
  ) -> EventStream<Payload> {
    let site = request.site
    // The token of the stream retains these observers as well.
    let buffer = StreamBuffer<Payload>(limit) { self.streamIsCrowded($0, at: site) }
    let conditions = conditions(of: request, predicate, wantsReplay: wantsReplay)
    let registration = ObserverRegistration(self, at: site)
    let token = enter(StreamSink(registration, request, conditions, buffer, fill), request)
    if let lifetime { token.attach(to: lifetime) }
    return EventStream(buffer, token)
  }
}

extension EventStream {
  /// Waits for the only element.
  fileprivate func only() async throws(CancellationError) -> Payload {
    guard let payload = await buffer.next() else { throw CancellationError() }
    return payload
  }

  /// Waits for the only element, for a limited time.
  fileprivate func only(
    of name: String,
    within limit: Duration,
    _ clock: some Clock<Duration>
  ) async throws -> Payload {
    let result = Locked<Result<Payload, CancellationError>?>(nil)
    let isOver = await completes(within: limit, on: clock) {
      // An event that came in time is taken although the wait has been cancelled since.
      if let payload = await self.buffer.next() ?? self.buffer.nextIfAvailable() {
        result.withLock { $0 = .success(payload) }
      } else if !Task.isCancelled {
        // The bus has been released.
        result.withLock { $0 = .failure(CancellationError()) }
      }
      return !Task.isCancelled
    }
    if let result = result.withLock({ $0 }) { return try result.get() }
    try Task.checkCancellation()
    if isOver { throw CancellationError() }
    throw EventBus.NextError(name: name, limit: limit)
  }
}
