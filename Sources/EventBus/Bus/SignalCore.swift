internal import Synchronization

/// The observers of one event, with its type: what buses and signals are made of.
@usableFromInline
package final class SignalCore<Payload: Sendable>: ObserverList,
  @unchecked Sendable  // Reason: constant.
{
  @usableFromInline
  let hub: Hub
  let name: String
  /// The observers of every event of the bus.
  let wildcards: SignalCore<AnyEvent>?
  /// Looked up once: making the class of a generic observer anew costs as much as registering it.
  let plainObserver = PlainObserver<Payload>.self
  /// What all names share that are this event; nothing for a signal without a name.
  let interned: InternedName?
  let replays = LazyReference<ReplayBuffer<Payload>>()
  /// Leads others to this list without keeping it.
  let proxy = ListProxy()
  /// Whether these are the observers of every event of the bus.
  private let isForEveryEvent: Bool
  private let hasToldMany = Atomic<Bool>(false)
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
    self.name = name
    self.isForEveryEvent = isForEveryEvent
    self.interned = interned
    self.hub = hub
    self.wildcards = wildcards
    super.init(numbers: hub.numbers)
    // Before anybody can find the list: the first post is recorded, too.
    if let interned, interned.replay > 0 { noteReplay() }
    proxy.connect(self)
  }

  @discardableResult
  override package func add(
    _ observer: AnyObserver,
    priority: Int,
    for sender: AnyObject? = nil
  ) -> Bool {
    let isAdded = super.add(observer, priority: priority, for: sender)
    if isAdded, let hook = hub.hooks.onManyObservers { tellIfMany(hook) }
    return isAdded
  }

  override package func noteOccupied(_ isOccupied: Bool) {
    if isForEveryEvent { hub.noteWildcards(isOccupied) }
  }

  private func tellIfMany(_ hook: (String, Int) -> Void) {
    let count = count
    guard count > hub.hooks.manyObserversThreshold,
      !hasToldMany.exchange(true, ordering: .acquiringAndReleasing)
    else { return }
    HookCall.run { hook(name, count) }
  }

  deinit {
    proxy.disconnect()
    interned?.remove(ObjectIdentifier(proxy))
  }

  /// The signal through which a bus shows these observers: the same for as long as somebody has it.
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
  /// - Returns: How many handlers were called or have it queued.
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
    var reached = 0
    if !isEmpty {
      let outcome = deliver(payload, watchesNesting: { hub.watchesNesting }) { error, observer in
        report(error, observer, payload, from: sender, fileID: fileID, line: line)
      }
      guard let outcome else {
        return sendInOrder(
          payload,
          from: sender,
          excluding: token,
          fileID: fileID,
          line: line,
          isolation: isolation
        )
      }
      reached = outcome
    }
    if reached == 0, hub.tellsUnhandled {
      tellUnhandled(payload, from: sender, fileID: fileID, line: line)
    }
    return reached
  }

  /// Delivers an event by the general path.
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

  /// Delivers an event of which everything is known.
  ///
  /// - Parameters:
  ///   - payload: What it carries.
  ///   - sender: Its sender, held by the caller; `nil` also for an event that has waited.
  ///   - known: Where it comes from.
  /// - Returns: How many handlers were called or have it queued.
  @discardableResult
  func deliver(_ payload: Payload, from sender: AnyObject?, _ known: Delivery) -> Int {
    if let isolation = known.isolation, !hub.waiting.isZero { hub.drainMailbox(of: isolation) }
    var delivery = known
    if let limit = interned?.replay, limit > 0 {
      delivery.number = replays.object(orMake: ReplayBuffer.init)
        .record(
          payload,
          delivery,
          from: delivery.waitedFrom ?? sender.map { identity(of: $0) },
          limit: limit
        )
    }
    let reached: Int
    let trace = HookCall.isRunning ? nil : hub.hooks.onTrace
    let nesting = hub.watchesNesting ? nesting : 0
    let isNesting = nesting >= PostFrame.mostUnwatched
    if trace != nil || isNesting {
      let unwatched = isNesting ? PostFrame.mostUnwatched : 0
      reached = PostFrame.run(name, unwatched: unwatched) { frame in
        if isNesting, frame.depth >= 64 { hub.warnOfNesting(frame) }
        guard let trace else { return sendUntraced(payload, from: sender, delivery, told: nil) }
        return sendTraced(payload, from: sender, delivery, frame, trace)
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
  func report(
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
  func tellUnhandled(
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
    hub.report(
      HandlerFailure(
        error: error,
        event: event(payload, delivery),
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
