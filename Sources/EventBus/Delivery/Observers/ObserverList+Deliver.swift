public import Synchronization

extension ObserverList {
  /// A Boolean value that indicates whether every post needs only one list of slots.
  package final var isPlain: Bool { specialCases.load(ordering: .acquiring) == 0 }

  /// A Boolean value that indicates whether there are no observers of any sender.
  @inlinable
  package final var isEmpty: Bool { common.live.load(ordering: .acquiring) == 0 }

  /// A Boolean value that indicates whether a post neither reaches an observer nor is recorded.
  @inlinable
  final var isUnobserved: Bool { isEmpty && specialCases.load(ordering: .acquiring) == 0 }

  /// Delivers to every observer that a post concerns, in order, if all of them are in one group.
  ///
  /// Takes no lock except to find the observers of a sender, retains nothing and allocates nothing. What most posts do not need is not inlined, and receives
  /// the parts of the origin one by one: a ``Delivery`` made here would retain the actor and the sender.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - sender: The sender, kept alive by the caller.
  ///   - site: The call that posts the event.
  ///   - isolation: The actor on which the poster runs.
  ///   - othersWait: Whether events wait for actors. Handlers on the poster's actor are then called only if none of
  ///     these comes first, which the delivery with the origin looks up.
  /// - Returns: The number of handlers reached; `nil`, with nothing done, when payloads are recorded, or when
  ///   the observers of this sender and of any sender have to be merged.
  /// - Complexity: O(*n*) in the number of observers.
  @inlinable
  package final func deliver<Payload: Sendable>(
    _ payload: Payload,
    from sender: AnyObject?,
    at site: CallSite,
    on isolation: (any Actor)?,
    othersWait: Bool
  ) -> Int? {
    if isUnobserved { return 0 }
    guard let visit = domain.enter() else { return nil }
    if visit.isDeep { beginDeepPost(at: site) }
    let actor = othersWait ? 0 : ObjectAddress.of(isolation)
    var cases = specialCases.load(ordering: .sequentiallyConsistent)
    if sender == nil { cases &= ~Self.addressed }
    var (table, newest): (AtomicWords?, UInt64) = (nil, AnyObserver.numberMask)
    if cases != 0 {
      guard let lists = lists(cases, of: sender) else {
        if visit.isDeep { endDeepPost() }
        domain.leave(visit)
        return nil
      }
      // Lists that this post has not reached yet may grow.
      (table, newest) = (lists, UInt64(newestNumber))
    }
    var (reached, list) = (0, 0)
    repeat {
      let address =
        if let table { table[list &+ 1] } else {
          common.sole.load(ordering: .sequentiallyConsistent)
        }
      if let block = AtomicWords(address: address) {
        // The count is read once: observers added from now on lie beyond it.
        for index in 0..<block.count {
          _ = ObjectAddress.borrow(block[index]) { (observer: Observer<Payload>) in
            let entry = observer.entry.load(ordering: .relaxed)
            do {
              // The flags stand above the number: none is set, or `indirect` alone.
              if entry <= newest {
                try observer.asPlain.handler(payload)
                reached &+= 1
              } else if entry & ~AnyObserver.indirect <= newest {
                let isReached =
                  try observer.receive(payload, on: actor)
                  ?? deliverWithOrigin(payload, to: observer, from: sender, at: site, on: isolation)
                if isReached { reached &+= 1 }
              }
            } catch {
              handlerFailed(error, in: observer, payload, from: sender, at: site, on: isolation)
              reached &+= 1
            }
          }
        }
      }
      list &+= PriorityLists.stride
    } while list < table?.count ?? 0
    if visit.isDeep { endDeepPost() }
    domain.leave(visit)
    return reached
  }

  /// Counts a post that may be inside many posts of the thread, and reports it if it is.
  @usableFromInline
  @inline(never)
  final func beginDeepPost(at site: CallSite) {
    guard let notes = ThreadNotes.current else { return }
    let depth = notes.beginPost()
    if depth > 0, postsNest(depth, at: site) { notes.notePostsReported() }
  }

  /// Ends the count of a post that ``beginDeepPost(at:)`` has counted.
  @usableFromInline
  @inline(never)
  final func endDeepPost() { ThreadNotes.current?.endPost() }

