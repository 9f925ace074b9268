public import Synchronization

extension ObserverList {
  /// Whether a post need look at nothing but the slots of one lane.
  @inlinable
  package final var isPlain: Bool { peculiarities.load(ordering: .acquiring) == 0 }

  /// Whether a post without a sender need look at nothing but the slots of one lane.
  @inlinable
  package final var isPlainWithoutSender: Bool {
    peculiarities.load(ordering: .acquiring) & ~Self.addressed == 0
  }

  /// Whether nobody observes.
  @inlinable
  package final var isEmpty: Bool { published.live.load(ordering: .acquiring) == 0 }

  /// Delivers to every observer of a plain list, in order.
  ///
  /// No lock is taken, nothing is retained or allocated.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - watchesNesting: Returns whether to give up when very many posts are running.
  ///   - failed: Told of every error a handler throws.
  /// - Returns: How many handlers were reached; `nil`, with nothing done, when the list is no longer plain
  ///   or so many posts are running that they may nest without end.
  /// - Complexity: O(*n*) in the number of observers.
  @inlinable
  package final func deliver<Payload: Sendable>(
    _ payload: Payload,
    watchesNesting: () -> Bool,
    failed: (any Error, AnyObserver) -> Void
  ) -> Int? {
    guard let visit = domain.enter() else { return 0 }
    // The caller has looked already. What has become special since is found now: from here on nothing
    // settles its count (``CallCount``) without this post being known to miss it.
    if !isPlainWithoutSender || visit.isCrowded && watchesNesting() {
      abandon(visit)
      return nil
    }
    var tally = DeliveryTally()
    if let block = SlotBlock(address: published.sole.load(ordering: .sequentiallyConsistent)) {
      // The count is read once: what is added from now on lies beyond it.
      for index in 0..<block.count {
        _ = ObjectAddress.borrow(block[index]) { (observer: Observer<Payload>) in
          tally.hand(to: observer, in: self, failed: failed) { try $0.receive(payload) }
        }
      }
    }
    domain.leave(visit)
    return tally.reached
  }

  /// Delivers in the one order there is, by priority and number: to the observers for any sender, to
  /// those for this sender and to those for any event, if they were registered when the post began.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - delivery: Where the event comes from.
  ///   - sender: The sender, held by the caller; `nil` also for an event that has waited.
  ///   - wildcards: The observers of any event; they do not count as reached.
  ///   - event: Makes what they are given, once.
  ///   - told: Told what came of the event at each observer.
  ///   - failed: Told of every error a handler throws.
  /// - Returns: How many handlers were reached.
  /// - Complexity: O(*n*) in the number of observers that match.
  package final func deliverInOrder<Payload: Sendable, Event: Sendable>(
    _ payload: Payload,
    _ delivery: borrowing Delivery,
    from sender: AnyObject?,
    wildcards: ObserverList?,
    event: () -> Event,
    told: ((AnyObserver, Reception) -> Void)?,
    failed: (any Error, AnyObserver) -> Void
  ) -> Int {
    let newest = numbers.newest
    let waitedFrom = delivery.waitedFrom
    let visit = domain.enter()
    let otherVisit = wildcards?.domain.enter()
    func walk() -> MergedWalk {
      MergedWalk(
        common: visit == nil ? ObserverWalk() : ObserverWalk(published),
        special: visit == nil ? ObserverWalk() : self.walk(for: sender, or: waitedFrom),
        wildcards: wildcards.flatMap { otherVisit == nil ? nil : ObserverWalk($0.published) }
          ?? ObserverWalk()
      )
    }
    var anyEvent: Event?
    var tally = DeliveryTally()
    var otherTally = DeliveryTally()
    func stop(at stop: MergedWalk.Stop) {
      guard stop.isWildcard, let wildcards else {
        return hand(payload, delivery, to: stop.address, newest, &tally, told, failed)
      }
      let given = anyEvent ?? event()
      anyEvent = given
      wildcards.hand(given, delivery, to: stop.address, newest, &otherTally, told, failed)
    }
    var ahead = walk()
    if let told {
      // Whoever is removed on the way has no place any more, and whoever joins stands behind the end of
      // the walk: a trace looks before and again after.
      for next in ahead.rest() { stop(at: next) }
      for next in walk().rest() { Self.tellIfNew(next, newest, told) }
    } else {
      while let next = ahead.next() { stop(at: next) }
    }
    if let otherVisit { wildcards?.domain.leave(otherVisit) }
    if let visit { domain.leave(visit) }
    return tally.reached
  }

