public import Synchronization

extension ObserverList {
  /// True if every post needs only one block of sinks.
  package final var isPlain: Bool { cases.load(ordering: .acquiring) == 0 }

  /// True if there are no observers of any sender.
  package final var isEmpty: Bool { live.load(ordering: .acquiring) == 0 }

  /// True if a post neither reaches an observer nor is recorded.
  @inlinable
  final var isUnobserved: Bool {
    live.load(ordering: .acquiring) == 0 && cases.load(ordering: .acquiring) == 0
  }

  /// Delivers to every observer that a post concerns, in order, if all of them are in one block.
  ///
  /// Takes no lock except to find the observers of a sender, retains nothing and allocates nothing. Rare cases are
  /// kept out of line.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - sender: The sender, kept alive by the caller.
  ///   - site: The call that posts the event.
  ///   - isolation: The actor on which the caller runs.
  /// - Returns: The number of handlers reached; `nil`, with nothing done, when payloads are recorded, or when
  ///   the observers of this sender and of any sender have to be merged.
  /// - Complexity: O(*n*) in the number of observers.
  @inlinable
  package final func deliver<Payload: Sendable>(
    _ payload: Payload,
    from sender: AnyObject?,
    at site: CallSite,
    on isolation: (any Actor)?
  ) -> Int? {
    if isUnobserved { return 0 }
    guard let visit = domain.enter() else { return nil }
    if visit.isDeep { beginDeepPost(at: site) }
    var address = block.load(ordering: .sequentiallyConsistent)
    var special = cases.load(ordering: .sequentiallyConsistent)
    if sender == nil { special &= ~Self.addressed }
    if special != 0 {
      guard let sole = soleBlock(special, of: sender) else {
        if visit.isDeep { endDeepPost() }
        domain.leave(visit)
        return nil
      }
      address = sole
    }
    var reached = 0
    if let block = AtomicWords(address: address) {
      // The count is read once: what is added from now on lies beyond it, or in another block.
      for index in 0..<block.count {
        // An emptied slot holds zero. The visit keeps the other sinks alive.
        _ = ObjectAddress.borrow(block[index]) { (sink: Sink<Payload>) in
          let entry = sink.entry.load(ordering: .relaxed)
          // The flags are above the number: none is set, or only `general`.
          if entry <= AnySink.numberMask {
            do { try sink.asPlain.handler(payload) } catch {
              handlerFailed(error, in: sink, payload, from: sender, at: site, on: isolation)
            }
            reached &+= 1
          } else if entry <= AnySink.openMask {
            let post = Post(at: site, from: sender, on: isolation)
            if sink.receive(payload, post).isReached { reached &+= 1 }
          }
        }
      }
    }
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

  /// Removes a post from the count to which ``beginDeepPost(at:)`` has added it.
  @usableFromInline
  @inline(never)
  final func endDeepPost() { ThreadNotes.current?.endPost() }

  @usableFromInline
  @inline(never)
  final func handlerFailed<Payload: Sendable>(
    _ error: any Error,
    in sink: AnySink,
    _ payload: Payload,
    from sender: AnyObject?,
    at site: CallSite,
    on isolation: (any Actor)?
  ) {
    let post = Post(at: site, from: sender, on: isolation)
    handlerFailed(error, in: sink, payload: payload, post)
  }

  /// Returns the address of the only block of sinks that a special post concerns.
  ///
  /// For announced readers.
  ///
  /// - Parameters:
  ///   - cases: The special cases that concern the post.
  ///   - sender: The sender, kept alive by the caller.
  /// - Returns: The address; `nil` if the post concerns several blocks, or is recorded.
  @usableFromInline
  final func soleBlock(_ cases: UInt, of sender: AnyObject?) -> UInt? {
    if cases & Self.replayed != 0 { return nil }
    guard let own = block(of: sender, or: nil) else {
      return block.load(ordering: .sequentiallyConsistent)
    }
    return live.load(ordering: .sequentiallyConsistent) == 0 ? own.address : nil
  }

  /// Returns the block of the observers of a sender, if there are any; for announced readers.
  ///
  /// - Parameters:
  ///   - sender: The sender, kept alive by the caller; `nil` if there is none, and for an event
  ///     that has waited.
  ///   - identity: The sender of such an event.
  /// - Returns: The block.
  private func block(of sender: AnyObject?, or identity: SenderIdentity?) -> AtomicWords? {
    let key = ObjectAddress.of(sender)
    if key == 0, identity == nil { return nil }
    return registry.withLock { registry in
      let group =
        key == 0
        ? identity.flatMap { registry.senders.group(ofWaiting: $0) }
        : registry.senders.group(at: key)
      return group?.slots.block
    }
  }

  /// Delivers by priority and number to the observers of any sender, of this sender and of any event.
  ///
  /// Only observers registered before the post began are called. The errors of handlers are reported.
  /// Not specialized, like the general path of ``SignalCore``, from which it is called.
  ///
  /// - Parameters:
  ///   - eventPayload: The payload.
  ///   - post: The origin of the event.
  ///   - sender: The sender, kept alive by the caller; `nil` if there is none, and for an event
  ///     that has waited.
  ///   - wildcards: The observers of any event; they do not count as reached.
  ///   - event: Returns the payload of the wildcard observers. The caller creates it once: an optional of it
  ///     here would be looked up at run time, at every post.
  /// - Returns: The number of handlers reached.
  /// - Complexity: O(*n*) in the number of observers that match.
  @_semantics("optimize.sil.specialize.generic.never")
  final func deliverInOrder<Payload: Sendable, Event: Sendable>(
    _ eventPayload: Payload,
    _ post: Post,
    from sender: AnyObject?,
    wildcards: ObserverList?,
    event: () -> Event
  ) -> Int {
    let newest = counts.newestRegistration
    let record = post.record
    let waitedFrom = post.waitedFrom
    let visit = domain.enter()
    let wildcardVisit = wildcards?.domain.enter()
    let isDeep = visit?.isDeep ?? false || wildcardVisit?.isDeep ?? false
    if isDeep { beginDeepPost(at: post.site) }
    @inline(never)
    func beginWalk() -> Walk {
      func published(_ list: ObserverList?) -> AtomicWords? {
        list.flatMap { AtomicWords(address: $0.block.load(ordering: .sequentiallyConsistent)) }
      }
      return Walk(
        visit == nil ? nil : published(self),
        visit == nil ? nil : block(of: sender, or: waitedFrom),
        wildcardVisit == nil ? nil : published(wildcards)
      )
    }
    func call<Given: Sendable>(_ address: UInt, of list: ObserverList, with payload: Given) -> Int {
      ObjectAddress.borrow(address) { (sink: Sink<Given>) in
        // Not called; recorded at the end.
        if sink.number > newest { return 0 }
        let reception: Reception =
          if post.excludedAddress == ObjectAddress.of(sink.registration) { .excluded } else {
            sink.isClosed ? sink.registration.refusal : sink.receive(payload, post)
          }
        record?.met(reception, at: sink, in: list, post)
        return reception.isReached ? 1 : 0
      } ?? 0
    }
    var reached = 0
    func call(_ address: UInt, isForEveryEvent: Bool) {
      if isForEveryEvent, let wildcards {
        _ = call(address, of: wildcards, with: event())
      } else {
        reached += call(address, of: self, with: eventPayload)
      }
    }
    var walk = beginWalk()
    // An observer removed during the walk is no longer linked, and one added during it is not in these blocks. A
    // record therefore needs the observers before the walk, and again after it.
    var recorded = record == nil ? [] : walk.remaining()[...]
    while let (address, isForEveryEvent) = recorded.popFirst() ?? walk.next() {
      call(address, isForEveryEvent: isForEveryEvent)
    }
    if let record {
      walk = beginWalk()
      for (address, _) in walk.remaining() {
        _ = ObjectAddress.borrow(address) { (sink: AnySink) in
          if sink.number > newest { record.met(.tooNew, at: sink, in: self, post) }
        }
      }
    }
    if isDeep { endDeepPost() }
    if let wildcardVisit { wildcards?.domain.leave(wildcardVisit) }
    if let visit { domain.leave(visit) }
    return reached
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
      return SenderIdentity(sender, group: group, newest: counts.newestRegistration)
    }
  }
}

