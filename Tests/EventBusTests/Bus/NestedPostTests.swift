import EventBus
import TestSupport
import Testing

@Suite("Posts from inside a handler")
struct NestedPostTests {
  @Test("A nested post reaches all observers before the outer post continues")
  func depthFirst() {
    let bus = EventBus()
    let log = Log<String>()
    let bag = TokenBag()
    bus.observe(.number) { [unowned bus] value in
      log.append("a\(value)")
      if value < 3 { bus.post(.number, value + 1) }
    }.store(in: bag)
    bus.observe(.number) { log.append("b\($0)") }.store(in: bag)
    bus.post(.number, 1)
    #expect(log.entries == ["a1", "a2", "a3", "b3", "b2", "b1"])
    bag.cancelAll()
  }

  @Test("Posts nest a thousand levels deep, and nothing is reported")
  func deep() {
    let messages = Log<String>()
    let bus = EventBus(hooks: EventHooks(onMessage: { messages.append($0) }))
    let depth = Counter()
    let token = bus.observe(.number) { [unowned bus] value in
      depth.add()
      if value > 1 { bus.post(.number, value - 1) }
    }
    bus.post(.number, 1_000)
    #expect(depth.value == 1_000)
    #expect(messages.entries == [])
    withExtendedLifetime(token) {}
  }

  @Test("A handler may post on another bus, whose handler posts back")
  func betweenBuses() {
    let (one, other) = (EventBus(), EventBus())
    let log = Log<String>()
    let bag = TokenBag()
    one.observe(.number) { [unowned other] value in
      log.append("one \(value)")
      other.post(.number, value)
    }.store(in: bag)
    other.observe(.number) { [unowned one] value in
      log.append("other \(value)")
      if value < 2 { one.post(.number, value + 1) }
    }.store(in: bag)
    one.post(.number, 1)
    #expect(log.entries == ["one 1", "other 1", "one 2", "other 2"])
    bag.cancelAll()
  }
}
