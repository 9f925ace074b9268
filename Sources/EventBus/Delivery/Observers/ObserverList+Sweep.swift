internal import Synchronization

/// Ends registrations whose owner or sender has died without notice.
///
/// Loading a weak reference owns the object for a moment, and may end up holding its last reference: the
/// object's `deinit` then runs on the loading thread. Owners and senders are therefore loaded only where
/// the handler runs. For a handler without an actor that is any thread that posts or registers. For other
/// handlers it is their actor: code that runs elsewhere records a registration *to check* in the list and
/// requests a turn from the actor's ``Mailbox``.
///
/// A post checks the owners it meets. A registration checks a sample, sized by ``SweepProbe``, and all
/// owners when many in the sample are dead.
extension ObserverList: TurnTaker {
  /// Checks a sample of the owners and senders, or all of them when many in the sample are dead.
  ///
  /// - Parameters:
  ///   - mailbox: The mailbox of the actor that runs the probe.
  ///   - hasFound: True if a dead owner was found just before.
  ///   - asks: True to request turns from other actors even if nothing dead is found here. A requested
  ///     turn passes `false`; otherwise two actors could keep each other awake.
  final func probe(on mailbox: Mailbox? = nil, hasFound: Bool = false, asks: Bool = true) {
    guard isWorthProbing.load(ordering: .relaxed), let visit = domain.enter() else { return }
    var check = OrphanCheck(mailbox: mailbox)
    let seed = probes.wrappingAdd(1, ordering: .relaxed).newValue
    var (probe, sample) = registry.withLock { registry in
      var probe = SweepProbe(total: registry.watched.count, seed: seed)
      if hasFound { probe.record(isDead: true) }
      let sample = registry.watched.sample(&probe)
      return (probe, sample)
    }
    while sample.count > 0 {
      for index in 0..<sample.count {
        probe.record(isDead: check.isOrphaned(sample.addresses[index]))
      }
      if probe.isComplete { break }
      sample = registry.withLock { $0.watched.sample(&probe) }
    }
    if probe.shouldSweep {
      let found = check.elsewhere
      for address in registry.withLock({ $0.watched.all }) { _ = check.isOrphaned(address) }
      // A turn on every actor would cost more than the finding is worth.
      if !probe.isSmall { check.elsewhere = found }
    }
    domain.leave(visit)
    for (registration, hasLostOwner) in check.dead {
      registration.end(withOwner: hasLostOwner)
    }
    guard asks || !check.dead.isEmpty else { return }
    for (mailbox, registration) in check.elsewhere {
      requestCheck(of: registration, on: mailbox)
    }
  }

  /// Checks a registration in a requested turn, and continues with a sample.
  ///
  /// - Parameters:
  ///   - mailbox: The mailbox whose actor has its turn.
  ///   - actorIsGone: True if the actor has died, so that there is no turn.
  package final func takeTurn(on mailbox: Mailbox, actorIsGone: Bool) {
    let id = ObjectIdentifier(mailbox)
    guard let registration = registry.withLock({ $0.pendingChecks.removeValue(forKey: id) }),
      let visit = domain.enter()
    else { return }
    let (hasFound, hasLostOwner) =
      ObjectAddress.borrow(registration.sinkAddress) { (sink: AnySink) in
        (actorIsGone || sink.isOrphaned, actorIsGone || sink.hasLostOwner)
      } ?? (false, false)
    domain.leave(visit)
    if hasFound { registration.end(withOwner: hasLostOwner) }
    probe(on: actorIsGone ? nil : mailbox, hasFound: hasFound, asks: hasFound)
  }

  private func requestCheck(of registration: ObserverRegistration, on mailbox: Mailbox) {
    let id = ObjectIdentifier(mailbox)
    let former = registry.withLock { $0.pendingChecks.updateValue(registration, forKey: id) }
    // If there was one, a turn has been requested already.
    if former == nil { mailbox.requestTurn(for: self) }
    withExtendedLifetime(former) {}
  }
}

/// Looks at watched observers on one actor, and collects what is to be done about them.
private struct OrphanCheck {
  /// The mailbox of the actor; `nil` for none.
  let mailbox: Mailbox?
  var dead: [(registration: ObserverRegistration, hasLostOwner: Bool)] = []
  /// The registrations that other actors have to check.
  var elsewhere: [(mailbox: Mailbox, registration: ObserverRegistration)] = []

  /// Returns whether the owner or sender of an observer, which a visit keeps alive, is dead; `nil` if there
  /// is no such observer, or if another actor has to check it.
  @inline(never)
  mutating func isOrphaned(_ address: UInt) -> Bool? {
    let answer: Bool?? = ObjectAddress.borrow(address) { (sink: AnySink) in
      if sink.isSurelyOfUse { return false }
      if let home = sink.home, home !== mailbox {
        // Most observers share one actor, which needs only one request.
        if elsewhere.last?.mailbox !== home { elsewhere.append((home, sink.registration)) }
        return nil
      }
      guard sink.isOrphaned else { return false }
      dead.append((sink.registration, sink.hasLostOwner))
      return true
    }
    return answer ?? nil
  }
}