  /// Delivers an event to an observer that needs its origin.
  ///
  /// - Returns: Whether the event reached the handler or its queue.
  /// - Throws: The error of the handler.
  @usableFromInline
  @inline(never)
  final func deliverWithOrigin<Payload: Sendable>(
    _ payload: Payload,
    to observer: Observer<Payload>,
    from sender: AnyObject?,
    at site: CallSite,
    on isolation: (any Actor)?
  ) throws -> Bool {
    try observer.receive(payload, Delivery(at: site, from: sender, on: isolation)).isReached
  }

  @usableFromInline
  @inline(never)
  final func handlerFailed<Payload: Sendable>(
    _ error: any Error,
    in observer: AnyObserver,
    _ payload: Payload,
    from sender: AnyObject?,
    at site: CallSite,
    on isolation: (any Actor)?
  ) {
    let delivery = Delivery(at: site, from: sender, on: isolation)
    handlerFailed(error, in: observer, payload: payload, delivery: delivery)
  }

  @usableFromInline
  final var newestNumber: UInt { numbers.newest }

  /// Returns the table of the only group of observers that a post concerns.
  ///
  /// For announced readers.
  ///
  /// - Parameters:
  ///   - cases: The special cases that concern the post.
  ///   - sender: The sender, kept alive by the caller.
  /// - Returns: The table of ``PriorityLists``; `nil` if the post concerns several groups, or is recorded.
  @usableFromInline
  final func lists(_ cases: UInt, of sender: AnyObject?) -> AtomicWords? {
    guard cases & Self.replayed == 0 else { return nil }
    if cases & Self.addressed == 0 { return common.tableBlock }
    // A group, but no table: there are observers of any sender, too.
    let group = ObjectAddress.of(sender)
    let own: AtomicWords?? = registry.withLock { registry in
      registry.senders.group(at: group).map { group in
        common.live.load(ordering: .sequentiallyConsistent) == 0 ? group.observers.tableBlock : nil
      }
    }
    if let own { return own }
    return common.tableBlock
  }

  /// Delivers by priority and number to the observers of any sender, of this sender and of any event.
  ///
  /// Only observers registered before the post began are called. The errors of handlers are reported.
  /// Not specialized, like the general path of ``SignalCore``, from which it is called.
  ///
  /// - Parameters:
  ///   - eventPayload: The payload.
  ///   - delivery: The origin of the event.
  ///   - sender: The sender, kept alive by the caller; `nil` also for an event that has waited.
  ///   - wildcards: The observers of any event; they do not count as reached.
  ///   - event: Returns the payload of the wildcard observers. The caller creates it once: an optional of it
  ///     here would be looked up at run time, at every post.
  /// - Returns: The number of handlers reached.
  /// - Complexity: O(*n*) in the number of observers that match.
  @_semantics("optimize.sil.specialize.generic.never")
  final func deliverInOrder<Payload: Sendable, Event: Sendable>(
    _ eventPayload: Payload,
    _ delivery: borrowing Delivery,
    from sender: AnyObject?,
    wildcards: ObserverList?,
    event: () -> Event
  ) -> Int {
    let newest = numbers.newest
    let waitedFrom = delivery.waitedFrom
    let visit = domain.enter()
    let wildcardVisit = wildcards?.domain.enter()
    let isDeep = visit?.isDeep ?? false || wildcardVisit?.isDeep ?? false
    if isDeep { beginDeepPost(at: delivery.site) }
    @inline(never)
    func beginWalk() -> MergedWalk {
      MergedWalk(
        common: visit == nil ? ObserverWalk() : ObserverWalk(common),
        special: visit == nil ? ObserverWalk() : groupWalk(of: sender, or: waitedFrom),
        wildcards: wildcards.flatMap { wildcardVisit == nil ? nil : ObserverWalk($0.common) }
          ?? ObserverWalk()
      )
    }
    func call<Given: Sendable>(_ address: UInt, of list: ObserverList, with payload: Given) -> Int {
      ObjectAddress.borrow(address) { (observer: Observer<Given>) in
        // Not called; recorded at the end.
        if observer.order > newest { return 0 }
        let reception: Reception
        if let excluded = delivery.excluded, excluded.identifies(observer, of: list) {
          reception = .excluded
        } else {
          reception = offer(to: observer, eventPayload, delivery) {
            try observer.receive(payload, delivery)
          }
        }
        delivery.record?.met(reception, at: observer, in: list, on: delivery.isolation)
        return reception.isReached ? 1 : 0
      } ?? 0
    }
    var reached = 0
    func call(_ address: UInt, isWildcard: Bool) {
      if isWildcard, let wildcards {
        _ = call(address, of: wildcards, with: event())
      } else {
        reached += call(address, of: self, with: eventPayload)
      }
    }
    var walk = beginWalk()
    // An observer removed during the walk is no longer linked, and one added during it stands behind the
    // end of the walk. A record therefore needs the observers before the walk, and again after it.
    var recorded = delivery.record == nil ? [] : walk.remaining()[...]
    while let (address, isWildcard) = recorded.popFirst() ?? walk.next() {
      call(address, isWildcard: isWildcard)
    }
    if let record = delivery.record {
      walk = beginWalk()
      for (address, _) in walk.remaining() {
        AnyObserver.borrow(address) {
          if $0.order > newest { record.met(.tooNew, at: $0, in: self, on: delivery.isolation) }
        }
      }
    }
    if isDeep { endDeepPost() }
    if let wildcardVisit { wildcards?.domain.leave(wildcardVisit) }
    if let visit { domain.leave(visit) }
    return reached
  }

