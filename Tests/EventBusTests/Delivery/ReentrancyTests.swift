import EventBus
import TestSupport
import Testing

/// No code of the user runs under a lock: whatever is called or destroyed may use the bus again.
@Suite("Re-entrancy")
struct ReentrancyTests {
  /// All operations on a bus, performed at one point.
  private func useEverything(_ bus: EventBus, _ heard: Counter) {
    let bag = TokenBag()
    let owner = LivedOwner()
    bus.observe(.number) { _ in }.store(in: bag)
    bus.observe(.number, owner: owner) { _, _ in }
    bus.observe(.text, priority: .high, once: true) { _ in heard.add() }.store(in: bag)
    bus.post(.text, "again")
    bag.cancelAll()
    owner.lifetime.end()
  }

  /// An object whose deinit performs all of them.
  private func usingEverything(_ bus: EventBus, _ heard: Counter) -> AtDeinit {
    AtDeinit { [unowned bus] in useEverything(bus, heard) }
  }

  @Test("A capture freed at the end of a post may observe, post and cancel on that event")
  func fromACaptureFreedInAPost() {
    let bus = EventBus()
    let heard = Counter()
    let own = TokenBag()
    bus.observe(.text) {
      [capture = usingEverything(bus, heard)] _ in
      capture.touch()
      own.cancelAll()
    }.store(in: own)
    bus.post(.text, "first")
    #expect(heard.value == 1)
  }

  @Test("A capture freed with the bus may cancel tokens of that bus and use another")
  func fromACaptureFreedWithTheBus() {
    let heard = Counter()
    let other = EventBus()
    let bag = TokenBag()
    var bus: EventBus? = EventBus()
    let capture = Holder(
      AtDeinit {
        bag.cancelAll()
        useEverything(other, heard)
      }
    )
    bus?.observe(.text) { [capture = capture.value] _ in capture?.touch() }.store(in: bag)
    capture.letGo()
    bus?.observe(.text) { _ in }.store(in: bag)
    bus = nil
    #expect(heard.value == 1)
    #expect(bag.count == 0)
    withExtendedLifetime(bus) {}
  }

  @Test("A capture may own the token of its registration or of another one")
  func capturesOwnTokens() {
    let bus = EventBus()
    let tally = Tally()
    let own = Holder<Token>()
    let inner = Holder(bus.observe(.text) { [probe = tally.probe()] _ in probe.touch() })
    let outer = bus.observe(.number) { [inner = inner.value, probe = tally.probe()] _ in
      probe.touch()
      withExtendedLifetime(inner) {}
    }
    inner.letGo()
    own.hold(
      bus.observe(.number) { [probe = tally.probe()] _ in
        probe.touch()
        withExtendedLifetime(own) {}
      }
    )
    #expect(tally.live == 3)
    outer.cancel()
    #expect(tally.live == 1)
    own.letGo()
    #expect(tally.live == 0)
    #expect(bus.signal(.text).observerCount == 0)
  }

  @Test("The owner's own deinit may post on the event it observes")
  func postFromTheOwnersDeinit() {
    final class Leaver: Sendable {
      let bus: EventBus
      init(_ bus: EventBus) { self.bus = bus }
      deinit { bus.post(.number, 1) }
    }
    let bus = EventBus()
    let log = Log<Int>()
    var owner: Leaver? = Leaver(bus)
    if let owner { bus.observe(.number, owner: owner) { _, _ in Issue.record("Dead.") } }
    let token = bus.observe(.number) { log.append($0) }
    owner = nil
    #expect(log.entries == [1])
    #expect(bus.signal(.number).observerCount == 1)
    withExtendedLifetime((token, owner)) {}
  }

  @Test("An end hook may post, and its owner does not receive that post")
  func postFromAnEndHook() {
    let bus = EventBus()
    let log = Log<String>()
    let token = bus.observe(.text) { log.append("other \($0)") }
    var owner: LivedOwner? = LivedOwner()
    if let owner {
      owner.lifetime.onEnd { bus.post(.text, "bye") }
      bus.observe(.text, owner: owner) { _, text in log.append("owner \(text)") }
    }
    owner = nil
    #expect(log.entries == ["other bye"])
    withExtendedLifetime((token, owner)) {}
  }

  @Test("A payload's deinit may use the bus")
  func payloadDeinit() {
    let bus = EventBus()
    let heard = Counter()
    let name = EventName<AtDeinit>("sample.payload with a deinit")
    let token = bus.observe(name) { $0.touch() }
    bus.post(name, AtDeinit { useEverything(bus, heard) })
    #expect(heard.value == 1)
    withExtendedLifetime(token) {}
  }
}