extension ObserverList {
  /// Delivers replayed events to a new observer, then the events that arrived meanwhile.
  ///
  /// The sink is already linked, and its gate closed: concurrent deliveries wait at the gate.
  ///
  /// - Parameters:
  ///   - recorded: The events that ``ReplayBuffer`` holds, in order.
  ///   - sender: The only sender whose events are replayed; `nil` for any.
  ///   - baseline: The number of the newest event that needs no further delivery.
  ///   - sink: The sink of the observer.
  ///   - gate: The observer's gate; open on return.
  @_semantics("optimize.sil.specialize.generic.never")
  final func handOver<Payload: Sendable>(
    _ recorded: [any AnyObject & Sendable],
    from sender: AnyObject?,
    upTo baseline: UInt,
    to sink: GeneralSink<Payload>,
    through gate: ReplayGate
  ) {
    gate.setBaseline(baseline)
    for object in recorded {
      // Kept by `recorded`, even if a handler clears the buffer.
      ObjectAddress.borrow(ObjectAddress.of(object)) { (event: RecordedEvent<Payload>) in
        if let sender, !(event.identity?.isSender(sender) ?? false) { return }
        give(event.payload, event.post, to: sink)
      }
    }
    withExtendedLifetime(recorded) {}
    while let waiting = gate.takeWaitingOrOpen() {
      for case (let event as QueuedEvent<Payload>, let wasReplayed) in waiting {
        if wasReplayed {
          event.origin.delivery?.settle(.replayed)
        } else {
          give(event.payload, event.origin.post, to: sink)
          event.origin.delivery?.settleElsewhere()
        }
      }
    }
  }

  private func give<Payload: Sendable>(
    _ payload: Payload,
    _ post: Post,
    to sink: GeneralSink<Payload>
  ) {
    func pass() -> Reception {
      sink.isClosed ? sink.registration.refusal : sink.pass(payload, post)
    }
    guard let record = post.record else {
      _ = pass()
      return
    }
    record.resume { record.replayed(pass(), at: sink) }
  }
}