  /// Calls an observer that admits the call, and reports the error of its handler.
  ///
  /// - Returns: The outcome.
  @inline(__always)
  private func offer<Payload: Sendable>(
    to observer: AnyObserver,
    _ payload: Payload,
    _ delivery: borrowing Delivery,
    _ call: () throws -> Reception
  ) -> Reception {
    guard observer.isReceptive else { return observer.refusal }
    do {
      return try call()
    } catch {
      handlerFailed(error, in: observer, payload: payload, delivery: copy delivery)
      return .failed
    }
  }

  private func groupWalk(of sender: AnyObject?, or waitedFrom: SenderIdentity?) -> ObserverWalk {
    let key = ObjectAddress.of(sender)
    let group = registry.withLock { registry in
      key == 0
        ? waitedFrom.flatMap { registry.senders.group(ofWaiting: $0) }
        : registry.senders.group(at: key)
    }
    return group.map { ObserverWalk($0.observers) } ?? ObserverWalk()
  }

  /// The number of posts, and of other visits, that are in progress.
  final var runningPostCount: Int { domain.insideCount }

  /// Returns the identity of a sender for an event that is delivered later.
  ///
  /// - Parameter sender: The sender, kept alive by the caller.
  /// - Returns: The sender's identity.
  /// - Complexity: O(1), one lock: later registrations have a higher number.
  package final func identity(of sender: AnyObject) -> SenderIdentity {
    registry.withLock { registry in
      let group = registry.senders.group(at: ObjectAddress.of(sender))
      return SenderIdentity(sender, group: group, newest: numbers.newest)
    }
  }
}

extension ObserverList {
  /// Delivers replayed events to a new observer, then the events that arrived meanwhile.
  ///
  /// The observer is already linked, and its gate closed: concurrent deliveries wait at the gate.
  ///
  /// - Parameters:
  ///   - recorded: The events that ``ReplayBuffer`` holds, in order.
  ///   - sender: The only sender whose events are replayed; `nil` for any.
  ///   - baseline: The number of the newest event that needs no further delivery.
  ///   - observer: The observer.
  ///   - gate: The observer's gate; open on return.
  @_semantics("optimize.sil.specialize.generic.never")
  final func handOver<Payload: Sendable>(
    _ recorded: [any AnyObject & Sendable],
    from sender: AnyObject?,
    upTo baseline: UInt,
    to observer: GeneralObserver<Payload>,
    through gate: ReplayGate
  ) {
    gate.setBaseline(baseline)
    for object in recorded {
      // Kept by `recorded`, also if a handler clears the buffer.
      ObjectAddress.borrow(ObjectAddress.of(object)) { (event: RecordedEvent<Payload>) in
        if let sender, !(event.delivery.waitedFrom?.isSender(sender) ?? false) { return }
        give(event.payload, event.delivery, to: observer)
      }
    }
    withExtendedLifetime(recorded) {}
    while let waiting = gate.takeWaitingOrOpen() {
      for case let event as WaitingEvent<Payload> in waiting {
        give(event.payload, event.delivery, to: observer)
        event.settleElsewhere()
      }
    }
  }

  private func give<Payload: Sendable>(
    _ payload: Payload,
    _ delivery: Delivery,
    to observer: GeneralObserver<Payload>
  ) {
    func pass() -> Reception {
      offer(to: observer, payload, delivery) { try observer.pass(payload, delivery) }
    }
    guard let record = delivery.record else {
      _ = pass()
      return
    }
    record.resume { record.replayed(pass(), at: observer) }
  }
}
