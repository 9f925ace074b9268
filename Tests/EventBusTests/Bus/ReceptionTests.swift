import EventBus
import TestSupport
import Testing

/// What traces and outcomes say about the same post.
@Suite("Receptions", .timeLimit(.minutes(5)))
struct ReceptionTests {
  /// A bus, the steps of its posts, and the interceptor that it was made with.
  private struct Followed {
    let bus: EventBus
    let trace = Log<TraceStep>()

    init(_ interceptor: (any EventInterceptor)? = nil) {
      bus = EventBus(
        hooks: EventHooks(
          onError: { _ in },
          onTrace: { [trace] in trace.append($0) },
          interceptor: interceptor
        )
      )
    }

    /// The numbers of handlers reached, cancelled and dropped by the first post, as its trace tells them.
    var counts: [Int] {
      let steps = trace.entries.filter { $0.post == trace.entries.first?.post }
      var last: [Int: TraceStep.Kind] = [:]
      for step in steps {
        if let registration = step.registration { last[registration.id] = step.kind }
      }
      var counts = [0, 0, 0]
      for step in last.values {
        switch step {
        case .queued, .finished: counts[0] += 1
        case .skipped(.cancelled): counts[1] += 1
        case .skipped(.dropped), .skipped(.paused), .skipped(.ownerLost), .skipped(.intercepted):
          counts[2] += 1
        case .began, .ended, .started, .skipped: break
        }
      }
      return counts
    }
  }

  private func counts(_ outcome: PostOutcome) -> [Int] {
    [outcome.reachedCount, outcome.cancelledCount, outcome.droppedCount]
  }

  @Test("A trace and an outcome agree about a one-call handler that a nested post used up")
  func spent() async {
    let followed = Followed()
    let first = followed.bus.observe(.number, priority: .high) { [unowned bus = followed.bus] in
      if $0 == 1 { bus.post(.number, 2) }
    }
    let once = followed.bus.observe(.number, once: true) { _ in }
    #expect(counts(await followed.bus.postAndWait(.number, 1)) == [1, 0, 0])
    #expect(followed.counts == [1, 0, 0])
    withExtendedLifetime((first, once)) {}
  }

  @Test("A trace and an outcome agree about owners whose lifetime ends during the post")
  func endedLifetime() async {
    let followed = Followed()
    let owner = LivedOwner()
    let first = followed.bus.observe(.number, priority: .high) { _ in owner.lifetime.end() }
    followed.bus.observe(.number, owner: owner) { _, _ in }
    followed.bus.observe(.number, owner: owner) { @MainActor _, _ in }
    followed.bus.observe(.number, owner: owner) { _, _ in await Task.yield() }
    #expect(counts(await followed.bus.postAndWait(.number, 1)) == [1, 0, 3])
    #expect(followed.counts == [1, 0, 3])
    withExtendedLifetime(first) {}
  }

  @Test("A trace and an outcome agree about an owner whose lifetime ends while the event waits")
  func endedLifetimeOfAQueue() async {
    let followed = Followed()
    let owner = LivedOwner()
    let (began, mayLeave, posted) = (ManualLatch(), ManualLatch(), Inbox<Int>())
    followed.bus.observe(.number, owner: owner) { _, value in
      if value > 0 { return }
      began.open()
      await mayLeave.wait()
    }
    let after = followed.bus.observe(.number, priority: .low) { posted.append($0) }
    followed.bus.post(.number, 0)
    await began.wait()
    _ = followed.trace.take()
    let waiting = Task { await followed.bus.postAndWait(.number, 1) }
    _ = await posted.first(2)
    owner.lifetime.end()
    mayLeave.open()
    #expect(counts(await waiting.value) == [1, 0, 1])
    #expect(followed.counts == [1, 0, 1])
    withExtendedLifetime((after, owner)) {}
  }

  @Test("A trace and an outcome agree about dead owners, which are removed")
  func deadOwners() async {
    let followed = Followed()
    var owner: PlainOwner? = PlainOwner()
    if let owner {
      followed.bus.observe(.number, owner: owner) { _, _ in }
      followed.bus.observe(.number, owner: owner) { _, _ in await Task.yield() }
      followed.bus.observe(.number, owner: owner) { @MainActor _, _ in }
      followed.bus.observe(.number, owner: owner, where: { _ in true }) { _, _ in }
    }
    owner = nil
    #expect(counts(await followed.bus.postAndWait(.number, 1)) == [0, 0, 4])
    #expect(followed.counts == [0, 0, 4])
    #expect(followed.bus.snapshot().observations.isEmpty)
    withExtendedLifetime(owner) {}
  }

