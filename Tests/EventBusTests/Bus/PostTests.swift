import EventBus
import TestSupport
import Testing

@Suite("Observe and post")
struct PostTests {
  @Test("A handler receives the payload with its static type")
  func payloadArrives() {
    let bus = EventBus()
    let log = Log<String>()
    let token = bus.observe(.text) { text in log.append(text) }
    bus.post(.text, "hello")
    #expect(log.entries == ["hello"])
    withExtendedLifetime(token) {}
  }

  @Test("Any sendable value can be a payload, including optionals and functions")
  func unusualPayloads() {
    let bus = EventBus()
    let log = Log<String>()
    let maybe = EventName<Int?>("sample.optional")
    let action = EventName<@Sendable () -> String>("sample.function")
    let bag = TokenBag()
    bus.observe(maybe) { log.append($0 == nil ? "none" : "some") }.store(in: bag)
    bus.observe(action) { log.append($0()) }.store(in: bag)
    bus.post(maybe, nil)
    bus.post(maybe, 1)
    bus.post(action) { "called" }
    #expect(log.entries == ["none", "some", "called"])
    withExtendedLifetime(bag) {}
  }

  @Test("An event without a payload is posted by name alone")
  func voidPayload() {
    let bus = EventBus()
    let heard = Counter()
    let token = bus.observe(.nothing) { heard.add() }
    #expect(bus.post(.nothing) == 1)
    #expect(bus.post(.nothing, ()) == 1)
    #expect(heard.value == 2)
    withExtendedLifetime(token) {}
  }

  @Test("post returns the number of handlers it reached", arguments: [0, 1, 2, 10, 1_000])
  func countsHandlers(count: Int) {
    let bus = EventBus()
    let heard = Counter()
    let tokens = (0..<count).map { _ in bus.observe(.number) { _ in heard.add() } }
    #expect(bus.post(.number, 1) == count)
    #expect(heard.value == count)
    withExtendedLifetime(tokens) {}
  }

  @Test("Two buses are independent")
  func busesAreSeparate() {
    let (one, other) = (EventBus(label: "one"), EventBus(label: "other"))
    let log = Log<String>()
    let tokens = [
      one.observe(.number) { log.append("one \($0)") },
      other.observe(.number) { log.append("other \($0)") },
    ]
    #expect(one.post(.number, 1) == 1)
    #expect(other.post(.number, 2) == 1)
    #expect(log.entries == ["one 1", "other 2"])
    withExtendedLifetime(tokens) {}
  }

  @Test("The default bus is a single object that works like any other")
  func defaultBus() {
    let name = EventName<Int>("sample.only in this test")
    let log = Log<Int>()
    let token = EventBus.default.observe(name) { log.append($0) }
    #expect(EventBus.default.post(name, 3) == 1)
    #expect(EventBus.default === EventBus.default)
    token.cancel()
    #expect(log.entries == [3])
  }

  @Test("A bus has one signal per name, and both reach the same observers")
  func busSignal() {
    let bus = EventBus()
    let log = Log<String>()
    let signal = bus.signal(.number)
    let tokens = [
      bus.observe(.number) { log.append("bus \($0)") },
      signal.observe { log.append("signal \($0)") },
    ]
    #expect(bus.signal(EventName<Int>("sample.number")) === signal)
    #expect(signal.observerCount == 2)
    #expect(signal.send(1) == 2)
    #expect(bus.post(.number, 2) == 2)
    #expect(log.entries == ["bus 1", "signal 1", "bus 2", "signal 2"])
    withExtendedLifetime(tokens) {}
  }
}
