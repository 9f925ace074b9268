internal import Synchronization

/// The observers of one event with a known payload type, as used by buses and signals.
@usableFromInline
package final class SignalCore<Payload: Sendable>: ObserverList,
  @unchecked Sendable  // Reason: constant.
{
  @usableFromInline
  let busState: BusState
  let name: String
  /// The observers of every event of the bus.
  let wildcards: SignalCore<AnyEvent>?
  /// The classes of sinks and of kept events, stored because looking one up costs as much as creating an object.
  let plainSink = PlainSink<Payload>.self
  let handlerSink = HandlerSink<Payload>.self
  let conditionsClass = Conditions<Payload>.self
  let enqueuedEvents = TypedEnqueuedEvents<Payload>.self
  let recordedEvent = RecordedEvent<Payload>.self
  /// The state shared by all names of this event; `nil` for a signal without a name.
  let interned: InternedName?
  let replays = LazyReference<ReplayBuffer>()
  /// Whether these are the observers of every event of the bus.
  private let isForEveryEvent: Bool
  private let handle = Locked(SignalHandle())

  private struct SignalHandle {
    weak let signal: Signal<Payload>?

    init(_ signal: Signal<Payload>? = nil) { self.signal = signal }
  }

  init(
    name: String,
    busState: BusState,
    wildcards: SignalCore<AnyEvent>? = nil,
    interned: InternedName? = nil,
    isForEveryEvent: Bool = false
  ) {
    (self.name, self.busState, self.wildcards) = (name, busState, wildcards)
    (self.interned, self.isForEveryEvent) = (interned, isForEveryEvent)
    super.init(counts: busState.counts)
    // Before the list is published, so that the first post is recorded as well.
    if let interned, interned.replay > 0 { noteReplay() }
  }

  override func noteOccupied(_ isOccupied: Bool) {
    if isForEveryEvent { busState.noteWildcards(isOccupied) }
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
  /// - Parameters:
  ///   - payload: The payload.
  ///   - sender: The sender, kept alive by the caller.
  ///   - token: A registration to leave out.
  ///   - site: The call that posts the event.
  ///   - isolation: The actor on which the caller runs.
  /// - Returns: The number of handlers that were called or for which the event was queued.
  @inlinable
  func send(
    _ payload: Payload,
    from sender: AnyObject?,
    excluding token: Token?,
    at site: CallSite,
    on isolation: (any Actor)?
  ) -> Int {
    // Events that wait for the caller's actor come first.
    if let isolation, !busState.counts.areMailboxesEmpty { busState.drainMailbox(of: isolation) }
    // Call the observers, on the general path if hooks, recorded events or several groups of observers ask for it.
    let isPlain = token == nil && busState.isPlain
    let plainlyReached = isPlain ? deliver(payload, from: sender, at: site, on: isolation) : nil
    guard let reached = plainlyReached else {
      return sendInOrder(payload, from: sender, excluding: token, at: site, on: isolation)
    }
    // Report an event that reached none.
    if reached == 0, busState.reportsUnhandled {
      unhandled(payload, from: sender, at: site, on: isolation)
    }
    return reached
  }

  @usableFromInline
  @inline(never)
  func unhandled(
    _ payload: Payload,
    from sender: AnyObject?,
    at site: CallSite,
    on isolation: (any Actor)?
  ) {
    unhandled(payload, Post(at: site, from: sender, on: isolation))
  }

  /// Delivers an event on the general path.
  ///
  /// Not specialized: posts of other modules could not call a copy for `Void`, 14 kB with what it calls.
  @usableFromInline
  @inline(never)
  @_semantics("optimize.sil.specialize.generic.never")
  func sendInOrder(
    _ payload: Payload,
    from sender: AnyObject?,
    excluding token: Token?,
    at site: CallSite,
    on isolation: (any Actor)?
  ) -> Int {
    var post = Post(at: site, from: sender, on: isolation)
    post.excludedAddress = ObjectAddress.of(token?.registration)
    return sendInOrder(payload, from: sender, post)
  }

  /// Delivers an event on the general path, given its origin.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - sender: The sender, retained by the caller; `nil` if there is none, and for an event that
  ///     was enqueued.
  ///   - origin: The origin of the event.
  ///   - cause: The information that hooks need about an event that was enqueued.
  /// - Returns: The number of handlers that were called or for which the event was queued.
  @discardableResult
  func sendInOrder(
    _ payload: Payload,
    from sender: AnyObject?,
    _ origin: Post,
    enqueued cause: EnqueuingCause? = nil
  ) -> Int {
    let reached =
      busState.isFollowed && !RunningHook.isRunning
      ? follow(payload, from: sender, origin, cause) : call(payload, from: sender, origin)
    if reached == 0 { unhandled(payload, origin) }
    return reached
  }

  /// Calls the observers of a post that hooks follow.
  private func follow(
    _ payload: Payload,
    from sender: AnyObject?,
    _ origin: Post,
    _ cause: EnqueuingCause?
  ) -> Int {
    RunningPost.run(name, cause: cause?.post) { running in
      let interceptions = cause?.interceptions ?? busState.capture { event(payload, origin) }
      let record = FollowedPost(busState, running, origin, interceptions)
      var post = origin
      post.setRecord(record)
      record.report(.began)
      let reached = call(payload, from: sender, post)
      record.report(.ended(reached: reached))
      return reached
    }
  }

  /// Records an event for later observers, if its name asks for it, and calls the present ones.
  private func call(_ payload: Payload, from sender: AnyObject?, _ origin: Post) -> Int {
    // What the handlers enqueue, unlike what the hook enqueues, is reported.
    if RunningHook.isCaller {
      return RunningHook.deliver { call(payload, from: sender, origin) }
    }
    var post = origin
    if let limit = interned?.replay, limit > 0 {
      let identity = post.waitedFrom ?? sender.map { self.identity(of: $0) }
      let event = recordedEvent.init(payload, post, from: identity)
      post.number = replays.object(orMake: ReplayBuffer.init).record(event, limit: limit)
    }
    var anyEvent: AnyEvent?
    return deliverInOrder(payload, post, from: sender, wildcards: wildcards) {
      let event = anyEvent ?? self.event(payload, post)
      anyEvent = event
      return event
    }
  }

  /// Reports an event that reached no handler, if hooks ask for it.
  ///
  /// Events that are kept for later observers, and those by which the libraries announce the life of the
  /// program, are often not observed on purpose.
  private func unhandled(_ payload: Payload, _ post: Post) {
    guard busState.reportsUnhandled else { return }
    if let interned, interned.isLifecycle || interned.replay > 0 { return }
    busState.unhandled(event(payload, post))
  }

  override func handlerFailed(
    _ error: any Error,
    in sink: AnySink,
    payload: any Sendable,
    _ post: Post
  ) {
    post.record?.completion?.failed(error, at: sink.number)
    let event = self.event(payload, post)
    let site = SourceSite(sink.registration.site)
    busState.report(HandlerFailure(error: error, event: event, registeredAt: site))
  }

  // MARK: Warnings

  /// The name of the event in messages.
  var label: String { name.isEmpty ? "a signal" : "\"\(name)\"" }

  override func postsNest(_ depth: Int, at site: CallSite) -> Bool {
    warn(
      "The post of \(label) at \(SourceSite(site)) is nested in more than \(depth - 1) other posts on this thread, whose"
        + " stack is limited. If handlers answer each other, let one of them compare before it posts, or use enqueue"
    )
    return true
  }

  /// Reports that many handlers wait for each other's posts.
  func waitsNest(_ depth: Int, at site: CallSite) {
    warn(
      "The post of \(label) at \(SourceSite(site)) waits, and \(depth) handlers wait for each other and for it. If they"
        + " answer each other, let one of them compare before it posts, or post without waiting"
    )
  }

  override func chainIsLong(at site: CallSite) {
    warn(
      "Handlers have caused each other's events in \(EventChain.limit) turns; the newest event is \(label), posted at"
        + " \(SourceSite(site)). If they answer each other endlessly, let one of them compare before it posts"
    )
  }

  override func queueIsCrowded(
    _ count: Int,
    of actor: ActorIdentity?,
    registeredAt site: CallSite
  ) {
    let receiver =
      actor.map { "the actor \($0)" } ?? "an asynchronous handler"
    warn(
      "\(count) events wait for \(receiver); the newest is \(label), for the handler registered at"
        + " \(SourceSite(site)). It is blocked, or slower than the posting code: make it faster, or pass a"
        + " buffering policy to an asynchronous handler"
    )
  }

  /// Reports that many enqueued events wait.
  func enqueuedIsCrowded(_ count: Int, of actor: ActorIdentity?, at site: CallSite) {
    warn(
      "\(count) enqueued events wait for a turn\(actor.map { " of the actor \($0)" } ?? ""); the newest is"
        + " \(label), enqueued at \(SourceSite(site)). Let its handlers return sooner, or pass a coalescing option"
    )
  }

  /// Reports that many elements wait in a stream.
  func streamIsCrowded(_ count: Int, at site: CallSite) {
    warn(
      "\(count) events of \(label) wait in the stream created at \(SourceSite(site)). No task reads it, or not as fast"
        + " as events are posted. Read it, end it, or pass a buffering policy that keeps fewer"
    )
  }

  private func warn(_ text: String) {
    let bus = busState.label.isEmpty ? "" : "\"\(busState.label)\": "
    busState.message("EventBus: \(bus)\(text).".onOneLine)
  }

  func event(_ payload: any Sendable, _ post: Post) -> AnyEvent {
    AnyEvent(name: name, payload: payload, sender: post.sender, site: SourceSite(post.site))
  }
}
