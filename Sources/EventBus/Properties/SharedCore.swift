internal import Synchronization

/// The implementation of shared properties: guards ``SharedChanges`` with a lock and delivers its rounds to
/// the observers.
package final class SharedCore<Value: Sendable>: ObserverList,
  @unchecked Sendable  // Reason: the state is locked or atomic.
{
  /// The parameters of one registration.
  struct Request {
    let options: ObserveOptions
    let fileID: StaticString
    let line: UInt
    var id: (any Hashable & Sendable)?
  }

  /// Converts a change into the one that the handler receives.
  typealias View<Seen> = @Sendable (Change<Value>) -> Change<Seen>

  let state: Locked<SharedChanges<Value>>
  /// Compares values; without it, every change is reported.
  let areEqual: (@Sendable (Value, Value) -> Bool)?
  /// The thread that runs a user's closure or `==` under the lock, or zero.
  private let insider = Atomic<UInt>(0)
  private let hasWarned = Atomic<Bool>(false)
  /// A Boolean value that indicates whether a registration or the end of a pause followed the newest change.
  ///
  /// It is set without a lock, so that a pause may end inside an update.
  let isBarred = Atomic<Bool>(false)
  private let merged = Atomic<Int>(0)
  /// The number of observers that receive announcements.
  let priors = Atomic<Int>(0)
  /// The depths of the rounds for which threads are calling handlers outside any turn: on actors and during
  /// registrations.
  private let depths = Locked<[UInt: Int]>([:])
  private let depthCount = Atomic<Int>(0)
  private let mailboxes = ActorTable<Mailbox>()
  private let waiting = WaitingCount()
  private let site: (fileID: StaticString, line: UInt)

  init(
    _ value: Value,
    areEqual: (@Sendable (Value, Value) -> Bool)?,
    fileID: StaticString,
    line: UInt
  ) {
    state = Locked(SharedChanges(value))
    self.areEqual = areEqual
    site = (fileID, line)
    super.init(numbers: RegistrationCounter())
  }

  /// The number of merged changes, for ``SharedObserved/mergedCount``.
  var mergedCount: Int { merged.load(ordering: .relaxed) }

  /// Counts a merged change.
  func countMerged() { merged.wrappingAdd(1, ordering: .relaxed) }

  /// The current value.
  var value: Value {
    _ = enteringThread()
    return state.withLock { $0.value }
  }

  /// Stores a value and reports it, unless it equals the current one.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - property: The property that owns this object; an open batch retains it.
  func set(_ value: Value, of property: (any AnyObject & Sendable)?) {
    let batch = OpenBatch.isAnyOpen ? OpenBatch.current : nil
    let thread = enteringThread()
    let depth = depth(on: thread)
    // The closure exchanges the value with the old one, which is released outside the lock. It returns no
    // tuple, because the look-up of its metadata would take longer than the rest.
    var value = value
    var displaced: Value?
    var batched: [Value]?
    let mustDeliver = state.withLock { state in
      let isObserved = !isEmpty
      if isObserved, areEqual(state.value, value, on: thread) { return false }
      swap(&state.value, &value)
      guard isObserved else { return false }
      return record(
        from: value,
        by: thread,
        answering: depth,
        in: batch,
        of: property,
        &displaced,
        &batched,
        &state
      )
    }
    withExtendedLifetime(value) {}
    withExtendedLifetime(batched) {}
    finish(mustDeliver, displaced, of: property)
  }

  /// Mutates the value in place under the lock and reports the change, even if the closure throws.
  ///
  /// - Parameters:
  ///   - property: The property that owns this object; an open batch retains it.
  ///   - isolation: The actor on which the caller runs; its handlers are called before the method returns.
  ///   - body: Mutates the value.
  func update(
    of property: (any AnyObject & Sendable)? = nil,
    isolation: (any Actor)? = nil,
    _ body: (inout Value) throws -> Void
  ) rethrows {
    let batch = OpenBatch.isAnyOpen ? OpenBatch.current : nil
    let thread = enteringThread()
    let depth = depth(on: thread)
    // All are released outside the lock, at the end.
    var former: Value?
    var displaced: Value?
    var batched: [Value]?
    var mustDeliver = false
    defer {
      withExtendedLifetime(former) {}
      withExtendedLifetime(batched) {}
      // A handler that was called later, outside a turn, must not be called again inside itself.
      finish(mustDeliver, displaced, of: property, isolation: depth == nil ? isolation : nil)
    }
    try state.withLock { state in
      // The old value is copied only if there are observers.
      if !isEmpty { former = state.value }
      defer {
        if let former, !areEqual(former, state.value, on: thread) {
          mustDeliver = record(
            from: former,
            by: thread,
            answering: depth,
            in: batch,
            of: property,
            &displaced,
            &batched,
            &state
          )
        }
      }
      insider.store(thread, ordering: .relaxed)
      defer { insider.store(0, ordering: .relaxed) }
      try body(&state.value)
    }
  }

  /// Registers a handler that belongs to its token.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - actor: The actor on which the handler runs.
  ///   - view: Converts a change into the one that the handler receives.
  ///   - call: The handler, without its isolation.
  /// - Returns: The token.
  func observe<Seen>(
    _ request: Request,
    on actor: (any Actor)?,
    _ view: @escaping View<Seen>,
    _ call: @escaping @Sendable (Change<Seen>) throws -> Void
  ) -> Token {
    let link = register(request, on: actor) { change in
      try? call(view(change))  // Reason: the handler's type does not throw.
      return .called
    }
    return Token(link, handle: 0)
  }

  /// Registers a handler that belongs to an object.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - owner: The object, held weakly.
  ///   - actor: The actor on which the handler runs.
  ///   - view: Converts a change into the one that the handler receives.
  ///   - call: The handler, without its isolation.
  /// - Returns: The token.
  func observe<Owner: AnyObject & Sendable, Seen>(
    _ request: Request,
    owner: Owner,
    on actor: (any Actor)?,
    _ view: @escaping View<Seen>,
    _ call: @escaping @Sendable (Owner, Change<Seen>) throws -> Void
  ) -> Token {
    let link = register(request, owner: owner, on: actor) { [weak owner] change in
      guard let owner else { return .ownerLost }
      try? call(owner, view(change))  // Reason: as above.
      return .called
    }
    return Token(link, handle: 0, isKept: true)
  }

  /// Registers an observer.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - owner: The owner, held weakly.
  ///   - actor: The actor on which the handler runs.
  ///   - isAtHome: A Boolean value that indicates whether the caller runs on that actor, and the initial
  ///     value is to be delivered before the method returns.
  ///   - body: Calls the handler.
  /// - Returns: The registration.
  func register(
    _ request: Request,
    owner: AnyObject? = nil,
    on actor: (any Actor)?,
    isAtHome: Bool = false,
    _ body: @escaping @Sendable (Change<Value>) -> Reception
  ) -> ObserverRegistration {
    _ = enteringThread()
    let link = ObserverRegistration(self)
    let inbox = SharedInbox(
      self,
      link,
      isBound: actor != nil,
      wantsPrior: request.options.contains(.prior)
    )
    let id = request.id.map { AnyHashable($0) }
    let observer = GeneralObserver<SharedRound<Value>>(
      ObserveRequest(fileID: request.fileID, line: request.line),
      where: { inbox.admits($0) },
      owner: owner,
      id: id,
      link: link,
      mailbox: actor.map { actor in
        mailboxes.member(of: actor) { Mailbox(actor, waiting: waiting) }
      },
      .handler { inbox.call($0, body) }
    )
    link.connect(observer)
    add(observer, priority: 0)
    if let carrier = owner as? any LifetimeOwner { link.join(carrier.lifetime.members) }
    if let owner, let id {
      // The latest registration remains, even if two threads register with one identifier at once.
      endAll { $0.order < observer.order && $0.belongs(to: owner, as: id) }
    }
    // Added before the value is read: every change is either in the value or reaches the inbox.
    let (value, newest) = state.withLock { state in
      isBarred.store(true, ordering: .relaxed)
      return state.register()
    }
    inbox.setBaseline(value, newest)
    let change = Change(.initial, old: value, new: value)
    let initial = SharedRound(change: change, first: newest, number: newest)
    inbox.handOver(request.options.contains(.initial) ? initial : nil, isAtHome: isAtHome)
    return link
  }

  override package func registrationResumed() { isBarred.store(true, ordering: .relaxed) }

  private func record(
    from old: Value,
    by thread: UInt,
    answering depth: Int?,
    in batch: OpenBatch?,
    of property: (any AnyObject & Sendable)?,
    _ displaced: inout Value?,
    _ batched: inout [Value]?,
    _ state: inout SharedChanges<Value>
  ) -> Bool {
    let isBarred = isBarred.exchange(false, ordering: .relaxed)
    if batch != nil || state.isBatched {
      let mustReport = recordBatched(
        from: old,
        by: thread,
        answering: depth,
        isBarred: isBarred,
        in: batch,
        of: property,
        &batched,
        &state
      )
      guard mustReport else { return state.beginTurn(of: thread) }
    }
    return state.record(
      from: old,
      by: thread,
      answering: depth,
      isBarred: isBarred,
      displaced: &displaced
    )
  }

  private func finish(
    _ mustDeliver: Bool,
    _ displaced: Value?,
    of property: (any AnyObject & Sendable)?,
    isolation: (any Actor)? = nil
  ) {
    if displaced != nil { countMerged() }
    if mustDeliver { deliver(of: property, isolation: isolation) }
  }

  /// Delivers rounds until the turn of this thread, or of this task, is over.
  ///
  /// - Parameters:
  ///   - property: The property that owns this object, and whose end would end the registrations; a task
  ///     that continues the delivery retains it.
  ///   - isolation: The actor on which the caller runs; its handlers are called at once.
  func deliver(of property: (any AnyObject & Sendable)?, isolation: (any Actor)? = nil) {
    while true {
      let (next, startsTask) = state.withLock { $0.next() }
      guard var round = next else {
        if startsTask { Task.detached { self.deliverRest(of: property) } }
        return
      }
      if round.depth > 100 { warn() }
      if round.isNothing(areEqual) {
        if round.countsWhenDropped { countMerged() }
        if state.withLock({ $0.skip(round) }) { continue }
        round = round.counted
      } else if round.isAnnounced, priors.load(ordering: .relaxed) > 0 {
        deliver(round.announcement, isolation)
      }
      deliver(round, isolation)
    }
  }

  /// Continues, in a task, the delivery that a thread has left.
  private func deliverRest(of property: (any AnyObject & Sendable)?) {
    let thread = currentThreadID()
    if state.withLock({ $0.taskBegins(on: thread) }) { deliver(of: property) }
    withExtendedLifetime(property) {}
  }

  private func deliver(_ round: SharedRound<Value>, _ isolation: (any Actor)?) {
    var delivery = delivery
    if let isolation {
      delivery.isolation = isolation
      // What waits for the actor comes first.
      if !waiting.isZero { mailboxes.member(of: isolation)?.drain() }
    }
    _ = deliverInOrder(
      round,
      delivery,
      from: nil,
      wildcards: nil,
      event: { round }
    ) { _, _ in
    }
  }

  /// The origin of every round: the property itself.
  var delivery: Delivery { Delivery(fileID: site.fileID, line: site.line) }

  private func warn() {
    if hasWarned.exchange(true, ordering: .relaxed) { return }
    printError(
      "EventBus: the property at \(site.fileID):\(site.line) was set by its own observers"
        + " more than 100 times in a row. Set it only when the value differs."
    )
  }

  /// Returns the depth of the round for which a thread is calling a handler outside any turn.
  private func depth(on thread: UInt) -> Int? {
    guard depthCount.load(ordering: .relaxed) > 0 else { return nil }
    return depths.withLock { $0[thread] }
  }

  /// Makes a call outside any turn.
  ///
  /// - Parameters:
  ///   - depth: The depth of the round.
  ///   - body: The call.
  /// - Returns: The result of the call.
  func calling<Result>(_ depth: Int, _ body: () -> Result) -> Result {
    let thread = currentThreadID()
    depthCount.wrappingAdd(1, ordering: .relaxed)
    let outer = depths.withLock { $0.updateValue(depth, forKey: thread) }
    defer {
      depths.withLock { $0[thread] = outer }
      depthCount.wrappingSubtract(1, ordering: .relaxed)
    }
    return body()
  }

  private func areEqual(_ old: Value, _ new: Value, on thread: UInt) -> Bool {
    guard let areEqual else { return false }
    insider.store(thread, ordering: .relaxed)
    defer { insider.store(0, ordering: .relaxed) }
    return areEqual(old, new)
  }

  /// Returns the calling thread; traps if it is already inside an update or a comparison.
  private func enteringThread() -> UInt {
    let thread = currentThreadID()
    if insider.load(ordering: .relaxed) == thread {
      trap(
        "the property at \(site.fileID):\(site.line) was used inside its own update or comparison",
        remedy: "Work with the value that update hands to its closure"
      )
    }
    return thread
  }
}