  @Test("A trace and an outcome agree about paused, cancelled, full and prevented handlers")
  func everyReason() async {
    let followed = Followed(Selective())
    let holder = Holder<Token>()
    let tokens = [
      followed.bus.observe(.number, priority: .high) { value in
        if value == 2 { holder.value?.cancel() }
      },
      followed.bus.observe(.number) { _ in },
      followed.bus.observe(.number, where: { _ in false }) { _ in },
      followed.bus.observe(.number) { _ in await Task.yield() },
    ]
    let pause = tokens[1].pause()
    holder.hold(followed.bus.observe(.number) { _ in })
    let stream = followed.bus.events(.number, buffering: .bufferingOldest(1))
    #expect(counts(await followed.bus.postAndWait(.number, 1)) == [1, 0, 4])
    #expect(followed.counts == [1, 0, 4])
    _ = followed.trace.take()
    #expect(counts(await followed.bus.postAndWait(.number, 2)) == [2, 1, 2])
    #expect(followed.counts == [2, 1, 2])
    withExtendedLifetime((tokens, pause, stream)) {}
  }

  // MARK: Replay

  /// A payload that acts when a recorded event is displaced, after the post that displaces it was recorded.
  private final class Displaced: Sendable {
    let act: @Sendable () -> Void
    init(_ act: @escaping @Sendable () -> Void = {}) { self.act = act }
    deinit { act() }
  }

  @Test("An event that a new observer receives both recorded and live counts once")
  func replayedAndLive() async {
    let name = EventName<Displaced>("sample.replayedAndLive", replay: 1)
    let followed = Followed()
    let (heard, tokens) = (Counter(), Log<Token>())
    let register: @Sendable () -> Void = { [unowned bus = followed.bus] in
      tokens.append(
        bus.observe(name) { _ in
          heard.add()
          throw SampleError()
        }
      )
      tokens.append(bus.observe(name) { _ in await Task.yield() })
      tokens.append(bus.observe(name, where: { _ in false }) { _ in heard.add() })
    }
    followed.bus.post(name, Displaced(register))
    _ = followed.trace.take()
    let outcome = await followed.bus.postAndWait(name, Displaced())
    #expect(heard.value == 1)
    #expect(counts(outcome) == [2, 0, 0])
    #expect(outcome.errors.count == 1)
    #expect(followed.counts == [2, 0, 0])
    for token in tokens.take() { token.cancel() }
  }

  @Test("A post counts an observer that got the event as a recorded one")
  func replayedAndPosted() {
    let name = EventName<Displaced>("sample.replayedAndPosted", replay: 1)
    let bus = EventBus()
    let (heard, tokens) = (Counter(), Log<Token>())
    bus.post(
      name,
      Displaced { [unowned bus] in tokens.append(bus.observe(name) { _ in heard.add() }) }
    )
    #expect(bus.post(name, Displaced()) == 1)
    #expect(heard.value == 1)
    for token in tokens.take() { token.cancel() }
  }

  @Test("A post waits for an asynchronous handler that got the event as a recorded one")
  func waitsForReplayed() async {
    let name = EventName<Displaced>("sample.waitsForReplayed", replay: 1)
    let bus = EventBus()
    let (tokens, mayLeave) = (Log<Token>(), ManualLatch())
    bus.post(
      name,
      Displaced { [unowned bus] in
        tokens.append(bus.observe(name) { _ in await mayLeave.wait() })
      }
    )
    let completion = bus.postCounting(name, Displaced())
    #expect(!completion.isDone)
    mayLeave.open()
    await completion.wait()
    #expect(counts(completion.outcome) == [1, 0, 0])
    for token in tokens.take() { token.cancel() }
  }