  private static func tellIfNew(
    _ stop: MergedWalk.Stop,
    _ newest: UInt,
    _ told: (AnyObserver, Reception) -> Void
  ) {
    _ = ObjectAddress.borrow(stop.address) { (observer: AnyObserver) in
      if observer.order > newest { told(observer, .tooNew) }
    }
  }

  @usableFromInline
  final func abandon(_ visit: Visit) { domain.abandon(visit) }

  /// How many posts of the calling thread's cell are in this list: at least this thread's own.
  package final var nesting: Int { Int(domain.insideOwnCell) }

  /// Takes note of the sender of an event that is delivered later.
  ///
  /// - Parameter sender: The sender, held by the caller.
  /// - Returns: What the sender is known by later.
  /// - Complexity: O(1), one lock: what is registered later has a higher number.
  package final func identity(of sender: AnyObject) -> SenderIdentity {
    registry.withLock { _ in
      SenderIdentity(
        sender,
        group: SenderTable.find(sender, in: senders),
        newest: numbers.newest
      )
    }
  }

  private func walk(for sender: AnyObject?, or waitedFrom: SenderIdentity?) -> ObserverWalk {
    let group =
      if let sender {
        SenderTable.find(sender, in: senders)
      } else {
        waitedFrom.flatMap { SenderTable.find($0, in: senders) }
      }
    return group.map { ObserverWalk($0.published) } ?? ObserverWalk()
  }

  private func hand<Payload: Sendable>(
    _ payload: Payload,
    _ delivery: borrowing Delivery,
    to address: UInt,
    _ newest: UInt,
    _ tally: inout DeliveryTally,
    _ told: ((AnyObserver, Reception) -> Void)?,
    _ failed: (any Error, AnyObserver) -> Void
  ) {
    _ = ObjectAddress.borrow(address) { (observer: Observer<Payload>) in
      let reception: Reception
      // A trace tells of it at the end.
      if observer.order > newest { return observer.calls.addMissed() }
      if let excluded = delivery.excluded, excluded.isMeant(observer, of: self) {
        reception = .excluded
        observer.calls.addMissed()
      } else {
        let outcome = tally.hand(to: observer, in: self, failed: failed) {
          try $0.receive(payload, delivery)
        }
        reception = outcome == .paused && observer.isCancelled ? .cancelled : outcome
      }
      told?(observer, reception)
    }
  }
}

extension ObserverList {
  /// Gives a new observer what was there before it came, and then what arrived meanwhile.
  ///
  /// The observer is linked already, with its gate closed: whatever is delivered now waits at the gate.
  ///
  /// - Parameters:
  ///   - kept: What was there, in order, and where it came from.
  ///   - baseline: The number of the newest delivery that need not be made any more.
  ///   - observer: The observer.
  ///   - gate: Its gate, open when this returns.
  package final func handOver<Payload: Sendable>(
    _ kept: some Sequence<(Payload, Delivery)>,
    upTo baseline: UInt,
    to observer: ConditionalObserver<Payload>,
    through gate: ReplayGate
  ) {
    gate.setBaseline(baseline)
    for (payload, delivery) in kept { give(payload, delivery, to: observer) }
    while let waiting = gate.takeWaitingOrOpen() {
      for case let event as ReplayGate.WaitingEvent<Payload> in waiting {
        give(event.payload, event.delivery, to: observer)
      }
    }
  }

  private func give<Payload: Sendable>(
    _ payload: Payload,
    _ delivery: Delivery,
    to observer: ConditionalObserver<Payload>
  ) {
    guard observer.isReceptive else { return }
    do {
      _ = try observer.pass(payload, delivery)
    } catch {
      handlerFailed(error, in: observer, payload: payload, delivery: delivery)
    }
  }
}
