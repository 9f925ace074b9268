import EventBus
import TestSupport
import Testing

/// Threads that post to handlers on the main actor.
///
/// Written to be run under ThreadSanitizer.
@Suite("Stress on actor-bound observers", .timeLimit(.minutes(5)))
@MainActor
struct ActorStormTests {
  @Test("Every observer receives every event once, in the order of each posting thread")
  func posters() async {
    let bus = EventBus()
    let (threads, events) = (3, 300)
    let name = EventName<[Int]>("sample.actor storm")
    var shown: [[[Int]]] = [[], []]
    let reached = Counter()
    let tokens = [
      bus.observe(name) { shown[0].append($0) },
      bus.observe(name, priority: .low) { shown[1].append($0) },
    ]
    await onThreads(threads) { thread in
      for event in 0..<events { reached.add(bus.post(name, [thread, event])) }
    }
    // Events that still wait are delivered before the one posted here.
    bus.post(name, [threads, 0])
    #expect(reached.value == 2 * threads * events)
    for heard in shown {
      #expect(heard.last == [threads, 0])
      #expect(heard.count == threads * events + 1)
      for thread in 0..<threads {
        #expect(heard.filter { $0[0] == thread }.map { $0[1] } == Array(0..<events))
      }
    }
    withExtendedLifetime(tokens) {}
  }

  @Test("Posts from the main actor keep their position among posts from other threads")
  func postersOnBothSides() async {
    let bus = EventBus()
    let name = EventName<[Int]>("sample.actor storm")
    var shown: [[Int]] = []
    let token = bus.observe(name) { shown.append($0) }
    async let storm: Void = onThreads(2) { thread in
      for event in 0..<300 { bus.post(name, [thread, event]) }
    }
    for event in 0..<300 {
      bus.post(name, [2, event])
      #expect(shown.last == [2, event])
      if event.isMultiple(of: 10) { await Task.yield() }  // Reason: others overlap.
    }
    await storm
    bus.post(name, [3, 0])
    for thread in 0..<3 {
      #expect(shown.filter { $0[0] == thread }.map { $0[1] } == Array(0..<300))
    }
    withExtendedLifetime(token) {}
  }

  /// Posts another event for each one it receives.
  private actor Echo {
    nonisolated let executor = HeldExecutor()
    private(set) var heard: [Int] = []
    private(set) var echoes: [Int] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
    }

    func watch(_ bus: EventBus) {
      bus.observe(.number, owner: self) { (echo: isolated Echo, number) in
        echo.heard.append(number)
        bus.post(.text, "\(number)")
      }
      bus.observe(.text, owner: self) { (echo: isolated Echo, text) in
        if let number = Int(text) { echo.echoes.append(number) }
      }
    }
  }

  @Test("Draining many events queued for an actor whose handler posts uses little stack")
  func deepBacklog() async {
    let (bus, echo) = (EventBus(), Echo())
    echo.executor.open()
    await echo.watch(bus)
    echo.executor.hold()
    let numbers = Array(0..<rounds(30_000, debug: 10_000, sanitized: 10_000))
    for number in numbers { bus.post(.number, number) }
    echo.executor.open()
    await until(asking: await echo.echoes.count == numbers.count)
    #expect(await echo.heard == numbers)
    #expect(await echo.echoes.sorted() == numbers)
  }

  @Test("After cancel() returns on the main actor, no queued event is delivered")
  func cancelInTheStorm() async {
    let bus = EventBus()
    let mayStop = ManualLatch()
    let tally = Tally()
    let (posts, calls, late) = (Counter(), Counter(), Counter())
    async let storm: Void = onThreads(2) { _ in
      while !mayStop.isOpen {
        bus.post(.number, 1)
        posts.add()
        yieldThread()  // Reason: others overlap.
      }
    }
    for _ in 0..<200 {
      let wasCancelled = Counter()
      let token = bus.observe(.number) { [probe = tally.probe()] _ in
        probe.touch()
        calls.add()
        if wasCancelled.value > 0 { late.add() }
      }
      // Each thread may be in a post that began before the registration.
      let before = posts.value
      await until(posts.value > before + 2)
      token.cancel()
      wasCancelled.add()
      bus.post(.nothing)
    }
    mayStop.open()
    await storm
    #expect(calls.value > 0)
    #expect(late.value == 0)
    #expect(tally.live == 0)
    #expect(tally.created == 200)
  }

  @Test("An actor that stops observing under concurrent posts and is released is not leaked")
  func dyingActors() async {
    actor Listener {
      func observe(_ bus: EventBus, _ calls: Counter) {
        bus.observe(.number, owner: self) { (_: isolated Listener, value) in calls.add(value) }
      }
    }
    let bus = EventBus()
    let (mayStop, posts, calls) = (ManualLatch(), Counter(), Counter())
    let listeners = WeakList<Listener>()
    async let storm: Void = onThreads(1) { _ in
      while !mayStop.isOpen {
        bus.post(.number, 1)
        posts.add()
        yieldThread()  // Reason: others overlap.
      }
    }
    for _ in 0..<100 {
      let listener = Listener()
      listeners.append(listener)
      await listener.observe(bus, calls)
      let before = posts.value
      await until(posts.value > before + 1)
    }
    mayStop.open()
    await storm
    await rest()
    #expect(calls.value > 0)
    #expect(listeners.liveCount == 0)
  }
}