  @Test("A later replay of an event changes neither its outcome nor the record of its post")
  func laterReplay() async {
    let name = EventName<Int>("sample.laterReplay", replay: 1)
    let bus = EventBus(hooks: .silent)
    let completion = bus.postCounting(name, 1)
    await completion.wait()
    let token = bus.observe(name) { _ in throw SampleError() }
    #expect(counts(completion.outcome) == [0, 0, 0])
    #expect(completion.outcome.errors.isEmpty)
    #expect(completion.recordedCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test("Later replays of an event that a post waited for record nothing")
  func manyLaterReplays() async {
    let name = EventName<Int>("sample.manyLaterReplays", replay: 1)
    let bus = EventBus(hooks: .silent)
    let completion = bus.postCounting(name, 1)
    await completion.wait()
    for _ in 0..<1_000 {
      let token = bus.observe(name) { _ in await Task.yield() }
      token.cancel()
    }
    #expect(completion.recordedCount == 0)
  }

  @Test("A stream that accepts an event as a recorded one while the post reaches it is counted")
  func replayedToAStream() async {
    let name = EventName<Displaced>("sample.replayedToAStream", replay: 2)
    let bus = EventBus()
    let (isReplaying, hasMet, isOver) = (ManualLatch(), ManualLatch(), ManualLatch())
    let streams = Log<EventStream<Displaced>>()
    let (filtered, found) = (Counter(), Log<PostOutcome>())
    let register: @Sendable () -> Void = { [unowned bus] in
      let predicate: @Sendable (Displaced) -> Bool = { _ in
        // The replay stops at the first recorded event until the post has met the stream.
        filtered.add()
        if filtered.value == 1 {
          isReplaying.open()
          hasMet.block()
        }
        return true
      }
      Task {
        await onThreads(1) { _ in streams.append(bus.events(name, where: predicate)) }
        isOver.open()
      }
      isReplaying.block()
    }
    await onThreads(1) { _ in
      bus.post(name, Displaced(register))
      bus.post(name, Displaced())
      let completion = bus.postCounting(name, Displaced())
      hasMet.open()
      isOver.block()
      found.append(completion.outcome)
    }
    #expect(found.entries.map(counts) == [[1, 0, 0]])
    #expect(filtered.value == 2)
    withExtendedLifetime(streams) {}
  }

  @Test("A one-call handler takes one recorded event; the others are traced as spent")
  func spentDuringAReplay() {
    let name = EventName<Int>("sample.spentDuringAReplay", replay: 2)
    let followed = Followed()
    followed.bus.post(name, 1)
    followed.bus.post(name, 2)
    _ = followed.trace.take()
    let heard = Log<Int>()
    let token = followed.bus.observe(name, once: true) { heard.append($0) }
    #expect(heard.entries == [1])
    #expect(followed.trace.entries.map(\.description).last?.hasSuffix("spent") == true)
    #expect(followed.trace.entries.count == 3)
    #expect(!token.isActive)
  }
}

/// An interceptor that does not run the handlers of the event with the payload 1, nor those of a latch.
private struct Selective: EventInterceptor {
  var before: @Sendable (Int) -> Void = { _ in }
  var beforeAsync: @Sendable (Int) async -> Void = { _ in }

  func capture(_ event: AnyEvent) -> Int { event.payload as? Int ?? 0 }

  func run(_ value: Int, _ body: () -> Void) {
    before(value)
    if value != 1 { body() }
  }

  func run(_ value: Int, _ body: () async -> Void) async {
    await beforeAsync(value)
    if value != 1 { await body() }
  }
}

/// One-call handlers whose call an interceptor prevents.
@Suite("Prevented one-call handlers", .timeLimit(.minutes(5)))
struct PreventedOnceTests {
  @MainActor
  @Test("A one-call handler on an actor takes the event behind one that was prevented")
  func onAnActor() {
    let bus = EventBus(hooks: EventHooks(interceptor: Selective()))
    var shown: [Int] = []
    let token = bus.observe(.number, once: true) { shown.append($0) }
    blockedOnThread {
      for value in 1...3 { bus.post(.number, value) }
    }
    bus.post(.nothing)
    #expect(shown == [2])
    #expect(!token.isActive)
  }

  @Test("A one-call asynchronous handler takes the event that came during a prevented call")
  func asynchronous() async {
    let (began, mayLeave, heard) = (ManualLatch(), ManualLatch(), Log<Int>())
    let bus = EventBus(
      hooks: EventHooks(
        interceptor: Selective(beforeAsync: { value in
          guard value == 1 else { return }
          began.open()
          await mayLeave.wait()
        })
      )
    )
    let token = bus.observe(.number, once: true) { value in
      await Task.yield()
      heard.append(value)
    }
    bus.post(.number, 1)
    await began.wait()
    let others = [2, 3].map { bus.postCounting(.number, $0) }
    mayLeave.open()
    for other in others { await other.wait() }
    #expect(heard.entries == [2])
    #expect(others.map(\.outcome.reachedCount) == [1, 0])
    #expect(!token.isActive)
  }

  @Test("A one-call handler takes the event that another thread posts during a prevented call")
  func synchronous() {
    let (holder, heard) = (Holder<EventBus>(), Log<Int>())
    let bus = EventBus(
      hooks: EventHooks(
        interceptor: Selective(before: { value in
          guard value == 1 else { return }
          blockedOnThread { _ = holder.value?.post(.number, 2) }
        })
      )
    )
    holder.hold(bus)
    let token = bus.observe(.number, once: true) { heard.append($0) }
    #expect(bus.post(.number, 1) == 0)
    #expect(heard.entries == [2])
    #expect(!token.isActive)
    holder.letGo()
  }

  @Test("A one-call handler is called once if two threads are about to call it")
  func twoThreads() {
    let (holder, heard, reached) = (Holder<EventBus>(), Log<Int>(), Log<Int>())
    let bus = EventBus(
      hooks: EventHooks(
        interceptor: Selective(before: { value in
          guard value == 2 else { return }
          blockedOnThread { if let bus = holder.value { reached.append(bus.post(.number, 3)) } }
        })
      )
    )
    holder.hold(bus)
    let token = bus.observe(.number, once: true) { heard.append($0) }
    #expect(bus.post(.number, 2) == 0)
    #expect(heard.entries == [3])
    #expect(reached.entries == [1])
    holder.letGo()
    withExtendedLifetime(token) {}
  }
}
