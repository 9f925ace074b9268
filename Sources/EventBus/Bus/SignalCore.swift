/// The observers of one event, with its type: what buses and signals are made of.
@usableFromInline
package final class SignalCore<Payload: Sendable>: ObserverList,
  @unchecked Sendable  // Reason: constant.
{
  @usableFromInline
  internal let hub: Hub
  internal let name: String
  /// The observers of every event of the bus.
  internal let wildcards: SignalCore<AnyEvent>?
  /// Looked up once: making the class of a generic observer anew costs as much as registering it.
  internal let plainObserver = PlainObserver<Payload>.self
  private let handle = Locked(SignalHandle())

  private struct SignalHandle {
    weak let signal: Signal<Payload>?

    init(_ signal: Signal<Payload>? = nil) { self.signal = signal }
  }

  internal init(name: String, hub: Hub, wildcards: SignalCore<AnyEvent>? = nil) {
    self.name = name
    self.hub = hub
    self.wildcards = wildcards
    super.init(numbers: hub.numbers)
  }

  /// The signal through which a bus shows these observers: the same for as long as somebody has it.
  internal func sharedSignal() -> Signal<Payload> {
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
  /// - Returns: How many handlers were called or have it queued.
  @inlinable
  internal func send(
    _ payload: Payload,
    from sender: AnyObject?,
    excluding token: Token?,
    fileID: StaticString,
    line: UInt,
    isolation: (any Actor)?
  ) -> Int {
    if let isolation, !hub.waiting.isZero { hub.drainMailbox(of: isolation) }
    guard token == nil, hub.isPlain, sender == nil ? isPlainWithoutSender : isPlain else {
      return sendInOrder(
        payload,
        from: sender,
        excluding: token,
        fileID: fileID,
        line: line,
        isolation: isolation
      )
    }
    let reached =
      isEmpty
      ? 0
      : deliver(payload) { error, observer in
        report(error, observer, payload, from: sender, fileID: fileID, line: line)
      }
    if reached == 0, hub.tellsUnhandled {
      tellUnhandled(payload, from: sender, fileID: fileID, line: line)
    }
    return reached
  }

  /// Delivers an event by the general path.
  @usableFromInline
  internal func sendInOrder(
    _ payload: Payload,
    from sender: AnyObject?,
    excluding token: Token?,
    fileID: StaticString,
    line: UInt,
    isolation: (any Actor)?
  ) -> Int {
    send(
      payload,
      from: sender,
      Delivery(
        fileID: fileID,
        line: line,
        sender: sender.map(ObjectIdentifier.init),
        isolation: isolation,
        excluded: token?.identity
      )
    )
  }

  /// Delivers an event of which everything is known.
  internal func send(_ payload: Payload, from sender: AnyObject?, _ delivery: Delivery) -> Int {
    let reached: Int
    if let trace = hub.hooks.onTrace, !HookCall.isRunning {
      reached = PostFrame.run(name, unwatched: 0) { frame in
        sendTraced(payload, from: sender, delivery, frame, trace)
      }
    } else {
      reached = sendUntraced(payload, from: sender, delivery, told: nil)
    }
    if reached == 0, hub.tellsUnhandled { hub.unhandled(event(payload, delivery)) }
    return reached
  }

  private func sendUntraced(
    _ payload: Payload,
    from sender: AnyObject?,
    _ delivery: Delivery,
    told: ((AnyObserver, Reception) -> Void)?
  ) -> Int {
    deliverInOrder(
      payload,
      delivery,
      from: sender,
      wildcards: wildcards,
      event: { self.event(payload, delivery) },
      told: told
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
    func tell(_ step: TraceEvent.Step) {
      let event = TraceEvent(name: name, site: site, depth: frame.depth, step: step)
      HookCall.run { trace(event) }
    }
    tell(.began)
    let reached = sendUntraced(payload, from: sender, delivery) { observer, reception in
      tell(TraceEvent.Step(reception, at: SourceSite(observer)))
    }
    tell(.ended(reached: reached))
    return reached
  }

  @usableFromInline
  internal func report(
    _ error: any Error,
    _ observer: AnyObserver,
    _ payload: Payload,
    from sender: AnyObject?,
    fileID: StaticString,
    line: UInt
  ) {
    let delivery = Delivery(
      fileID: fileID,
      line: line,
      sender: sender.map(ObjectIdentifier.init)
    )
    handlerFailed(error, in: observer, payload: payload, delivery: delivery)
  }

  @usableFromInline
  internal func tellUnhandled(
    _ payload: Payload,
    from sender: AnyObject?,
    fileID: StaticString,
    line: UInt
  ) {
    let delivery = Delivery(
      fileID: fileID,
      line: line,
      sender: sender.map(ObjectIdentifier.init)
    )
    hub.unhandled(event(payload, delivery))
  }

  override package func handlerFailed(
    _ error: any Error,
    in observer: AnyObserver,
    payload: any Sendable,
    delivery: Delivery
  ) {
    // An observer of every event is given the event itself.
    let known = payload as? AnyEvent
    hub.report(
      HandlerFailure(
        error: error,
        event: known ?? event(payload, delivery),
        registeredAt: SourceSite(observer)
      )
    )
  }

  private func event(_ payload: any Sendable, _ delivery: Delivery) -> AnyEvent {
    AnyEvent(
      name: name,
      payload: payload,
      sender: delivery.sender,
      site: SourceSite(delivery)
    )
  }
}
