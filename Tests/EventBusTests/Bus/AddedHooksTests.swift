import EventBus
import TestSupport
import Testing

@Suite("Hooks added to a bus", .timeLimit(.minutes(5)))
struct AddedHooksTests {
  func hooks(_ log: Log<String>, _ name: String) -> EventHooks {
    EventHooks(onUnhandled: { log.append("\(name) \($0.name)") })
  }

  @Test("Hooks are called in the order of installation, those given to the initializer first")
  func order() {
    let log = Log<String>()
    let bus = EventBus(hooks: hooks(log, "first"))
    let second = bus.addHooks(hooks(log, "second"))
    let third = bus.addHooks(hooks(log, "third"))
    bus.post(.number, 1)
    #expect(
      log.take() == ["first sample.number", "second sample.number", "third sample.number"]
    )
    second.cancel()
    bus.post(.nothing)
    #expect(log.take() == ["first sample.nothing", "third sample.nothing"])
    #expect(!second.isActive && third.isActive)
    withExtendedLifetime(third) {}
  }

  @Test("An error is not lost while the hooks that would receive it are being removed")
  func errorDuringRemoval() {
    let (messages, errors) = (Log<String>(), Counter())
    let bus = EventBus(hooks: EventHooks(onMessage: { messages.append($0) }))
    let handler = bus.observe(.number) { _ in throw SampleError() }
    let bag = TokenBag()
    Token { bus.post(.number, 1) }.store(in: bag)
    bus.addHooks(EventHooks(onError: { _ in errors.add() })).store(in: bag)
    bag.end()
    #expect(errors.value + messages.count == 1)
    withExtendedLifetime(handler) {}
  }

  @Test("An event that a hook enqueues is not reported, so a hook cannot report itself forever")
  func enqueuingHook() async {
    let (bus, entries) = (EventBus(), Counter())
    let hooks = bus.addHooks(
      EventHooks(onTrace: { [weak bus] _ in
        if entries.add() < 10 { bus?.enqueue(.nothing) }
      })
    )
    let arrived = Inbox<Int>()
    let token = bus.observe(.nothing) { arrived.append(1) }
    bus.post(.number, 1)
    // Both entries of the post were traced, and each enqueued an event.
    _ = await arrived.first(2)
    await bus.postAndWait(.nothing)
    await rest()
    #expect(entries.value < 10)
    withExtendedLifetime((hooks, token)) {}
  }

  @Test("The initializer takes every hook, all of them optional")
  func initializer() {
    let (errors, unhandled, traces, messages) = (Counter(), Counter(), Counter(), Counter())
    let hooks = EventHooks(
      onError: { _ in errors.add() },
      onUnhandled: { _ in unhandled.add() },
      onTrace: { _ in traces.add() },
      onMessage: { _ in messages.add() },
      interceptor: nil
    )
    let bus = EventBus()
    let added = bus.addHooks(hooks)
    let token = bus.observe(.number) { _ in throw SampleError() }
    bus.post(.number, 1)
    bus.post(.nothing)
    #expect((errors.value, unhandled.value, messages.value) == (1, 1, 0))
    #expect(traces.value == 6)
    withExtendedLifetime((added, token)) {}
  }

  @Test("EventBus.default takes hooks, which see only its own posts")
  func defaultBus() {
    let name = EventName<Int>("sample.addedToDefault")
    let log = Log<Int>()
    let token = EventBus.default.addHooks(
      EventHooks(onUnhandled: { event in
        if event.name == name.name, let value = event.payload as? Int { log.append(value) }
      })
    )
    EventBus.default.post(name, 1)
    EventBus().post(name, 2)
    token.cancel()
    EventBus.default.post(name, 3)
    #expect(log.entries == [1])
  }

  @Test("Posts take the shortest path again once the last trace hook or interceptor has ended")
  func plainAgain() {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let kept = bus.observe(.number) { _ in }
    let quiet = bus.addHooks(
      EventHooks(
        onError: { _ in },
        onUnhandled: { _ in },
        onMessage: { _ in }
      )
    )
    #expect(signal.isPlain)
    let traced = (0..<2).map { _ in bus.addHooks(EventHooks(onTrace: { _ in })) }
    let intercepted = bus.addHooks(EventHooks(interceptor: PassingInterceptor()))
    let wildcard = bus.observeAll { _ in }
    for token in traced {
      #expect(!signal.isPlain)
      token.cancel()
    }
    #expect(!signal.isPlain)
    intercepted.cancel()
    #expect(!signal.isPlain)
    wildcard.cancel()
    #expect(signal.isPlain)
    #expect(bus.post(.number, 1) == 1)
    withExtendedLifetime((kept, quiet)) {}
  }

  @Test("A hook that an earlier hook removes during the same report is not called")
  func removedByAnother() {
    let bus = EventBus()
    let (later, calls) = (Holder<Token>(), Counter())
    let first = bus.addHooks(EventHooks(onUnhandled: { _ in later.value?.cancel() }))
    later.hold(bus.addHooks(EventHooks(onUnhandled: { _ in calls.add() })))
    bus.post(.number, 1)
    #expect(calls.value == 0)
    withExtendedLifetime(first) {}
  }

  @Test("Removed hooks are freed at once, although an event is kept for replay or waits")
  func freedDespiteReplay() async {
    let (bus, tally, log) = (EventBus(), Tally(), Log<String>())
    let name = EventName<Int>("sample.keptAfterHooks", replay: 1)
    let executor = HeldExecutor()
    let actor = HeldActor(executor)
    bus.observe(name, owner: actor) { (_: isolated HeldActor, value) in log.append("\(value)") }
    let hooks = bus.addHooks(
      EventHooks(
        onTrace: { [probe = tally.probe()] _ in probe.touch() },
        interceptor: ProbingInterceptor(probe: tally.probe())
      )
    )
    bus.post(name, 1)
    hooks.cancel()
    #expect(tally.live == 0)
    let late = bus.observe(name) { log.append("late \($0)") }
    executor.open()
    await bus.postAndWait(name, 2)
    #expect(log.entries.sorted() == ["1", "2", "late 1", "late 2"])
    withExtendedLifetime((late, actor)) {}
  }

  @MainActor
  @Test("Events that a hook delivers from a mailbox are reported to hooks, unlike its own posts")
  func mailboxDrainedByAHook() {
    let (bus, failures, shown) = (EventBus(), Log<String>(), Log<Int>())
    let waiting = bus.observe(.number) { @MainActor value in
      shown.append(value)
      throw SampleError(number: value)
    }
    let failing = bus.observe(.text) { @MainActor [unowned bus] _ in
      // The event waits for this actor while the hook runs.
      blockedOnThread { _ = bus.post(.number, 2) }
      throw SampleError(number: 1)
    }
    let hooks = bus.addHooks(
      EventHooks(onError: { [unowned bus] failure in
        failures.append("\(failure.error)")
        MainActor.assumeIsolated { _ = bus.post(.nothing) }
      })
    )
    bus.post(.text, "x")
    #expect(shown.entries == [2])
    #expect(failures.entries == ["SampleError(number: 1)", "SampleError(number: 2)"])
    withExtendedLifetime((waiting, failing, hooks)) {}
  }

  @Test("When the bus is released, the tokens of its hooks become inert and the closures are freed")
  func busDies() {
    let tally = Tally()
    var bus: EventBus? = EventBus()
    let token = bus?.addHooks(EventHooks(onTrace: { [probe = tally.probe()] _ in probe.touch() }))
    let signal = bus?.signal(.number)
    #expect(token?.isActive == true)
    withExtendedLifetime(bus) {}
    bus = nil
    #expect(token?.isActive == false)
    #expect(tally.freed == 1)
    #expect(signal?.isPlain == true)
    token?.cancel()
  }

  @Test("Hooks whose token is paused are not called, and are called again afterwards")
  func paused() {
    let (bus, log, errors) = (EventBus(), Log<String>(), Counter())
    var added = hooks(log, "added")
    added.onError = { _ in errors.add() }
    let token = bus.addHooks(added)
    let failing = bus.observe(.number) { _ in throw SampleError() }
    let pause = token.pause()
    bus.post(.nothing)
    // Installed, and so not written to standard error either.
    bus.post(.number, 1)
    pause.cancel()
    bus.post(.nothing)
    bus.post(.number, 1)
    #expect(log.entries == ["added sample.nothing"])
    #expect(errors.value == 1)
    withExtendedLifetime((token, failing)) {}
  }
}

/// Carries nothing.
struct PassingInterceptor: EventInterceptor {
  func capture(_ event: AnyEvent) {}
  func run(_ context: Void, _ body: () -> Void) { body() }
  func run(_ context: Void, _ body: () async -> Void) async { await body() }
}

/// Carries nothing, and retains a probe.
private struct ProbingInterceptor: EventInterceptor {
  let probe: Tally.Probe
  func capture(_ event: AnyEvent) {}
  func run(_ context: Void, _ body: () -> Void) { body() }
  func run(_ context: Void, _ body: () async -> Void) async { await body() }
}
