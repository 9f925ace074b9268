import EventBus
import TestSupport
import Testing

/// Asynchronous handlers whose registration ends on their actor while they are on their way there.
@Suite("Ends between the hop and the call", .timeLimit(.minutes(5)))
struct AsyncRefusalTests {
  enum Form: CaseIterable, Sendable { case plain, owner, isolatedOwner }

  enum Source: CaseIterable, Sendable { case bus, signal, readOnlySignal }

  enum End: Sendable { case cancel, bag, lifetime }

  @Test(
    "After cancel has returned on the handler's actor, no asynchronous call begins there",
    arguments: Form.allCases,
    Source.allCases
  )
  func cancelled(form: Form, source: Source) async {
    let (bus, signal) = (EventBus(), Signal<Int>())
    switch source {
    case .bus:
      let (calls, outcome) = await Self.calls(of: form, bus.signal(.number), endedBy: .cancel) {
        await bus.postAndWait(.number, 1)
      }
      #expect(calls == 0)
      #expect(outcome.reachedCount == 0)
      #expect(outcome.cancelledCount == 1)
    case .signal:
      let (calls, reached) = await Self.calls(of: form, signal, endedBy: .cancel) { signal.send(1) }
      #expect(calls == 0)
      #expect(reached == 1, "The event was queued.")
    case .readOnlySignal:
      let (calls, reached) = await Self.calls(of: form, signal.readOnly, endedBy: .cancel) {
        signal.send(1)
      }
      #expect(calls == 0)
      #expect(reached == 1, "The event was queued.")
    }
  }

  @Test(
    "After a bag or a lifetime has ended on the handler's actor, no asynchronous call begins there",
    arguments: Form.allCases,
    [End.bag, .lifetime]
  )
  func ended(form: Form, end: End) async {
    let signal = Signal<Int>()
    let (calls, _) = await Self.calls(of: form, signal, endedBy: end) { signal.send(1) }
    #expect(calls == 0)
  }

  @Test("A handler that is cancelled during the hop is traced as skipped, and not as started")
  func traced() async {
    let steps = Log<String>()
    let trace: @Sendable (TraceStep) -> Void = { event in
      switch event.kind {
      case .queued: steps.append("queued")
      case .started: steps.append("started")
      case .skipped(let reason): steps.append("skipped, \(reason)")
      case .began, .ended, .finished: break
      }
    }
    let bus = EventBus(hooks: EventHooks(onTrace: trace))
    _ = await Self.calls(of: .plain, bus.signal(.number), endedBy: .cancel) {
      await bus.postAndWait(.number, 1)
    }
    #expect(steps.entries == ["queued", "skipped, cancelled"])
  }

  @Test(
    "The start of an asynchronous handler is traced on its actor",
    arguments: Form.allCases
  )
  func startedThere(form: Form) async {
    let (worker, starts) = (HeldActor(), Log<ThreadID>())
    worker.executor.open()
    let trace: @Sendable (TraceStep) -> Void = { event in
      if case .started = event.kind { starts.append(.current) }
    }
    let bus = EventBus(hooks: EventHooks(onTrace: trace))
    let token = await worker.observe(form, bus.signal(.number))
    #expect(await bus.postAndWait(.number, 1).reachedCount == 1)
    #expect(worker.calls.count == 1)
    #expect(starts.entries == worker.calls.entries)
    withExtendedLifetime(token) {}
  }

  /// Sends an event and ends the registration on the handler's actor, in a job that precedes the handler's
  /// own.
  ///
  /// - Returns: The number of calls, and the result of sending.
  private static func calls<Sent: Sendable>(
    of form: Form,
    _ source: some ReadableSignal<Int>,
    endedBy end: End,
    _ send: @escaping @Sendable () async -> Sent
  ) async -> (Int, Sent) {
    let (worker, bag, lifetime) = (HeldActor(), TokenBag(), Lifetime())
    worker.executor.open()
    let token = await worker.observe(form, source)
    if end == .bag { token.store(in: bag) }
    if end == .lifetime { token.attach(to: lifetime) }
    worker.executor.hold()
    let ending = Task {
      await worker.perform {
        switch end {
        case .cancel: token.cancel()
        case .bag: bag.cancelAll()
        case .lifetime: lifetime.end()
        }
      }
    }
    await worker.executor.waitForJobs(1)
    let sending = Task { await send() }
    await worker.executor.waitForJobs(2)
    worker.executor.open()
    await ending.value
    await token.waitUntilFinished()
    return (worker.calls.count, await sending.value)
  }
}

/// An actor whose jobs wait until its executor is opened.
private actor HeldActor {
  nonisolated let executor = HeldExecutor()
  /// The threads of the calls.
  nonisolated let calls = Log<ThreadID>()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
  }

  func perform(_ body: @Sendable () -> Void) { body() }

  func observe(_ form: AsyncRefusalTests.Form, _ source: some ReadableSignal<Int>) -> Token {
    switch form {
    case .plain: source.observe { _ in await self.note() }
    case .owner: source.observe(owner: self) { _, _ in await self.note() }
    case .isolatedOwner:
      source.observe(owner: self) { (worker: isolated HeldActor, _) in await worker.note() }
    }
  }

  private func note() async { calls.append(.current) }
}
