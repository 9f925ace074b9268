internal import EventBus

/// Situations of a live registration.
extension EdgeRow {
  func fired(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    await subject.fire()
    trial.expectCalls(trial.callsAtFirst, "after it was fired")
    await subject.fire()
    trial.expectCalls(trial.callsAtSecond, "after it was fired twice")
    subject.cancel()
    await trial.expectEnded(subject, "in the end")
  }

  func paused(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    let pause = subject.token?.pause()
    trial.expect(subject.token?.isActive == true, "not active while it is paused")
    await subject.fire()
    trial.expectCalls(0, "while it was paused")
    pause?.cancel()
    await subject.fire()
    trial.expectCalls(1, "after the pause")
    subject.cancel()
    await trial.expectEnded(subject, "in the end")
    // A pause that outlives the registration.
    withExtendedLifetime(subject.token?.pause()) {}
  }

  func pausedTwice(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    var first = subject.token?.pause()
    let second = subject.token?.pause()
    withExtendedLifetime(first) {}
    first = nil
    await subject.fire()
    trial.expectCalls(0, "in the second pause")
    second?.cancel()
    second?.cancel()
    await subject.fire()
    trial.expectCalls(1, "after both pauses")
    let third = subject.token?.pause()
    subject.cancel()
    third?.cancel()
    await trial.expectEnded(subject, "after it was cancelled in a pause")
  }

  func excluded(_ trial: EdgeTrial) async {
    let subject = await trial.make()
    guard let fire = subject.fireExcluding, let token = subject.token else {
      return trial.expect(false, "cannot be excluded, and is not excluded from this row")
    }
    fire(token)
    trial.expectCalls(0, "when it was excluded")
    await subject.fire()
    trial.expectCalls(1, "when it was not excluded")
    trial.expect(
      token.isActive == (trial.kind.calls == .everyTime),
      "active \(token.isActive) after it was excluded"
    )
  }

  func throwing(_ trial: EdgeTrial) async {
    struct Refusal: Error {}
    let subject = await trial.make { throw Refusal() }
    await subject.fire()
    await subject.fire()
    trial.expectCalls(trial.callsAtSecond, "although it throws")
    subject.cancel()
    await trial.expectEnded(subject, "in the end")
  }

  func reentrant(_ trial: EdgeTrial) async {
    let (subjects, calls) = (trial.subjects, trial.calls)
    let subject = await trial.make {
      if calls.entries.count == 1 { subjects.value?.poke() }
    }
    await subject.fire()
    let expected = trial.callsAtSecond
    await trial.expectSoon("the nested event was not delivered") {
      calls.entries.count >= expected
    }
    trial.expectCalls(expected, "with a nested one")
    subject.cancel()
    await trial.expectEnded(subject, "in the end")
  }

  func active(_ trial: EdgeTrial) async {
    let (subjects, seen) = (trial.subjects, Log<Bool>())
    let subject = await trial.make {
      if let token = subjects.value?.token { seen.append(token.isActive) }
    }
    trial.expect(subject.token?.isActive == true, "not active at first")
    await subject.fire()
    let isRepeating = trial.kind.calls == .everyTime
    if trial.callsAtFirst > 0 {
      trial.expect(seen.entries == [isRepeating], "active \(seen.entries) in its call")
      trial.expect(subject.token?.isActive == isRepeating, "active \(!isRepeating) after its call")
    }
    subject.cancel()
    trial.expect(subject.token?.isActive == false, "active after it was cancelled")
  }

  func counted(_ trial: EdgeTrial) async {
    let (subjects, seen) = (trial.subjects, Log<Int>())
    let subject = await trial.make {
      if let count = subjects.value?.count { seen.append(count()) }
    }
    guard let count = subject.count else {
      return trial.expect(false, "has no count, and is not excluded from this row")
    }
    trial.expect(count() == 1, "counted \(count()) times")
    await subject.fire()
    let expected = trial.kind.calls == .everyTime ? 1 : 0
    trial.expect(seen.entries == [expected], "counted \(seen.entries) in its call")
    subject.cancel()
    await subject.settle()
    trial.expect(count() == 0, "counted after it was cancelled")
  }
}
