internal import Synchronization

/// The observers of one event with a known payload type, as used by buses and signals.
@usableFromInline
package final class SignalCore<Payload: Sendable>: ObserverList,
  @unchecked Sendable  // Reason: constant.
{
  @usableFromInline
  let hub: Hub
  let name: String
  /// The observers of every event of the bus.
  let wildcards: SignalCore<AnyEvent>?
  /// The class of plain observers, stored because instantiating it costs as much as a registration.
  let plainObserver = PlainObserver<Payload>.self
  /// The state shared by all names of this event; `nil` for a signal without a name.
  let interned: InternedName?
  let replays = LazyReference<ReplayBuffer<Payload>>()
  /// Whether these are the observers of every event of the bus.
  private let isForEveryEvent: Bool
  private let hasReportedMany = Atomic<Bool>(false)
  private let handle = Locked(SignalHandle())

  private struct SignalHandle {
    weak let signal: Signal<Payload>?

    init(_ signal: Signal<Payload>? = nil) { self.signal = signal }
  }

  init(
    name: String,
    hub: Hub,
    wildcards: SignalCore<AnyEvent>? = nil,
    interned: InternedName? = nil,
    isForEveryEvent: Bool = false
  ) {
    (self.name, self.hub, self.wildcards) = (name, hub, wildcards)
    (self.interned, self.isForEveryEvent) = (interned, isForEveryEvent)
    super.init(numbers: hub.numbers)
    // Before the list is published, so that the first post is recorded as well.
    if let interned, interned.replay > 0 { noteReplay() }
  }

  @discardableResult
  override package func add(
    _ observer: AnyObserver,
    priority: Int,
    for sender: AnyObject? = nil
  ) -> Bool {
    let isAdded = super.add(observer, priority: priority, for: sender)
    if isAdded, let hook = hub.hooks.onManyObservers { reportIfMany(hook) }
    return isAdded
  }

  override package func noteOccupied(_ isOccupied: Bool) {
    if isForEveryEvent { hub.noteWildcards(isOccupied) }
  }

  private func reportIfMany(_ hook: (String, Int) -> Void) {
    let count = count
    // Like other hooks it does not report what hooks do; the next registration outside one reports it.
    guard count > hub.hooks.manyObserversThreshold, !HookCall.isRunning,
      !hasReportedMany.exchange(true, ordering: .acquiringAndReleasing)
    else { return }
    HookCall.run { hook(name, count) }
  }

  deinit { interned?.remove(self) }

  /// Returns the signal for these observers; the same object for as long as it is referenced.
  func sharedSignal() -> Signal<Payload> {
    while true {
      let known = handle.withLock { $0 }
      if let signal = known.signal { return signal }
      let signal = Signal(core: self)
      let isFirst = handle.withLock { handle in
        guard handle.signal === known.signal else { return false }
        handle = SignalHandle(signal)
        return true
      }
      if isFirst { return signal }
    }
  }

  /// Delivers an event.
  ///
  /// - Returns: The number of handlers that were called or for which the event was queued.
  @inlinable
  func send(
    _ payload: Payload,
    from sender: AnyObject?,
    excluding token: Token?,
    fileID: StaticString,
    line: UInt,
    isolation: (any Actor)?
  ) -> Int {
    if let isolation, !hub.waiting.isZero { hub.drainMailbox(of: isolation) }
    func failed(_ error: any Error, _ observer: AnyObserver) {
      report(error, observer, payload, from: sender, fileID: fileID, line: line)
    }
    guard token == nil, hub.isPlain, sender == nil ? isPlainWithoutSender : isPlain,
      let reached = isEmpty
        ? 0 : deliver(payload, watchesNesting: { hub.watchesNesting }, failed: failed)
    else {
      return sendInOrder(
        payload,
        from: sender,
        excluding: token,
        fileID: fileID,
        line: line,
        isolation: isolation
      )
    }
    if reached == 0, hub.reportsUnhandled {
      reportUnhandled(payload, from: sender, fileID: fileID, line: line)
    }
    return reached
  }

  /// Delivers an event on the general path.
  @usableFromInline
  func sendInOrder(
    _ payload: Payload,
    from sender: AnyObject?,
    excluding token: Token?,
    fileID: StaticString,
    line: UInt,
    isolation: (any Actor)?
  ) -> Int {
    deliver(
      payload,
      from: sender,
      Delivery(
        fileID: fileID,
        line: line,
        sender: sender.map(ObjectIdentifier.init),
        isolation: isolation,
        excluded: token.flatMap { $0.isActive ? $0.identity : nil }
      )
    )
  }

  /// Delivers an event on the general path, given its origin.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - sender: The sender, retained by the caller; `nil` also for an event that was enqueued.
  ///   - origin: The origin of the event.
  /// - Returns: The number of handlers that were called or for which the event was queued.
  @discardableResult
  func deliver(_ payload: Payload, from sender: AnyObject?, _ origin: Delivery) -> Int {
    if let isolation = origin.isolation, !hub.waiting.isZero { hub.drainMailbox(of: isolation) }
    var delivery = origin
    if let limit = interned?.replay, limit > 0 {
      let senderIdentity = delivery.waitedFrom ?? sender.map { identity(of: $0) }
      delivery.number = replays.object(orMake: ReplayBuffer.init)
        .record(payload, delivery, from: senderIdentity, limit: limit)
    }
    let reached: Int
    let trace = HookCall.isRunning ? nil : hub.hooks.onTrace
    let nesting = hub.watchesNesting ? nesting : 0
    let isNesting = nesting >= PostFrame.untrackedLimit
    if trace != nil || isNesting {
      let untracked = isNesting ? PostFrame.untrackedLimit : 0
      reached = PostFrame.run(name, untracked: untracked) { frame in
        if isNesting, frame.depth >= 64 { hub.warnOfNesting(frame) }
        guard let trace else { return sendUntraced(payload, from: sender, delivery) }
        return sendTraced(payload, from: sender, delivery, frame, trace)
      }
    } else {
      reached = sendUntraced(payload, from: sender, delivery)
    }
    if reached == 0, hub.reportsUnhandled { hub.unhandled(event(payload, delivery)) }
    return reached
  }

  private func sendUntraced(
    _ payload: Payload,
    from sender: AnyObject?,
    _ delivery: Delivery,
    report: ((AnyObserver, Reception) -> Void)? = nil
  ) -> Int {
    deliverInOrder(
      payload,
      delivery,
      from: sender,
      wildcards: wildcards,
      event: { self.event(payload, delivery) },
      report: report
    ) { error, observer in
      handlerFailed(error, in: observer, payload: payload, delivery: delivery)
    }
  }

  private func sendTraced(
    _ payload: Payload,
    from sender: AnyObject?,
    _ delivery: Delivery,
    _ frame: PostFrame,
    _ trace: @escaping @Sendable (TraceEvent) -> Void
  ) -> Int {
    let site = SourceSite(delivery)
    func report(_ step: TraceEvent.Step) {
      let event = TraceEvent(name: name, site: site, depth: frame.depth, step: step)
      HookCall.run { trace(event) }
    }
    report(.began)
    let reached = sendUntraced(payload, from: sender, delivery) { observer, reception in
      report(TraceEvent.Step(reception, at: SourceSite(observer)))
    }
    report(.ended(reached: reached))
    return reached
  }

  @usableFromInline
  func report(
    _ error: any Error,
    _ observer: AnyObserver,
    _ payload: Payload,
    from sender: AnyObject?,
    fileID: StaticString,
    line: UInt
  ) {
    let delivery = Delivery(fileID: fileID, line: line, sender: sender.map(ObjectIdentifier.init))
    handlerFailed(error, in: observer, payload: payload, delivery: delivery)
  }

  @usableFromInline
  func reportUnhandled(
    _ payload: Payload,
    from sender: AnyObject?,
    fileID: StaticString,
    line: UInt
  ) {
    let delivery = Delivery(fileID: fileID, line: line, sender: sender.map(ObjectIdentifier.init))
    hub.unhandled(event(payload, delivery))
  }

  override package func handlerFailed(
    _ error: any Error,
    in observer: AnyObserver,
    payload: any Sendable,
    delivery: Delivery
  ) {
    delivery.completion?.record(error, of: observer)
    let event = self.event(payload, delivery)
    hub.report(HandlerFailure(error: error, event: event, registeredAt: SourceSite(observer)))
  }

  private func event(_ payload: any Sendable, _ delivery: Delivery) -> AnyEvent {
    AnyEvent(name: name, payload: payload, sender: delivery.sender, site: SourceSite(delivery))
  }
}
