import EventBus
import TestSupport
import Testing

extension EventName where Payload == AtDeinit {
  fileprivate static let object = EventName<AtDeinit>("waiting.object")
}

/// The tests occupy the main actor, so what another thread posts waits until the test posts.
@Suite("Runs of waiting events", .timeLimit(.minutes(5)))
@MainActor
struct WaitingRunTests {
  /// Posts numbers on another thread, all from one place.
  nonisolated private static func post(_ values: Range<Int>, to bus: EventBus) {
    blockedOnThread {
      for value in values { bus.post(.number, value) }
    }
  }

  @Test("A run of any length arrives in order", arguments: [1, 2, 3, 8, 9, 10, 17, 100, 5_000])
  func lengths(count: Int) {
    let bus = EventBus()
    var shown: [Int] = []
    let token = bus.observe(.number) { shown.append($0) }
    Self.post(0..<count, to: bus)
    #expect(bus.snapshot().waitingCount == count)
    bus.post(.number, count)
    #expect(shown == Array(0...count))
    #expect(bus.snapshot().waitingCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test("Events from several places, names and observers keep their order")
  func mixed() {
    let bus = EventBus()
    var shown: [String] = []
    let tokens = [
      bus.observe(.number) { shown.append("a\($0)") },
      bus.observe(.text) { shown.append($0) },
    ]
    blockedOnThread {
      for value in 0..<3 { bus.post(.number, value) }
      bus.post(.number, 3)
      for text in ["x", "y", "z"] { bus.post(.text, text) }
      for value in 4..<7 { bus.post(.number, value) }
    }
    let second = bus.observe(.number) { shown.append("b\($0)") }
    blockedOnThread {
      for value in 7..<9 { bus.post(.number, value) }
    }
    bus.post(.nothing)
    let run = ["a0", "a1", "a2", "a3", "x", "y", "z", "a4", "a5", "a6"]
    #expect(shown == run + ["a7", "b7", "a8", "b8"])
    withExtendedLifetime((tokens, second)) {}
  }

  @Test("Each failure of a run names the place of its post and its payload")
  func failures() {
    let failures = Log<String>()
    var hooks = EventHooks.silent
    hooks.onError = { failures.append("\($0.event.payload) at \($0.event.site.line)") }
    let bus = EventBus(hooks: hooks)
    let token = bus.observe(.number) { @MainActor _ in throw SampleError() }
    blockedOnThread {
      for value in 0..<3 { bus.post(.number, value, line: 10) }
      for value in 3..<6 { bus.post(.number, value, line: 20) }
    }
    bus.post(.nothing)
    let expected = (0..<6).map { "\($0) at \($0 < 3 ? 10 : 20)" }
    #expect(failures.entries == expected)
    withExtendedLifetime(token) {}
  }

  @Test("Each payload of a run is released after its call and before the next")
  func release() {
    let bus = EventBus()
    let log = Log<String>()
    var count = 0
    let token = bus.observe(.object) { object in
      object.touch()
      count += 1
      log.append("call \(count)")
    }
    blockedOnThread {
      for number in 1...12 { bus.post(.object, AtDeinit { log.append("free \(number)") }) }
    }
    #expect(log.entries == [])
    bus.post(.nothing)
    #expect(log.entries == (1...12).flatMap { ["call \($0)", "free \($0)"] })
    withExtendedLifetime(token) {}
  }

  @Test("Cancelling inside a run ends it, and its payloads are released")
  func cancelled() {
    let bus = EventBus()
    let freed = Counter()
    var count = 0
    var token: Token?
    token = bus.observe(.object) { object in
      object.touch()
      count += 1
      if count == 4 { token?.cancel() }
    }
    blockedOnThread {
      for _ in 0..<20 { bus.post(.object, AtDeinit { freed.add() }) }
    }
    bus.post(.nothing)
    #expect((count, freed.value) == (4, 20))
    #expect(bus.snapshot().waitingCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test("A bus that dies releases the payloads that wait for an actor")
  func deadBus() async {
    let freed = Counter()
    var bus: EventBus? = EventBus()
    let token = bus?.observe(.object) { $0.touch() }
    if let bus {
      blockedOnThread {
        for _ in 0..<20 { bus.post(.object, AtDeinit { freed.add() }) }
      }
    }
    bus = nil
    // The turn that was requested finds no observer.
    while freed.value < 20, !Task.isCancelled { await Task.yield() }
    withExtendedLifetime(token) {}
  }

  @Test("A post inside a run delivers the rest of the run first")
  func nested() {
    let bus = EventBus()
    var shown: [Int] = []
    let token = bus.observe(.number) { value in
      shown.append(value)
      if value == 2 { bus.post(.number, 100) }
    }
    Self.post(0..<6, to: bus)
    bus.post(.number, 200)
    #expect(shown == [0, 1, 2, 3, 4, 5, 100, 200])
    withExtendedLifetime(token) {}
  }

  @Test("Runs whose every handler posts need no more stack than single events")
  func deep() async {
    let bus = EventBus()
    var count = 0
    let token = bus.observe(.number) { value in
      count += 1
      if value < 10_000 { bus.post(.number, 10_000) }
    }
    Self.post(0..<10_000, to: bus)
    bus.post(.nothing)
    while count < 20_000, !Task.isCancelled { await Task.yield() }
    #expect(count == 20_000)
    withExtendedLifetime(token) {}
  }

  @Test("Every event that finds its owner dead is counted as lost", arguments: [false, true])
  func lost(hasLifetime: Bool) {
    final class Plain: Sendable {}
    final class Lived: LifetimeOwner, Sendable { let lifetime = Lifetime() }
    func observe<Owner: AnyObject & Sendable>(_ bus: EventBus, _ owner: Owner) {
      bus.observe(.number, owner: owner) { @MainActor _, _ in
        Issue.record("called without its owner")
      }
    }
    let bus = EventBus()
    var owner: (any AnyObject & Sendable)? = hasLifetime ? Lived() : Plain()
    if let owner { observe(bus, owner) }
    Self.post(0..<5, to: bus)
    blockedOnThread { [bus] in
      // From other places, so in envelopes of their own.
      bus.post(.number, 5)
      bus.post(.number, 6)
    }
    owner = nil
    bus.post(.nothing)
    let snapshot = bus.snapshot()
    #expect((snapshot.waitingCount, snapshot.lostCount, snapshot.observations.count) == (0, 7, 0))
    withExtendedLifetime(owner) {}
  }

  @Test("Events posted during a pause are missing between two runs")
  func paused() {
    let bus = EventBus()
    var shown: [Int] = []
    let token = bus.observe(.number) { shown.append($0) }
    Self.post(0..<3, to: bus)
    let pause = token.pause()
    Self.post(3..<6, to: bus)
    pause.cancel()
    Self.post(6..<9, to: bus)
    bus.post(.nothing)
    #expect(shown == [0, 1, 2, 6, 7, 8])
  }

  @Test("Runs of a property's changes arrive in order")
  func properties() async {
    let property = SharedObserved(0)
    var shown: [Int] = []
    let token = property.observe { @MainActor change in shown.append(change.new) }
    blockedOnThread {
      for value in 1...20 { property.value = value }
    }
    #expect(shown == [])
    while shown.last != 20, !Task.isCancelled { await Task.yield() }
    #expect(shown == shown.sorted())
    withExtendedLifetime(token) {}
  }
}
