import EventBus
import TestSupport
import Testing

/// Carries a task-local, and records what it does.
private struct Carrier: EventInterceptor {
  @TaskLocal static var value = "none"

  let name: String
  let log: Log<String>

  init(_ name: String = "carrier", _ log: Log<String> = Log()) {
    (self.name, self.log) = (name, log)
  }

  func capture(_ event: AnyEvent) -> String {
    log.append("\(name) captures \(event.name)")
    return Self.value
  }

  func run(_ value: String, _ body: () -> Void) {
    log.append("\(name) begins")
    Self.$value.withValue(value) { body() }
    log.append("\(name) ends")
  }

  func run(_ value: String, _ body: () async -> Void) async {
    log.append("\(name) begins")
    await Self.$value.withValue(value) { await body() }
    log.append("\(name) ends")
  }
}

/// An interceptor that runs each body a given number of times.
private struct Repeater: EventInterceptor {
  let times: Counter

  func capture(_ event: AnyEvent) {}
  func run(_ context: Void, _ body: () -> Void) { for _ in 0..<times.value { body() } }
  func run(_ context: Void, _ body: () async -> Void) async {
    for _ in 0..<times.value { await body() }
  }
}

/// Captures nothing, in a type that may hold something.
private struct Absent: EventInterceptor {
  let runs: Counter

  func capture(_ event: AnyEvent) -> Int?? { event.name == "sample.text" ? .some(nil) : nil }
  func run(_ context: Int??, _ body: () -> Void) {
    runs.add()
    body()
  }
  func run(_ context: Int??, _ body: () async -> Void) async {
    runs.add()
    await body()
  }
}

@Suite("Interceptors", .timeLimit(.minutes(5)))
struct InterceptorTests {
  private func post(_ bus: EventBus, _ value: Int) {
    Carrier.$value.withValue("request \(value)") { _ = bus.post(.number, value) }
  }

  @Test("An interceptor that captures nil surrounds every call")
  func absentContext() async {
    let (bus, runs, heard) = (EventBus(), Counter(), Counter())
    let hooks = bus.addHooks(EventHooks(interceptor: Absent(runs: runs)))
    let tokens = [
      bus.observe(.number) { _ in heard.add() },
      bus.observe(.text) { _ in heard.add() },
      bus.observe(.text) { _ in
        await Task.yield()
        heard.add()
      },
    ]
    await bus.postAndWait(.number, 1)
    await bus.postAndWait(.text, "")
    #expect((runs.value, heard.value) == (3, 3))
    withExtendedLifetime((hooks, tokens)) {}
  }

