internal import Synchronization

/// The implementation of shared properties: guards ``SharedChanges`` with a lock and delivers its rounds to
/// the observers.
package final class SharedCore<Value: Sendable>: ObserverList,
  @unchecked Sendable  // Reason: the state is locked or atomic.
{
  private typealias Changes = SharedChanges<Value>
  private typealias Routed = GeneralObserver<SharedRound<Value>>

  /// The parameters of one registration.
  struct Request {
    let options: ObserveOptions
    let fileID: StaticString
    let line: UInt
    var id: (any Hashable & Sendable)?
  }

  private let state: Locked<SharedChanges<Value>>
  private let areEqual: (@Sendable (Value, Value) -> Bool)?
  /// The thread that runs a user's closure or `==` under the lock, or zero.
  private let insider = Atomic<UInt>(0)
  private let hasWarned = Atomic<Bool>(false)
  /// A Boolean value that indicates whether a registration or the end of a pause followed the newest change.
  ///
  /// It is set without a lock, so that a pause may end inside an update.
  private let isBarred = Atomic<Bool>(false)
  private let counts = SharedCounts()
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
  var mergedCount: Int { counts.merged.load(ordering: .relaxed) }

  /// The current value.
  var value: Value {
    _ = enteringThread()
    return state.withLock { $0.value }
  }

  /// Stores a value and reports it, unless it equals the current one.
  func set(_ value: Value) {
    let thread = enteringThread()
    let depth = counts.depth(on: thread)
    let (old, recorded) = state.withLock { state in
      let old = state.value
      guard !isEmpty else {
        state.value = value
        return (old, nil as Changes.Recorded?)
      }
      if areEqual(old, value, on: thread) { return (old, nil) }
      state.value = value
      return (old, record(from: old, by: thread, answering: depth, in: &state))
    }
    // The old value is released here, outside the lock.
    withExtendedLifetime(old) {}
    if let recorded { finish(recorded) }
  }

  /// Mutates the value in place under the lock and reports the change, even if the closure throws.
  func update(_ body: (inout Value) throws -> Void) rethrows {
    let thread = enteringThread()
    let depth = counts.depth(on: thread)
    // Both are released outside the lock, at the end.
    var former: Value?
    var recorded: Changes.Recorded?
    defer {
      withExtendedLifetime(former) {}
      if let recorded { finish(recorded) }
    }
    try state.withLock { state in
      // The old value is copied only if there are observers.
      if !isEmpty { former = state.value }
      defer {
        if let former, !areEqual(former, state.value, on: thread) {
          recorded = record(from: former, by: thread, answering: depth, in: &state)
        }
      }
      insider.store(thread, ordering: .relaxed)
      defer { insider.store(0, ordering: .relaxed) }
      try body(&state.value)
    }
  }

  /// Registers an observer.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - owner: The owner of the registration.
  ///   - actor: The actor on which the handler runs.
  ///   - body: Calls the handler.
  /// - Returns: The link that ends the registration.
  func register(
    _ request: Request,
    owner: AnyObject? = nil,
    on actor: (any Actor)?,
    _ body: @escaping @Sendable (Change<Value>) -> Reception
  ) -> ObserverLink {
    _ = enteringThread()
    let link = ObserverLink(self)
    let inbox = SharedInbox<Value>(
      isBound: actor != nil,
      wantsPrior: request.options.contains(.prior),
      areEqual,
      counts
    )
    let id = request.id.map { AnyHashable($0) }
    let observer = Routed(
      ObserveRequest(
        fileID: request.fileID,
        line: request.line,
        predicate: { inbox.admits($0) }
      ),
      owner: owner,
      id: id,
      link: link,
      mailbox: actor.map { actor in
        mailboxes.member(of: actor) { Mailbox(actor, waiting: waiting) }
      },
      .handler { Self.call($0, inbox, link, body) }
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
      return (state.value, state.newest)
    }
    inbox.setBaseline(value, newest)
    var initial: SharedRound<Value>?
    if request.options.contains(.initial) {
      initial = SharedRound(Change(.initial, old: value, new: value), number: newest)
    }
    handOver(initial, to: link, inbox)
    return link
  }

  /// Calls a handler for an admitted round.
  private static func call(
    _ admitted: SharedRound<Value>,
    _ inbox: SharedInbox<Value>,
    _ link: ObserverLink,
    _ body: (Change<Value>) -> Reception
  ) -> Reception {
    guard let (round, mustAnnounce) = inbox.takeForCall(admitted) else { return .declined }
    return inbox.calling(round) {
      if mustAnnounce {
        let reception = body(round.announcement.change)
        guard reception == .called, link.isActive(0) else { return reception }
      }
      return body(round.change)
    }
  }

  /// Delivers the initial value and the changes made since to a new observer, then opens its inbox.
  ///
  /// After 64 changes a task continues.
  private func handOver(
    _ initial: SharedRound<Value>?,
    to link: ObserverLink,
    _ inbox: SharedInbox<Value>
  ) {
    // Counted as a call, so that waiting for the registration to finish includes it.
    guard let observer: Routed = link.begin() else { return }
    defer { link.finish() }
    if let initial { give(initial, to: observer, inbox, link) }
    var rest = Changes.othersPerTurn
    while rest > 0 {
      guard let (round, isKnown) = inbox.nextHeld() else { return }
      if isKnown { continue }
      give(round, to: observer, inbox, link)
      rest -= 1
    }
    Task.detached { self.handOver(nil, to: link, inbox) }
  }

  private func give(
    _ round: SharedRound<Value>,
    to observer: Routed,
    _ inbox: SharedInbox<Value>,
    _ link: ObserverLink
  ) {
    guard observer.isReceptive, inbox.keepsHandedOver(round) else { return }
    let reception = counts.calling(round.depth) {
      try? observer.accept(round, delivery)  // Reason: the handler's type does not throw.
    }
    if reception == .ownerLost { link.endByItself() }
  }

  override package func registrationResumed() { isBarred.store(true, ordering: .relaxed) }

  private func record(
    from old: Value,
    by thread: UInt,
    answering depth: Int?,
    in state: inout Changes
  ) -> Changes.Recorded {
    let isBarred = self.isBarred.exchange(false, ordering: .relaxed)
    return state.record(from: old, by: thread, answering: depth, isBarred: isBarred)
  }

  private func finish(_ recorded: Changes.Recorded) {
    if recorded.displaced != nil { counts.merged.wrappingAdd(1, ordering: .relaxed) }
    if recorded.mustDeliver { deliver() }
  }

  private func deliver() {
    while true {
      switch state.withLock({ $0.next() }) {
      case .deliver(let round):
        if round.depth > 100 { warn() }
        if round.isNothing(areEqual) {
          state.withLock { $0.skip(round) }
          counts.merged.wrappingAdd(1, ordering: .relaxed)
          continue
        }
        if counts.priors.load(ordering: .relaxed) > 0 { deliver(round.announcement) }
        deliver(round)
      case .leave(let startsTask):
        if startsTask { Task.detached { self.goOn() } }
        return
      case .rest: return
      }
    }
  }

  /// Continues, in a task, the delivery that a thread has left.
  private func goOn() {
    let thread = ThreadIdentity.current
    if state.withLock({ $0.taskBegins(on: thread) }) { deliver() }
  }

  private func deliver(_ round: SharedRound<Value>) {
    _ = deliverInOrder(
      round,
      delivery,
      from: nil,
      wildcards: nil,
      event: { round },
      told: nil
    ) { _, _ in
    }
  }

  private var delivery: Delivery { Delivery(fileID: site.fileID, line: site.line) }

  private func warn() {
    if hasWarned.exchange(true, ordering: .relaxed) { return }
    StandardError.print(
      "EventBus: the property at \(site.fileID):\(site.line) was set by its own observers"
        + " more than 100 times in a row. Set it only when the value differs."
    )
  }

  private func areEqual(_ old: Value, _ new: Value, on thread: UInt) -> Bool {
    guard let areEqual else { return false }
    insider.store(thread, ordering: .relaxed)
    defer { insider.store(0, ordering: .relaxed) }
    return areEqual(old, new)
  }

  /// Returns the calling thread; traps if it is already inside an update or a comparison.
  private func enteringThread() -> UInt {
    let thread = ThreadIdentity.current
    if insider.load(ordering: .relaxed) == thread {
      trap(
        "the property at \(site.fileID):\(site.line) was used inside its own update or comparison",
        remedy: "Work with the value that update hands to its closure"
      )
    }
    return thread
  }
}
