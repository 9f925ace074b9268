import EventBus
import TestSupport
import Testing

@Suite("Outcomes of posts that wait", .timeLimit(.minutes(5)))
struct PostOutcomeTests {
  /// The numbers of an outcome, without its errors.
  private func counts(_ outcome: PostOutcome) -> [Int] {
    [outcome.reachedCount, outcome.cancelledCount, outcome.droppedCount]
  }

  @Test("An event without observers reaches none")
  func nobody() async {
    let bus = EventBus()
    let outcome = await bus.postAndWait(.nothing)
    #expect(counts(outcome) == [0, 0, 0])
    #expect(outcome.errors.isEmpty)
  }

  @MainActor
  @Test("Handlers of every kind are counted as reached once")
  func everyKind() async {
    let bus = EventBus()
    let (owner, lived, screen, actor) = (
      PlainOwner(), LivedOwner(), Screen(), SampleActor.shared
    )
    var shown = 0
    let tokens = [
      bus.observe(.number) { @Sendable _ in },
      bus.observe(.number) { @Sendable _ in await Task.yield() },
      bus.observe(.number, once: true) { @Sendable _ in },
      bus.observe(.number, once: true) { @Sendable _ in await Task.yield() },
      bus.observe(.number) { shown += $0 },
      bus.observe(.number) { value in
        await Task.yield()
        shown += value
      },
    ]
    bus.observe(.number, owner: owner) { @Sendable _, _ in }
    bus.observe(.number, owner: lived) { @Sendable _, _ in await Task.yield() }
    bus.observe(.number, owner: screen) { screen, value in screen.shown.append(value) }
    bus.observe(.number, owner: actor) { (_: isolated SampleActor, _) in }
    let outcome = await bus.postAndWait(.number, 1)
    #expect(counts(outcome) == [10, 0, 0])
    #expect(shown == 2)
    #expect(counts(await bus.postAndWait(.number, 1)) == [8, 0, 0])
    withExtendedLifetime((tokens, owner, lived, screen, actor)) {}
  }

  @Test("Observers of another sender, with another filter or of every event are not counted")
  func othersDoNotCount() async {
    let bus = EventBus()
    let (sender, other, calls) = (SampleSender(), SampleSender(), Counter())
    let tokens = [
      bus.observe(.number, from: sender) { _ in },
      bus.observe(.number, from: other) { _ in },
      bus.observe(.number, where: { $0 > 1 }) { _ in },
      bus.observeAll { @MainActor _ in calls.add() },
      bus.observeAll { _ in calls.add() },
    ]
    #expect(counts(await bus.postAndWait(.number, 1, from: sender)) == [1, 0, 0])
    #expect(calls.value == 2)
    withExtendedLifetime((tokens, sender, other)) {}
  }

  @Test("A waiting event of an observer of every event that is cancelled is not counted")
  func cancelledWildcard() async {
    let bus = EventBus()
    let holder = Holder<Token>()
    holder.hold(bus.observeAll(priority: .high) { @MainActor _ in })
    let token = bus.observe(.number) { _ in holder.value?.cancel() }
    #expect(counts(await bus.postAndWait(.number, 1)) == [1, 0, 0])
    withExtendedLifetime(token) {}
  }

  @Test("An event that waits for an asynchronous handler is counted as cancelled with its token")
  func cancelledInTheQueue() async {
    let bus = EventBus()
    let (began, mayLeave, posted) = (ManualLatch(), ManualLatch(), Inbox<Int>())
    let token = bus.observe(.number) { _ in
      began.open()
      await mayLeave.wait()
    }
    let after = bus.observe(.number, priority: .low) { posted.append($0) }
    let first = Task { await bus.postAndWait(.number, 1) }
    await began.wait()
    let second = Task { await bus.postAndWait(.number, 2) }
    _ = await posted.first(2)
    token.cancel()
    #expect(counts(await second.value) == [1, 1, 0])
    mayLeave.open()
    #expect(counts(await first.value) == [2, 0, 0])
    withExtendedLifetime(after) {}
  }

  @Test("An event that waits for an actor is counted as cancelled with its token")
  func cancelledInTheMailbox() async {
    let bus = EventBus()
    let executor = HeldExecutor()
    let actor = HeldActor(executor)
    let token = bus.observe(.number, owner: actor) { (_: isolated HeldActor, _) in }
    let posted = Inbox<Int>()
    let after = bus.observe(.number, priority: .low) { posted.append($0) }
    let waiting = Task { await bus.postAndWait(.number, 1) }
    _ = await posted.first(1)
    token.cancel()
    executor.open()
    #expect(counts(await waiting.value) == [1, 1, 0])
    withExtendedLifetime((after, actor)) {}
  }

  @Test("Events that a buffer discards are counted as dropped, whichever event it discards")
  func discarded() async {
    for keepsOldest in [true, false] {
      let bus = EventBus()
      let (began, mayLeave, posted) = (ManualLatch(), ManualLatch(), Inbox<Int>())
      let token = bus.observe(
        .number,
        buffering: keepsOldest ? .bufferingOldest(1) : .bufferingNewest(1)
      ) { _ in
        began.open()
        await mayLeave.wait()
      }
      let after = bus.observe(.number, priority: .low) { posted.append($0) }
      let first = Task { await bus.postAndWait(.number, 0) }
      await began.wait()
      let second = Task { await bus.postAndWait(.number, 1) }
      _ = await posted.first(2)
      let third = Task { await bus.postAndWait(.number, 2) }
      _ = await posted.first(3)
      let discarded = keepsOldest ? third : second
      #expect(counts(await discarded.value) == [1, 0, 1])
      mayLeave.open()
      #expect(counts(await first.value) == [2, 0, 0])
      #expect(counts(await (keepsOldest ? second : third).value) == [2, 0, 0])
      withExtendedLifetime((token, after)) {}
    }
  }

