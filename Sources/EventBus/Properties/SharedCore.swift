internal import Synchronization

/// The shell around ``SharedChanges``: the lock, the observers, and the delivering between the two.
package final class SharedCore<Value: Sendable>: ObserverList,
  @unchecked Sendable  // Reason: locked.
{
  /// What one registration asks for.
  internal struct Request {
    let options: ObserveOptions
    let fileID: StaticString
    let line: UInt
    var id: (any Hashable & Sendable)?
  }

  private let state: Locked<SharedChanges<Value>>
  private let areEqual: (@Sendable (Value, Value) -> Bool)?
  /// The thread that runs somebody's code under the lock, or zero.
  private let insider = Atomic<UInt>(0)
  private let wantsPrior = Atomic<Bool>(false)
  private let hasWarned = Atomic<Bool>(false)
  private let mailboxes = ActorTable<Mailbox>()
  private let waiting = WaitingCount()
  private let site: (fileID: StaticString, line: UInt)

  internal init(
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

  /// The value now.
  internal var value: Value {
    _ = enteringThread()
    return state.withLock { $0.value }
  }

  /// Stores a value and reports it, unless it is equal to the present one.
  internal func set(_ value: Value) {
    let thread = enteringThread()
    let (displaced, mustDeliver) = state.withLock { state in
      let old = state.value
      guard !isEmpty else {
        state.value = value
        return (old, false)
      }
      if areEqual(old, value, on: thread) { return (old, false) }
      state.value = value
      return (old, state.record(from: old, by: thread))
    }
    // What was displaced is let go here, outside the lock.
    withExtendedLifetime(displaced) {}
    if mustDeliver { deliver() }
  }

  /// Changes the value in place, under the lock, and reports the change, also when the closure throws.
  internal func update(_ body: (inout Value) throws -> Void) rethrows {
    let thread = enteringThread()
    var mustDeliver = false
    defer { if mustDeliver { deliver() } }
    try state.withLock { state in
      // A copy is made only for observers.
      let old = isEmpty ? nil : state.value
      defer {
        if let old, !areEqual(old, state.value, on: thread) {
          mustDeliver = state.record(from: old, by: thread)
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
  ///   - request: What it asks for.
  ///   - owner: Its owner.
  ///   - facts: What is known of the owner.
  ///   - actor: The actor its handler runs on.
  ///   - body: Calls the handler.
  /// - Returns: What ends the registration.
  internal func register(
    _ request: Request,
    owner: AnyObject? = nil,
    _ facts: OwnerFacts = .none,
    on actor: (any Actor)?,
    _ body: @escaping @Sendable (Change<Value>) -> Reception
  ) -> ObserverLink {
    let link = ObserverLink(self)
    let gate = ReplayGate()
    let isTold = request.options.contains(.prior)
    var predicate: (@Sendable (Change<Value>) -> Bool)?
    if isTold {
      wantsPrior.store(true, ordering: .relaxed)
    } else {
      predicate = { $0.kind != .prior }
    }
    let observer = RoutedObserver<Change<Value>>(
      fileID: request.fileID,
      line: request.line,
      conditions: .init(predicate: predicate, once: false),
      owner: facts,
      link: link,
      gate: gate,
      mailbox: actor.map { mailbox(of: $0) },
      body: body
    )
    link.connect(observer)
    add(observer, priority: 0, isBound: actor != nil)
    if let carrier = owner as? any LifetimeOwner { link.join(carrier.lifetime.members) }
    if let owner, let id = facts.id { endOthers(of: owner, as: AnyHashable(id), before: observer) }
    // Linked first, looked at then: a change is in the value, or comes to the gate.
    let (value, newest) = state.withLock { ($0.value, $0.newest) }
    let delivery = Delivery(fileID: request.fileID, line: request.line)
    var kept: [(Change<Value>, Delivery)] = []
    if request.options.contains(.initial) {
      kept.append((Change(.initial, old: value, new: value), delivery))
    }
    handOver(kept, upTo: newest, to: observer, through: gate, link)
    return link
  }

  /// Whoever came last stays: also when two threads register under one name at once.
  private func endOthers(of owner: AnyObject, as id: AnyHashable, before observer: AnyObserver) {
    endAll { $0.order < observer.order && $0.belongs(to: owner, as: id) }
  }

  private func mailbox(of actor: any Actor) -> Mailbox {
    mailboxes.member(of: actor) { Mailbox(actor, waiting: waiting) }
  }

  private func deliver() {
    while let round = state.withLock({ $0.next() }) {
      if round.depth > 100 { warn() }
      if wantsPrior.load(ordering: .relaxed) {
        deliver(Change(.prior, old: round.change.old, new: round.change.new), round.number)
      }
      deliver(round.change, round.number)
    }
  }

  private func deliver(_ change: Change<Value>, _ number: UInt) {
    var delivery = Delivery(fileID: site.fileID, line: site.line)
    delivery.number = number
    _ = deliverInOrder(
      change,
      delivery,
      from: nil,
      wildcards: nil,
      event: { change },
      told: nil
    ) { _, _ in
    }
  }

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

  /// The calling thread, which must not be inside already.
  private func enteringThread() -> UInt {
    let thread = ThreadIdentity.current
    if insider.load(ordering: .relaxed) == thread {
      Misuse.trap(
        "the property at \(site.fileID):\(site.line) was used inside its own update or comparison",
        remedy: "Work with the value that update hands to its closure"
      )
    }
    return thread
  }
}
