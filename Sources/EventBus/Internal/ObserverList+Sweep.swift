internal import Synchronization

/// How registrations end whose owner or sender died unnoticed.
///
/// To look at a weak reference is to own the object for a moment, and the last reference may be gone
/// when that moment ends: the object's `deinit` then runs where it was looked at. So an owner and a
/// sender are looked at where the handler runs. For a handler that belongs to no actor that is any
/// thread, the one that posts or registers. For the others it is their actor: a registration elsewhere
/// leaves a *suspect* with the list and asks the actor's ``Mailbox`` for a turn.
///
/// A post looks at the owners it meets. A registration looks at a sample, as ``SweepProbe`` says, and
/// at all when many of those are dead.
extension ObserverList {
  /// What was found, to be acted on once the visit has ended.
  private struct Findings {
    /// The registrations of the dead.
    var dead: [ObserverLink] = []
    /// Registrations to be looked at on other actors.
    var elsewhere: [(mailbox: Mailbox, link: ObserverLink)] = []
    /// The actor on which this looks.
    let place: Mailbox?

    /// Looks at an observer that is kept by a visit.
    ///
    /// - Returns: Whether its owner or its sender has died.
    mutating func look(at address: UInt) -> Bool {
      AnyObserver.borrow(address) { observer in
        guard let link = observer.link else { return false }
        if let home = observer.home, home !== place {
          // Most live on one actor, which is to be asked once.
          if elsewhere.last?.mailbox !== home { elsewhere.append((home, link)) }
          return false
        }
        guard observer.isOrphaned else { return false }
        dead.append(link)
        return true
      } ?? false
    }
  }

  /// Looks at some of the owners and senders and, when many of them are dead, at all.
  ///
  /// - Parameters:
  ///   - mailbox: The mailbox of the actor this runs on.
  ///   - hasFound: Whether a dead one was found just before.
  ///   - asks: Whether to ask other actors for a turn even if no dead one is found here. A turn that was
  ///     asked for does not, or two actors could keep each other awake.
  internal final func probe(on mailbox: Mailbox? = nil, hasFound: Bool = false, asks: Bool = true) {
    guard let total = registry.withLock({ $0.watchedCountWorthProbing }),
      let visit = domain.enter(isPost: false)
    else { return }
    let seed = probes.wrappingAdd(1, ordering: .relaxed).newValue
    var probe = SweepProbe(total: total, seed: seed)
    if hasFound { probe.foundDead() }
    var findings = Findings(place: mailbox)
    while let place = probe.next() {
      if findings.look(at: registry.withLock { $0.watched[place] }) { probe.foundDead() }
    }
    if probe.shouldSweep {
      let asked = findings.elsewhere
      for address in registry.withLock({ $0.watched.all }) { _ = findings.look(at: address) }
      // A turn for every actor there is would cost more than what was found is worth.
      if total > SweepProbe.smallList { findings.elsewhere = asked }
    }
    domain.leave(visit)
    for link in findings.dead { link.endByItself() }
    guard asks || !findings.dead.isEmpty else { return }
    for (mailbox, link) in findings.elsewhere { ask(mailbox, toLookAt: link) }
  }

  /// Looks at a suspect, and further from there, in the turn that was asked for.
  ///
  /// - Parameters:
  ///   - mailbox: The mailbox whose actor has its turn.
  ///   - actorIsGone: Whether there is no turn, because the actor has died.
  package final func lookAtSuspect(on mailbox: Mailbox, actorIsGone: Bool) {
    guard let suspect = registry.withLock({ $0.takeSuspect(on: mailbox) }),
      let visit = domain.enter(isPost: false)
    else { return }
    let isOrphaned = AnyObserver.borrow(suspect.observerAddress) { actorIsGone || $0.isOrphaned }
    domain.leave(visit)
    let hasFound = isOrphaned == true
    if hasFound { suspect.endByItself() }
    probe(on: actorIsGone ? nil : mailbox, hasFound: hasFound, asks: hasFound)
  }

  private func ask(_ mailbox: Mailbox, toLookAt link: ObserverLink) {
    let former = registry.withLock { $0.suspect(link, on: mailbox) }
    if former == nil { mailbox.requestLook(at: self) }
    withExtendedLifetime(former) {}
  }
}