  @Test("A plain handler, one with an owner and one of every event see the caller's value")
  func synchronous() {
    let (bus, seen) = (EventBus(), Log<String>())
    let owner = PlainOwner()
    let hooks = bus.addHooks(EventHooks(interceptor: Carrier()))
    let tokens = [
      bus.observe(.number) { _ in seen.append("plain \(Carrier.value)") },
      bus.observe(.number, owner: owner) { _, _ in seen.append("owner \(Carrier.value)") },
      bus.observe(.number, once: true) { _ in seen.append("once \(Carrier.value)") },
      bus.observeAll { _ in seen.append("all \(Carrier.value)") },
    ]
    post(bus, 1)
    #expect(
      seen.entries == ["plain", "owner", "once", "all"].map { "\($0) request 1" }
    )
    withExtendedLifetime((hooks, tokens, owner)) {}
  }

  @MainActor
  @Test("Handlers on an actor see the value of a caller on another thread, after the hop")
  func actorBound() async {
    let (bus, seen) = (EventBus(hooks: EventHooks(interceptor: Carrier())), Inbox<String>())
    let token = bus.observe(.number) { @MainActor _ in
      MainActor.assertIsolated()
      seen.append(Carrier.value)
    }
    blockedOnThread { post(bus, 1) }
    Carrier.$value.withValue("other") { post(bus, 2) }
    #expect(await seen.first(2) == ["request 1", "request 2"])
    withExtendedLifetime(token) {}
  }

  @Test("Asynchronous handlers see the value, across suspensions and on their actor")
  func asynchronous() async {
    let (bus, seen) = (EventBus(hooks: EventHooks(interceptor: Carrier())), Log<String>())
    let screen = Screen()
    let free = bus.observe(.number) { _ in
      await Task.yield()
      seen.append(Carrier.value)
    }
    await bus.observeOnMain(screen) { _, _ in
      MainActor.assertIsolated()
      await Task.yield()
      MainActor.assertIsolated()
      seen.append("main \(Carrier.value)")
    }
    await Carrier.$value.withValue("request 1") { _ = await bus.postAndWait(.number, 1) }
    #expect(seen.entries.sorted() == ["main request 1", "request 1"])
    withExtendedLifetime((free, screen)) {}
  }

  @Test("An enqueued event brings the value of the code that enqueued it")
  func enqueued() async {
    let (bus, seen) = (EventBus(hooks: EventHooks(interceptor: Carrier())), Inbox<String>())
    let token = bus.observe(.number) { _ in seen.append(Carrier.value) }
    Carrier.$value.withValue("request 1") { bus.enqueue(.number, 1) }
    #expect(await seen.first(1) == ["request 1"])
    withExtendedLifetime(token) {}
  }

  @Test("A replayed event brings the value of its post")
  func replayed() {
    let name = EventName<Int>("sample.replayedInterception", replay: 1)
    let (bus, seen) = (EventBus(hooks: EventHooks(interceptor: Carrier())), Log<String>())
    Carrier.$value.withValue("early") { _ = bus.post(name, 1) }
    let token = bus.observe(name) { _ in seen.append(Carrier.value) }
    #expect(seen.entries == ["early"])
    withExtendedLifetime(token) {}
  }

  @Test("Interceptors nest in the order of installation, around each handler")
  func nested() {
    let log = Log<String>()
    let bus = EventBus(hooks: EventHooks(interceptor: Carrier("outer", log)))
    let inner = bus.addHooks(EventHooks(interceptor: Carrier("inner", log)))
    let token = bus.observe(.number) { _ in log.append("handler") }
    bus.post(.number, 1)
    #expect(
      log.take() == [
        "outer captures sample.number", "inner captures sample.number", "outer begins",
        "inner begins", "handler", "inner ends", "outer ends",
      ]
    )
    inner.cancel()
    bus.post(.number, 2)
    #expect(
      log.take() == ["outer captures sample.number", "outer begins", "handler", "outer ends"]
    )
    withExtendedLifetime(token) {}
  }

  @Test("Posts of a handler are intercepted, those of an interceptor are not")
  func postsInside() {
    struct Poster: EventInterceptor {
      let bus: Holder<EventBus>
      func capture(_ event: AnyEvent) { bus.value?.post(.text, "captured") }
      func run(_ context: Void, _ body: () -> Void) {
        bus.value?.post(.text, "before")
        body()
      }
      func run(_ context: Void, _ body: () async -> Void) async { await body() }
    }
    let (holder, log) = (Holder<EventBus>(), Log<String>())
    let bus = EventBus(hooks: EventHooks(interceptor: Carrier("carrier", log)))
    holder.hold(bus)
    let poster = bus.addHooks(EventHooks(interceptor: Poster(bus: holder)))
    let tokens = [
      bus.observe(.text) { log.append($0) },
      bus.observe(.number) { [unowned bus] _ in bus.post(.text, "handler") },
    ]
    bus.post(.number, 1)
    #expect(
      log.entries == [
        "carrier captures sample.number", "captured", "carrier begins", "before",
        "carrier captures sample.text", "captured", "carrier begins", "before", "handler",
        "carrier ends", "carrier ends",
      ]
    )
    holder.letGo()
    withExtendedLifetime((poster, tokens)) {}
  }

  @Test("A handler whose interceptor does not run it is skipped, traced and counted")
  func notRun() async {
    let (times, trace, heard) = (Counter(), Log<TraceStep>(), Counter())
    let bus = EventBus(
      hooks: EventHooks(onTrace: { trace.append($0) }, interceptor: Repeater(times: times))
    )
    let owner = PlainOwner()
    let tokens = [
      bus.observe(.number) { _ in heard.add() },
      bus.observe(.number, owner: owner) { _, _ in heard.add() },
      bus.observe(.number, where: { _ in true }) { _ in heard.add() },
      bus.observe(.number) { _ in
        await Task.yield()
        heard.add()
      },
    ]
    // The asynchronous one is queued, and intercepted later.
    await bus.postAndWait(.number, 1)
    #expect(bus.post(.nothing) == 0)
    #expect(heard.value == 0)
    let reasons = trace.entries.compactMap { event -> TraceStep.SkipReason? in
      if case .skipped(let reason) = event.kind { reason } else { nil }
    }
    #expect(reasons == Array(repeating: .intercepted, count: 4))
    times.add()
    await bus.postAndWait(.number, 2)
    #expect(heard.value == 4)
    withExtendedLifetime((tokens, owner)) {}
  }

  @Test("A registration with one call keeps it when an interceptor does not run the call")
  func onceKept() async {
    let (times, heard) = (Counter(), Counter())
    let bus = EventBus(hooks: EventHooks(interceptor: Repeater(times: times)))
    let tokens = [
      bus.observe(.number, once: true) { _ in heard.add() },
      bus.observe(.number, once: true) { _ in
        await Task.yield()
        heard.add()
      },
    ]
    await bus.postAndWait(.number, 1)
    await bus.postAndWait(.number, 1)
    #expect(tokens.map(\.isActive) == [true, true])
    times.add()
    await bus.postAndWait(.number, 2)
    await bus.postAndWait(.number, 3)
    #expect(heard.value == 2)
    #expect(tokens.map(\.isActive) == [false, false])
  }

  @Test("A second run of a body is ignored, with one message")
  func runTwice() async {
    let (times, messages, heard) = (Counter(), Log<String>(), Counter())
    times.add(2)
    let bus = EventBus(
      hooks: EventHooks(
        onMessage: { messages.append($0) },
        interceptor: Repeater(times: times)
      )
    )
    let tokens = [
      bus.observe(.number) { _ in heard.add() },
      bus.observe(.number) { _ in
        await Task.yield()
        heard.add()
      },
    ]
    await bus.postAndWait(.number, 1)
    #expect(heard.value == 2)
    #expect(messages.count == 1)
    #expect(messages.entries.first?.contains("Repeater") == true)
    withExtendedLifetime(tokens) {}
  }

  @Test("Errors of handlers are reported once, and other handlers are called")
  func errors() async {
    let failures = Log<String>()
    let bus = EventBus(
      hooks: EventHooks(
        onError: { failures.append("\($0.error) at \($0.registeredAt)") },
        interceptor: Carrier()
      )
    )
    let tokens = [
      bus.observe(.number, fileID: "A.swift", line: 1) { _ in throw SampleError() },
      bus.observe(.number, fileID: "A.swift", line: 2) { _ in
        await Task.yield()
        throw SampleError()
      },
    ]
    #expect(bus.post(.number, 1) == 2)
    await bus.postAndWait(.nothing)
    await bus.postAndWait(.number, 2)
    #expect(
      failures.entries.sorted()
        == [1, 1, 2, 2].map { "SampleError(number: 0) at A.swift:\($0)" }
    )
    withExtendedLifetime(tokens) {}
  }

  @Test("An interceptor removed after the post does not run around the queued handler")
  func removedMeanwhile() async {
    let (log, heard, mayLeave) = (Log<String>(), Inbox<String>(), ManualLatch())
    let bus = EventBus()
    let hooks = bus.addHooks(EventHooks(interceptor: Carrier("carrier", log)))
    let token = bus.observe(.number) { value in
      if value == 1 { await mayLeave.wait() }
      heard.append("\(value) \(Carrier.value)")
    }
    post(bus, 1)
    post(bus, 2)
    await until(log.count >= 3)
    hooks.cancel()
    mayLeave.open()
    #expect(await heard.first(2) == ["1 request 1", "2 none"])
    withExtendedLifetime(token) {}
  }
}

extension EventBus {
  @MainActor
  fileprivate func observeOnMain(
    _ screen: Screen,
    _ handler: @escaping @MainActor @Sendable (Screen, Int) async -> Void
  ) {
    observe(.number, owner: screen) { screen, value in await handler(screen, value) }
  }
}
