internal import EventBus

/// The ways to wait until a registration is over.
extension EdgeRow {
  func waitedAfterEnd(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    await subject.fire()
    subject.cancel()
    await subject.waitUntilFinished()
    await subject.waitUntilFinished()
    await trial.expectEnded(subject, "after waiting")
  }

  func waitedBeforeEnd(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    let waiting = Task<Void, Never> { await subject.waitUntilFinished() }
    await rest()
    subject.cancel()
    await trial.expectEnd(waiting, "after it was cancelled")
    await trial.expectEnded(subject, "after waiting")
  }

  func waitedDuringCall(_ trial: EdgeTrial) async {
    let (order, mayLeave) = (Inbox<String>(), ManualLatch())
    let isAsync = trial.kind.traits.contains(.isAsync)
    let subject = await trial.make {
      if isAsync { return }
      mayLeave.block()
      order.append("left")
    } suspend: {
      await mayLeave.wait()
      order.append("left")
    }
    let firing = Task { await onThreads(1) { _ in subject.poke() } }
    _ = await trial.calls.first(1)
    subject.cancel()
    let waiting = Task {
      await subject.waitUntilFinished()
      order.append("waited")
    }
    await rest()
    trial.expect(order.entries == [], "finished during the call: \(order.entries)")
    mayLeave.open()
    await trial.expectEnd(waiting, "although the call has ended")
    _ = await order.first(2)
    trial.expect(order.entries == ["left", "waited"], "finished too early: \(order.entries)")
    await firing.value
    await trial.expectEnded(subject, "after waiting")
  }

  func waitedInItsHandler(_ trial: EdgeTrial) async {
    let (subjects, hasWaited) = (trial.subjects, Inbox<Int>())
    let subject = await trial.make {
    } suspend: {
      let subject = subjects.value
      subject?.cancel()
      await subject?.waitUntilFinished()
      hasWaited.append(1)
    }
    await subject.fire()
    _ = await hasWaited.first(1)
    trial.expectCalls(1, "when it waited for itself")
    await trial.expectEnded(subject, "after it waited for itself")
  }

  func waitedAfterEndingByItself(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    let waiting = Task<Void, Never> { await subject.waitUntilFinished() }
    await rest()
    await endByItself(subject, trial)
    await trial.expectEnd(waiting, "although it ended by itself")
    await subject.waitUntilFinished()
    await trial.expectEnded(subject, "after it ended by itself")
  }

  func waitedInCancelledTask(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    let waiting = Task<Void, Never> { await subject.waitUntilFinished() }
    await rest()
    waiting.cancel()
    await trial.expectEnd(waiting, "although its task was cancelled")
    trial.expect(subject.isActive == true, "not active after a wait was given up")
    await subject.fire()
    trial.expectCalls(trial.callsAtFirst, "after a wait was given up")
    subject.cancel()
    await trial.expectEnded(subject, "in the end")
  }
}
