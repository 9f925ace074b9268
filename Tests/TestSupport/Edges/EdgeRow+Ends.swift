internal import EventBus

/// The ways in which a registration ends.
extension EdgeRow {
  func cancelled(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    subject.cancel()
    trial.expectCalls(trial.callsAtEnd, "when it was cancelled")
    await trial.expectEnded(subject, "after it was cancelled")
  }

  func cancelledTwice(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    subject.cancel()
    subject.cancel()
    trial.expectCalls(trial.callsAtEnd, "when it was cancelled twice")
    await trial.expectEnded(subject, "after it was cancelled twice")
    subject.cancel()
    await trial.expectEnded(subject, "after it was cancelled three times")
  }

  func cancelledAfterCalls(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    for _ in 0..<3 { await subject.fire() }
    subject.cancel()
    await trial.expectEnded(subject, "after calls")
  }

  func ownerGone(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    subject.dropOwner()
    if trial.kind.owner == .lifetime {
      trial.expect(subject.token?.isActive == false, "active after its owner has gone")
    }
    await subject.fire()
    trial.expectCalls(0, "without its owner")
    await trial.expectEnded(subject, "after its owner has gone")
  }

  func ownerGoneBesideLifetime(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    let lifetime = subject.lifetime()
    subject.dropOwner()
    await subject.fire()
    trial.expectCalls(0, "without its owner")
    lifetime?.end()
    await trial.expectEnded(subject, "even after its lifetime has ended")
  }

  func ownerLifetimeEnded(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    subject.lifetime()?.end()
    await trial.expectEnded(subject, "after the lifetime of its owner has ended")
  }

  func lifetimeEnded(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    let lifetime = Lifetime()
    subject.token?.attach(to: lifetime)
    trial.expect(subject.token?.isActive == true, "not active with a lifetime")
    lifetime.end()
    trial.expectCalls(trial.callsAtEnd, "when its lifetime ended")
    await trial.expectEnded(subject, "after its lifetime has ended")
  }

  func attachedToEnded(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    subject.token?.attach(to: .ended)
    trial.expectCalls(trial.callsAtEnd, "when it was attached to an ended lifetime")
    await trial.expectEnded(subject, "after it was attached to an ended lifetime")
  }

  func movedToAnotherLifetime(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    let (first, second) = (Lifetime(), Lifetime())
    subject.token?.attach(to: first).attach(to: second)
    first.end()
    trial.expect(subject.token?.isActive == true, "not active after it was moved")
    second.end()
    await trial.expectEnded(subject, "after the second lifetime has ended")
  }

  func endedInItsCall(_ trial: EdgeTrial) async {
    let subjects = trial.subjects
    let subject = await trial.make {
      subjects.value?.cancel()
      subjects.value?.cancel()
    }
    await subject.fire()
    if trial.callsAtFirst == 0 { subject.cancel() }
    trial.expectCalls(1, "when it ended itself")
    await trial.expectEnded(subject, "after it ended itself")
  }

  func lifetimeEndedInItsCall(_ trial: EdgeTrial) async {
    let lifetime = Lifetime()
    let subject = await trial.make { lifetime.end() }
    subject.token?.attach(to: lifetime)
    await subject.fire()
    trial.expectCalls(1, "when it ended its lifetime")
    await trial.expectEnded(subject, "after it ended its lifetime")
  }

  func endedByAnotherThread(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    await onThreads(3) { _ in subject.cancel() }
    trial.expectCalls(trial.callsAtEnd, "when three threads cancelled it")
    await trial.expectEnded(subject, "after three threads cancelled it")
  }

  func endedByAnotherThreadInItsCall(_ trial: EdgeTrial) async {
    let subjects = trial.subjects
    let subject = await trial.make {
      // It never waits for the call.
      blockedOnThread { subjects.value?.cancel() }
    }
    await subject.fire()
    trial.expectCalls(1, "when another thread cancelled it meanwhile")
    await trial.expectEnded(subject, "after another thread cancelled it in its call")
  }

  func tokenDropped(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    subject.token = nil
    if trial.kind.traits.contains(.isKept) {
      await subject.fire()
      trial.expectCalls(1, "without its token, which does not keep it")
    } else {
      trial.expectCalls(trial.callsAtEnd, "when its token was dropped")
      await trial.expectEnded(subject, "without its token")
    }
  }

  func bagDropped(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    var bag: TokenBag? = TokenBag()
    if let bag { subject.token?.store(in: bag) }
    trial.expect(bag?.count == 1, "not in its bag")
    subject.token = nil
    withExtendedLifetime(bag) {}
    bag = nil
    trial.expectCalls(trial.callsAtEnd, "when its bag was dropped")
    await trial.expectEnded(subject, "without its bag")
  }

  func bagEmptied(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    let bag = TokenBag()
    subject.token?.store(in: bag)
    bag.cancelAll()
    trial.expectCalls(trial.callsAtEnd, "when its bag was emptied")
    await trial.expectEnded(subject, "after its bag was emptied")
  }

  func leavesItsBag(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    let bag = TokenBag()
    subject.token?.store(in: bag)
    await endByItself(subject, trial)
    if trial.kind.traits.contains(.isQueued), bag.count > 0 { await rest() }
    trial.expect(bag.count == 0, "in its bag although it has ended")
    await trial.expectEnded(subject, "after it left its bag")
  }

  /// Ends it without its token if it can end so.
  func endByItself(_ subject: EdgeSubject, _ trial: EdgeTrial) async {
    if trial.kind.calls == .once {
      await subject.fire()
    } else if trial.kind.owner != .none {
      subject.dropOwner()
      await subject.fire()
    } else {
      subject.cancel()
    }
  }

  func firesFromDeinit(_ trial: EdgeTrial) async {
    let subjects = trial.subjects
    await reenterFromDeinit(trial) { subjects.value?.poke() }
  }

  func registersFromDeinit(_ trial: EdgeTrial) async {
    let subjects = trial.subjects
    await reenterFromDeinit(trial) { subjects.value?.register().cancel() }
  }

  private func reenterFromDeinit(
    _ trial: EdgeTrial,
    _ body: @escaping @Sendable () -> Void
  ) async {
    let runs = Counter()
    let atDeinit = Holder(
      AtDeinit {
        runs.add()
        body()
      }
    )
    let subject = await make(trial, capturing: atDeinit)
    subject.cancel()
    await trial.expectEnded(subject, "after a capture re-entered its source")
    trial.expect(
      trial.kind.traits.contains(.isKeptElsewhere) || runs.value == 1,
      "a capture was freed \(runs.value) times"
    )
    await subject.fire()
  }

  /// Makes a registration whose handler has the only reference to an object.
  private func make(_ trial: EdgeTrial, capturing holder: Holder<AtDeinit>) async -> EdgeSubject {
    let subject = await trial.make { [captured = holder.value] in captured?.touch() }
    holder.letGo()
    return subject
  }
}
