import EventBus
import TestSupport
import Testing

private actor Enqueuer {
  func enqueue(_ value: Int, on bus: EventBus) { bus.enqueue(.number, value) }
}

/// All on the main actor, so that nothing is delivered before the test gives way.
@MainActor
@Suite("Enqueued events of one place", .timeLimit(.minutes(5)))
struct EnqueuedEventTests {
  private static let object = EventName<AtDeinit>("enqueued.object")
  private static let other = EventName<Int>("enqueued.other")

  private let bag = TokenBag()

  /// Enqueues an event; all calls are at one source site.
  private static func enqueue<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    on bus: EventBus?
  ) {
    bus?.enqueue(name, payload)
  }

  /// Waits for the delivery of everything that has been enqueued on the main actor.
  private func settle(_ bus: EventBus) async {
    let isOver = ManualLatch()
    let token = bus.observe(.nothing, once: true) { isOver.open() }
    bus.enqueue(.nothing)
    await isOver.wait()
    withExtendedLifetime(token) {}
  }

  @Test("Any number of events of one place arrive once and in order")
  func lengths() async {
    let bus = EventBus()
    var shown: [Int] = []
    bus.observe(.number) { shown.append($0) }.store(in: bag)
    for (round, count) in [1, 1, 2, 9, 512, 512, 513, 5_000].enumerated() {
      for value in 0..<count { Self.enqueue(.number, round + value, on: bus) }
      #expect(shown == [])
      await settle(bus)
      #expect(shown == Array(round..<(round + count)))
      shown = []
    }
  }

  @Test("Events of several names, places and senders keep their order and origin")
  func mixed() async {
    let (bus, sender) = (EventBus(), SampleSender())
    var shown: [String] = []
    bus.observeAll { event in
      let sender = event.sender == ObjectIdentifier(sender) ? "sent" : "-"
      shown.append("\(event.name) \(event.payload) \(event.site) \(sender)")
    }
    .store(in: bag)
    var numbers = SampleNumbers(seed: 1)
    let names: [EventName<Int>] = [.number, Self.other]
    let files: [StaticString] = ["A/a.swift", "B/b.swift"]
    var (expected, value): ([String], Int) = ([], 0)
    while value < 3_000 {
      let (name, file) = (names[numbers.next(below: 2)], files[numbers.next(below: 2)])
      let line: UInt = [10, 20][numbers.next(below: 2)]
      let isSent = numbers.next(below: 5) == 0
      for _ in 0...numbers.next(below: 12) {
        bus.enqueue(name, value, from: isSent ? sender : nil, fileID: file, line: line)
        let origin = isSent ? "sent" : "-"
        expected.append("\(name.name) \(value) \(file):\(line) \(origin)")
        value += 1
      }
    }
    await settle(bus)
    #expect(shown.dropLast() == expected[...])
  }

  @Test("A place that enqueues payloads of several types delivers each to its own observers")
  func types() async {
    let bus = EventBus()
    var shown: [String] = []
    let (number, text) = (EventName<Int>("enqueued.twofold"), EventName<String>("enqueued.twofold"))
    bus.observe(number) { shown.append("\($0 + 1)") }.store(in: bag)
    bus.observe(text) { shown.append($0 + ".") }.store(in: bag)
    for value in 0..<20 {
      Self.enqueue(number, value, on: bus)
      Self.enqueue(text, "text \(value), too long to be stored in place", on: bus)
    }
    await settle(bus)
    let expected = (0..<20).flatMap {
      ["\($0 + 1)", "text \($0), too long to be stored in place."]
    }
    #expect(shown == expected)
  }

  private struct Nothing: Sendable, Equatable {}
  private struct Holding: Sendable {
    weak let object: AtDeinit?
    let number: Int
  }

  @Test("Payloads of any shape survive while they wait for a turn")
  func shapes() async {
    let bus = EventBus()
    func check<Payload: Sendable, Shown: Equatable & Sendable>(
      _ make: (Int) -> Payload,
      shown show: @escaping @Sendable (Payload) -> Shown
    ) async {
      let name = EventName<Payload>("enqueued.shape")
      var shown: [Shown] = []
      let token = bus.observe(name) { shown.append(show($0)) }
      for value in 0..<600 { Self.enqueue(name, make(value), on: bus) }
      await settle(bus)
      #expect(shown == (0..<600).map { show(make($0)) }, "\(Payload.self)")
      withExtendedLifetime(token) {}
    }
    func check<Payload: Sendable & Equatable>(_ make: (Int) -> Payload) async {
      await check(make) { $0 }
    }
    await check({ _ in }, shown: { _ in 0 })
    await check { _ in Nothing() }
    await check { UInt8(truncatingIfNeeded: $0) }
    await check { $0 }
    await check { "number \($0), too long to be stored in place" }
    await check { [Int](repeating: $0, count: 3) }
    await check { Optional($0) }
    await check { SIMD64<Double>(repeating: Double($0)) }
    await check({ value -> any Sendable in value }, shown: { $0 as? Int })
    await check({ value -> any Sendable & CustomStringConvertible in [value] }, shown: { "\($0)" })
    await check({ value -> @Sendable () -> Int in { value } }, shown: { $0() })
    await check({ (value: Int) in (value, "\(value)") }, shown: { [$0.1, "\($0.0)"] })
    let object = AtDeinit {}
    await check(
      { Holding(object: object, number: $0) },
      shown: { $0.object == nil ? -1 : $0.number }
    )
    withExtendedLifetime(object) {}
  }

  @Test("Each payload is freed after its delivery and before the next")
  func release() async {
    let bus = EventBus()
    let log = Log<String>()
    var count = 0
    bus.observe(Self.object) { object in
      object.touch()
      count += 1
      log.append("call \(count)")
    }
    .store(in: bag)
    for number in 1...600 {
      Self.enqueue(Self.object, AtDeinit { log.append("free \(number)") }, on: bus)
    }
    #expect(log.entries == [])
    await settle(bus)
    #expect(log.entries == (1...600).flatMap { ["call \($0)", "free \($0)"] })
  }

  @Test("Events that no handler observes are reported one by one and freed")
  func unhandled() async {
    let (unhandled, freed) = (Log<UInt>(), Counter())
    var hooks = EventHooks.silent
    hooks.onUnhandled = { unhandled.append($0.site.line) }
    let bus = EventBus(hooks: hooks)
    for _ in 0..<20 { bus.enqueue(Self.object, AtDeinit { freed.add() }, line: 10) }
    await settle(bus)
    #expect(unhandled.entries == Array(repeating: 10, count: 20))
    #expect(freed.value == 20)
  }

  @Test("Each failure names the place of its call and its payload")
  func failures() async {
    let failures = Log<String>()
    var hooks = EventHooks.silent
    hooks.onError = { failures.append("\($0.event.payload) at \($0.event.site.line)") }
    let bus = EventBus(hooks: hooks)
    bus.observe(.number) { _ in throw SampleError() }.store(in: bag)
    for value in 0..<3 { bus.enqueue(.number, value, line: 10) }
    for value in 3..<6 { bus.enqueue(.number, value, line: 20) }
    await settle(bus)
    #expect(failures.entries == (0..<6).map { "\($0) at \($0 < 3 ? 10 : 20)" })
  }

  @Test("Enqueued events are kept for later observers if their name asks for it")
  func replay() async {
    let (bus, name) = (EventBus(), EventName<Int>("enqueued.kept", replay: 3))
    for value in 0..<20 { Self.enqueue(name, value, on: bus) }
    #expect(bus.latest(name) == nil)
    await settle(bus)
    var shown: [Int] = []
    bus.observe(name) { shown.append($0) }.store(in: bag)
    await until(shown.count >= 3)
    #expect(shown == [17, 18, 19])
  }

  @Test("A bus that dies while events wait delivers nothing and frees every payload")
  func deadBus() async {
    let (told, freed) = (Counter(), Counter())
    var hooks = EventHooks.silent
    hooks.onUnhandled = { _ in told.add() }
    var bus: EventBus? = EventBus(hooks: hooks)
    bus?.observe(Self.object) { _ in told.add() }.store(in: bag)
    for _ in 0..<600 { Self.enqueue(Self.object, AtDeinit { freed.add() }, on: bus) }
    bus = nil
    await until(freed.value >= 600)
    #expect((told.value, freed.value) == (0, 600))
    withExtendedLifetime(bus) {}
  }

  @Test("A bus that a handler releases inside a turn delivers no more and frees every payload")
  func deadBusInside() async {
    let (told, called, freed) = (Counter(), Counter(), Counter())
    var hooks = EventHooks.silent
    hooks.onUnhandled = { _ in told.add() }
    let bus = Holder<EventBus>(EventBus(hooks: hooks))
    bus.value?.observe(Self.object) { object in
      object.touch()
      if called.add() == 3 { bus.letGo() }
    }
    .store(in: bag)
    for _ in 0..<600 { Self.enqueue(Self.object, AtDeinit { freed.add() }, on: bus.value) }
    await until(freed.value >= 600)
    #expect((told.value, called.value, freed.value) == (0, 3, 600))
  }

  @Test("Events that a handler enqueues at the place of its event wait for the next turn")
  func again() async {
    let bus = EventBus()
    var shown: [Int] = []
    bus.observe(.number) { value in
      shown.append(value)
      if value < 600 { Self.enqueue(.number, value + 1_000, on: bus) }
    }
    .store(in: bag)
    bus.observe(Self.other) { shown.append($0) }.store(in: bag)
    for value in 0..<600 { Self.enqueue(.number, value, on: bus) }
    bus.enqueue(Self.other, -1)
    await settle(bus)
    await settle(bus)
    #expect(shown == Array(0..<600) + [-1] + Array(1_000..<1_600))
  }

  @Test("Handlers that enqueue at the place of their event let the actor do other work in between")
  func turns() async {
    let (bus, most, isOver) = (EventBus(), 500, ManualLatch())
    var (calls, callsAtTurn) = (0, most)
    bus.observe(.number) { value in
      calls += 1
      if calls == 1 { Task { callsAtTurn = calls } }
      if calls < most { Self.enqueue(.number, value, on: bus) } else { isOver.open() }
    }
    .store(in: bag)
    Self.enqueue(.number, 0, on: bus)
    await isOver.wait()
    // The task had a turn although an event always waited.
    #expect(callsAtTurn < most)
  }

  @Test("Events that the handler of an event from another thread enqueues wait for a separate turn")
  func enqueuedByAWaitingEvent() async {
    let (bus, isOver) = (EventBus(), ManualLatch())
    var shown: [String] = []
    bus.observe(.text) { _ in
      shown.append("posted")
      Task { shown.append("task") }
      bus.enqueue(.number, 1)
    }
    .store(in: bag)
    bus.observe(.number) { _ in
      shown.append("enqueued")
      isOver.open()
    }
    .store(in: bag)
    _ = blockedOnThread { bus.post(.text, "a") }
    await isOver.wait()
    #expect(shown == ["posted", "task", "enqueued"])
  }

  @Test("An actor that nothing else refers to lives until what it has enqueued is delivered")
  nonisolated func keptActor() async {
    let (bus, heard) = (EventBus(), Inbox<Int>())
    let token = bus.observe(.number) { heard.append($0) }
    for value in 0..<100 { await Enqueuer().enqueue(value, on: bus) }
    #expect(await heard.first(100).sorted() == Array(0..<100))
    withExtendedLifetime(token) {}
  }

  @Test("A payload that enqueues at the place of its event when it is freed loses no event")
  func enqueuingPayload() async {
    let bus = EventBus()
    var calls = 0
    bus.observe(Self.object) { object in
      object.touch()
      calls += 1
    }
    .store(in: bag)
    for number in 1...20 {
      // The last one is freed when nothing else is left of the run.
      let payload = AtDeinit {
        if number < 20 { return }
        MainActor.assumeIsolated { Self.enqueue(Self.object, AtDeinit {}, on: bus) }
      }
      Self.enqueue(Self.object, payload, on: bus)
    }
    await until(calls >= 21)
    await settle(bus)
    #expect(calls == 21)
  }

  @Test("An observer of one call takes the first event of a turn and no other")
  func once() async {
    let bus = EventBus()
    var shown: [String] = []
    let tokens = [
      bus.observe(.number, once: true) { shown.append("once \($0)") },
      bus.observe(.number, once: true, where: { $0 == 2 }) { shown.append("two \($0)") },
      bus.observe(.number) { shown.append("\($0)") },
    ]
    for value in 0..<4 { Self.enqueue(.number, value, on: bus) }
    await settle(bus)
    #expect(shown == ["once 0", "0", "1", "two 2", "2", "3"])
    #expect(tokens.map(\.isActive) == [false, false, true])
  }

  @Test("Cancelling and registering inside a turn take effect at its next event")
  func cancelled() async {
    let (bus, freed, unhandled) = (EventBus(hooks: .silent), Counter(), Counter())
    var (shown, early, late): ([String], Token?, Token?) = ([], nil, nil)
    let hooks = bus.addHooks(EventHooks(onUnhandled: { _ in unhandled.add() }))
    early = bus.observe(Self.object) { object in
      object.touch()
      shown.append("early \(freed.value)")
      if freed.value == 3 { early?.cancel() }
      if freed.value == 2 {
        late = bus.observe(Self.object) { _ in
          shown.append("late \(freed.value)")
          if freed.value == 5 { late?.cancel() }
        }
      }
    }
    for _ in 0..<20 { Self.enqueue(Self.object, AtDeinit { freed.add() }, on: bus) }
    await settle(bus)
    #expect(
      shown == ["early 0", "early 1", "early 2", "early 3", "late 3", "late 4", "late 5"]
    )
    #expect((freed.value, unhandled.value) == (20, 14))
    withExtendedLifetime((hooks, early, late)) {}
  }

  private struct Noting: EventInterceptor {
    let log: Log<String>
    func capture(_ event: AnyEvent) -> String {
      log.append("capture \(event.payload)")
      return "\(event.payload)"
    }
    func run(_ context: String, _ body: () -> Void) {
      log.append("run \(context)")
      body()
    }
    func run(_ context: String, _ body: () async -> Void) async { await body() }
  }

  @Test(
    "An interceptor captures an event where it is enqueued, those enqueued before it at delivery"
  )
  func interceptor() async {
    let (bus, log) = (EventBus(), Log<String>())
    bus.observe(.number) { log.append("call \($0)") }.store(in: bag)
    for value in 0..<2 { Self.enqueue(.number, value, on: bus) }
    let hooks = bus.addHooks(EventHooks(interceptor: Noting(log: log)))
    for value in 2..<4 { Self.enqueue(.number, value, on: bus) }
    #expect(log.take() == ["capture 2", "capture 3"])
    bus.observe(.number, priority: .low) { value in if value == 3 { hooks.cancel() } }
      .store(in: bag)
    for value in 4..<6 { bus.enqueue(.number, value) }
    #expect(log.take() == ["capture 4", "capture 5"])
    await settle(bus)
    let expected = (0..<4).flatMap { value in
      (value < 2 ? ["capture \(value)"] : []) + ["run \(value)", "call \(value)", "run \(value)"]
    }
    #expect(log.entries == ["capture ()"] + expected + ["call 4", "call 5"])
  }

  @Test("A trace shows each event of a turn that is delivered while its hook is installed")
  func trace() async {
    let (bus, traced) = (EventBus(), Log<UInt>())
    var (shown, hooks): ([Int], Token?) = ([], nil)
    bus.observe(.number) { value in
      shown.append(value)
      if value == 7 { hooks?.cancel() }
      if value != 3 { return }
      hooks = bus.addHooks(
        EventHooks(onTrace: { if case .began = $0.kind { traced.append($0.site.line) } })
      )
    }
    .store(in: bag)
    for value in 0..<10 { bus.enqueue(.number, value, line: 10) }
    await settle(bus)
    #expect(shown == Array(0..<10))
    #expect(traced.entries == [10, 10, 10, 10])
    withExtendedLifetime(hooks) {}
  }

  private actor Place {
    /// Enqueues a run and returns how many of its events were delivered meanwhile.
    func fill(_ bus: EventBus, _ delivered: Counter) -> Int {
      for value in 0..<600 { bus.enqueue(.number, value * 3 + 1) }
      return delivered.value
    }
  }

  nonisolated private static func fill(_ bus: EventBus) {
    for value in 0..<600 { bus.enqueue(.number, value * 3) }
  }

  nonisolated private static func observe(
    _ bus: EventBus,
    _ place: Place,
    _ inbox: Inbox<Int>,
    _ onPlace: Counter
  ) -> Token {
    // Without an isolation, so that it is called on that of the delivery.
    bus.observe(.number) { value in
      if value % 3 == 1 {
        place.assertIsolated()
        onPlace.add()
      } else if value % 3 == 2 {
        MainActor.assertIsolated()
      }
      inbox.append(value)
    }
  }

  @Test("The main actor, another actor and nonisolated code have separate turns, in order")
  func isolations() async {
    let (bus, place, inbox, onPlace) = (EventBus(), Place(), Inbox<Int>(), Counter())
    Self.observe(bus, place, inbox, onPlace).store(in: bag)
    async let early = place.fill(bus, onPlace)
    for value in 0..<600 { bus.enqueue(.number, value * 3 + 2) }
    Self.fill(bus)
    #expect(inbox.entries.allSatisfy { $0 % 3 != 2 })
    #expect(await early == 0)
    let heard = await inbox.first(1_800)
    for isolation in 0..<3 {
      #expect(heard.filter { $0 % 3 == isolation } == (0..<600).map { $0 * 3 + isolation })
    }
  }
}
