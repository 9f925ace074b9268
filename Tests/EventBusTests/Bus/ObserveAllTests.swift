import EventBus
import TestSupport
import Testing

@Suite("Observers of every event")
struct ObserveAllTests {
  @Test("An observer of every event receives name, payload, sender and source site")
  func wholeEvent() throws {
    let bus = EventBus()
    let sender = SampleSender()
    let events = Log<AnyEvent>()
    let token = bus.observeAll { events.append($0) }
    bus.post(.number, 42, from: sender)
    bus.post(.nothing)
    let line: UInt = #line
    #expect(events.entries.map(\.name) == ["sample.number", "sample.nothing"])
    let first = try #require(events.entries.first)
    #expect(first.payload as? Int == 42)
    #expect(first.sender == ObjectIdentifier(sender))
    #expect(first.site == SourceSite(fileID: #fileID, line: line - 2))
    let last = try #require(events.entries.last)
    #expect(last.payload is Void)
    #expect(last.sender == nil)
    #expect(last.site == SourceSite(fileID: #fileID, line: line - 1))
    withExtendedLifetime(token) {}
  }

  @Test("Observers of every event receive events without other observers, and signals of the bus")
  func everyEvent() {
    let bus = EventBus()
    let log = Log<String>()
    let before = bus.signal(.text)
    let token = bus.observeAll { log.append($0.name) }
    bus.post(EventName<Double>("sample.never observed"), 1)
    before.send("heard")
    bus.signal(.number).send(1)
    #expect(log.entries == ["sample.never observed", "sample.text", "sample.number"])
    withExtendedLifetime(token) {}
  }

  @Test("Observers of every event receive the events of their own bus only")
  func ownBusOnly() {
    let (bus, other) = (EventBus(), EventBus())
    let token = bus.observeAll { _ in Issue.record("Posted on another bus.") }
    other.post(.number, 1)
    Signal<Int>(label: "sample.number").send(1)
    withExtendedLifetime(token) {}
  }

  @Test("Observers of every event share one order with the others, by priority and registration")
  func oneOrder() {
    let bus = EventBus()
    let sender = SampleSender()
    let log = Log<String>()
    let bag = TokenBag()
    bus.observe(.number, priority: .low) { _ in log.append("low 1") }.store(in: bag)
    bus.observeAll { _ in log.append("normal 1") }.store(in: bag)
    bus.observe(.number) { _ in log.append("normal 2") }.store(in: bag)
    bus.observe(.number, from: sender) { _ in log.append("normal 3") }.store(in: bag)
    bus.observeAll(priority: .low) { _ in log.append("low 2") }.store(in: bag)
    bus.observeAll { _ in log.append("normal 4") }.store(in: bag)
    bus.observe(.number, from: sender, priority: .high) { _ in log.append("high 1") }
      .store(in: bag)
    bus.observeAll(priority: .high) { _ in log.append("high 2") }.store(in: bag)
    bus.observe(.number, priority: .low) { _ in log.append("low 3") }.store(in: bag)
    #expect(bus.post(.number, 1, from: sender) == 5)
    let normal = (1...4).map { "normal \($0)" }
    #expect(log.entries == ["high 1", "high 2"] + normal + ["low 1", "low 2", "low 3"])
    bag.cancelAll()
  }

  @Test("Observers of every event do not handle it: the post returns zero and the hook runs")
  func doNotCount() {
    let unhandled = Log<String>()
    var hooks = EventHooks()
    hooks.onUnhandled = { unhandled.append($0.name) }
    let bus = EventBus(hooks: hooks)
    let heard = Counter()
    let token = bus.observeAll { _ in heard.add() }
    #expect(bus.post(.number, 1) == 0)
    let other = bus.observe(.number) { _ in }
    #expect(bus.post(.number, 2) == 1)
    #expect(heard.value == 2)
    #expect(unhandled.entries == ["sample.number"])
    #expect(bus.signal(.number).observerCount == 1)
    withExtendedLifetime((token, other)) {}
  }

  @Test("An observer of every event added during a post is called by nested posts only")
  func addedDuringAPost() {
    let bus = EventBus()
    let log = Log<String>()
    let bag = TokenBag()
    bus.observe(.number, once: true) { [unowned bus] _ in
      bus.observeAll { log.append($0.name) }.store(in: bag)
      bus.post(.text, "nested")
    }.store(in: bag)
    bus.post(.number, 1)
    #expect(log.entries == ["sample.text"])
    bag.cancelAll()
  }

  @MainActor
  @Test("An actor-isolated observer of every event runs there, synchronously or in post order")
  func onAnActor() {
    let bus = EventBus()
    var shown: [Int] = []
    let token = bus.observeAll { event in
      MainActor.assertIsolated()
      if let value = event.payload as? Int { shown.append(value) }
    }
    blockedOnThread {
      bus.post(.number, 1)
      bus.post(.number, 2)
    }
    #expect(shown == [])
    bus.post(.number, 3)
    #expect(shown == [1, 2, 3])
    withExtendedLifetime(token) {}
  }
}
