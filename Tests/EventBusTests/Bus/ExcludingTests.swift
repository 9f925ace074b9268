import EventBus
import TestSupport
import Testing

@Suite("Posts that exclude a registration")
struct ExcludingTests {
  @Test("A post calls every observer except the excluded one")
  func everybodyElse() {
    let bus = EventBus()
    let log = Log<String>()
    let tokens = ["one", "two", "three"].map { label in
      bus.observe(.number) { log.append("\(label) \($0)") }
    }
    #expect(bus.post(.number, 1, excluding: tokens[1]) == 2)
    #expect(bus.post(.number, 2) == 3)
    #expect(log.entries == ["one 1", "three 1", "one 2", "two 2", "three 2"])
    withExtendedLifetime(tokens) {}
  }

  @Test("An observer may post the same event in response without receiving it")
  func answersWithoutHearingItself() {
    let bus = EventBus()
    let log = Log<String>()
    let own = Holder<Token>()
    own.hold(
      bus.observe(.number) { [unowned bus] value in
        log.append("first \(value)")
        bus.post(.number, value + 1, excluding: own.value)
      }
    )
    let other = bus.observe(.number) { log.append("other \($0)") }
    bus.post(.number, 1)
    #expect(log.entries == ["first 1", "other 2", "other 1"])
    own.letGo()
    withExtendedLifetime(other) {}
  }

  @Test("A token of another bus, another event or an action excludes no observer")
  func strangers() {
    let (bus, otherBus) = (EventBus(), EventBus())
    let heard = Counter()
    let token = bus.observe(.number) { _ in heard.add() }
    let elsewhere = [otherBus.observe(.number) { _ in }, bus.observe(.text) { _ in }, Token {}]
    for other in elsewhere { #expect(bus.post(.number, 1, excluding: other) == 1) }
    #expect(heard.value == elsewhere.count)
    withExtendedLifetime(token) {}
  }

  @Test("Events without a payload and signals support exclusion")
  func otherForms() {
    let bus = EventBus()
    let token = bus.observe(.nothing) { Issue.record("Excluded.") }
    #expect(bus.post(.nothing, (), excluding: token) == 0)
    let signal = Signal<Void>()
    let other = signal.observe { Issue.record("Excluded.") }
    #expect(signal.send((), excluding: other) == 0)
    #expect(signal.send((), excluding: other) == 0)
  }
}