  @Test("A paused handler is counted as dropped, of every kind")
  func paused() async {
    let bus = EventBus()
    let tokens = [
      bus.observe(.number) { _ in },
      bus.observe(.number, once: true) { _ in },
      bus.observe(.number) { _ in await Task.yield() },
      bus.observe(.number) { @MainActor _ in },
    ]
    let pauses = tokens.map { $0.pause() }
    #expect(counts(await bus.postAndWait(.number, 1)) == [0, 0, 4])
    for pause in pauses { pause.cancel() }
    #expect(counts(await bus.postAndWait(.number, 1)) == [4, 0, 0])
    withExtendedLifetime(tokens) {}
  }

  @Test("A token attached to a lifetime that ends during the post counts as cancelled")
  func endedLifetimeOfAToken() async {
    let bus = EventBus()
    let lifetime = Lifetime()
    let first = bus.observe(.number, priority: .high) { _ in lifetime.end() }
    bus.observe(.number, once: true) { _ in }.attach(to: lifetime)
    bus.observe(.number) { _ in }.attach(to: lifetime)
    #expect(counts(await bus.postAndWait(.number, 1)) == [1, 2, 0])
    withExtendedLifetime(first) {}
  }

  @Test("Events that wait for an actor which has died are counted as dropped")
  func deadActor() async {
    let bus = EventBus()
    let holder = Holder(HeldActor(HeldExecutor()))
    if let actor = holder.value {
      bus.observe(.number, owner: actor) { (_: isolated HeldActor, _) in }
      bus.observe(.number, owner: actor) { (_: isolated HeldActor, _) in await Task.yield() }
    }
    holder.letGo()
    #expect(counts(await bus.postAndWait(.number, 1)) == [0, 0, 2])
    #expect(counts(await bus.postAndWait(.number, 1)) == [0, 0, 0])
  }

  @Test("Errors are in the order of the observers, not of their occurrence, and hooks receive them")
  func errors() async {
    let heard = Log<Int>()
    var hooks = EventHooks()
    hooks.onError = { heard.append(($0.error as? SampleError)?.number ?? 0) }
    let bus = EventBus(hooks: hooks)
    let mayFail = ManualLatch()
    let tokens = [
      bus.observe(.number, priority: .low) { _ in throw SampleError(number: 4) },
      bus.observe(.number) { _ in
        await mayFail.wait()
        throw SampleError(number: 2)
      },
      bus.observe(.number) { @MainActor _ in
        mayFail.open()
        throw SampleError(number: 3)
      },
      bus.observe(.number, priority: .high) { _ in throw SampleError(number: 1) },
      bus.observe(.number) { _ in },
    ]
    let outcome = await bus.postAndWait(.number, 1)
    #expect(outcome.errors.map { ($0 as? SampleError)?.number } == [1, 2, 3, 4])
    #expect(counts(outcome) == [5, 0, 0])
    #expect(heard.entries.sorted() == [1, 2, 3, 4])
    withExtendedLifetime(tokens) {}
  }

  @Test("Errors of a nested post belong to that post")
  func nestedErrors() async {
    let bus = EventBus(hooks: .silent)
    let tokens = [
      bus.observe(.text) { _ in throw SampleError(number: 2) },
      bus.observe(.number) { [unowned bus] _ in bus.post(.text, "text") },
    ]
    #expect(await bus.postAndWait(.number, 1).errors.isEmpty)
    withExtendedLifetime(tokens) {}
  }

  @Test("A handler that posts and waits counts its own queued call as reached")
  func ownCall() async {
    let bus = EventBus()
    let outcomes = Inbox<PostOutcome>()
    let token = bus.observe(.number) { [unowned bus] value in
      if value == 1 { outcomes.append(await bus.postAndWait(.number, 2)) }
    }
    await bus.postAndWait(.number, 1)
    #expect(await outcomes.first(1).map(counts) == [[1, 0, 0]])
    withExtendedLifetime(token) {}
  }

  @Test("A wait that its task cancels counts unfinished calls as reached")
  func cancelledWait() async {
    let bus = EventBus()
    let (began, mayLeave) = (ManualLatch(), ManualLatch())
    let token = bus.observe(.number) { _ in
      began.open()
      await mayLeave.wait()
    }
    let waiting = Task { await bus.postAndWait(.number, 1) }
    await began.wait()
    waiting.cancel()
    #expect(counts(await waiting.value) == [1, 0, 0])
    mayLeave.open()
    withExtendedLifetime(token) {}
  }

  @Test("An event that arrives during the replay to a new observer is counted when it is delivered")
  func duringAReplay() async {
    let bus = EventBus(hooks: .silent)
    let name = EventName<Int>("sample.replayed to an outcome", replay: 1)
    bus.post(name, 0)
    let completion = Holder<Completion>()
    let token = bus.observe(name) { [unowned bus] value in
      // The observer receives the recorded event; the new one waits behind it.
      if value == 0 { completion.hold(bus.postCounting(name, 1)) }
      if value == 1 { throw SampleError() }
    }
    await completion.value?.wait()
    let outcome = completion.value?.outcome
    #expect(outcome.map(counts) == [1, 0, 0])
    #expect(outcome?.errors.count == 1)
    withExtendedLifetime(token) {}
  }
}
