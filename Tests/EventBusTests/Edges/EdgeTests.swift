import EventBus
import TestSupport
import Testing

@Suite("Edge cases of delivery", .timeLimit(.minutes(5)))
struct EdgeTests {
  @Test("An observer whose predicate cancels its registration and returns true is not called")
  func cancelsInThePredicate() {
    let bus = EventBus()
    let bag = TokenBag()
    let heard = Counter()
    bus.observe(
      .number,
      where: { _ in
        bag.cancelAll()
        return true
      }
    ) { _ in heard.add() }.store(in: bag)
    bus.post(.number, 1)
    #expect(heard.value == 0)
  }

  @Test("An ended token excludes no observer, including a later one in the same slot")
  func endedTokenExcludes() {
    let bus = EventBus()
    let heard = Counter()
    let ended = bus.observe(.number) { _ in }
    ended.cancel()
    let token = bus.observe(.number) { _ in heard.add() }
    #expect(bus.post(.number, 1, excluding: ended) == 1)
    #expect(heard.value == 1)
    withExtendedLifetime(token) {}
  }

  @Test("The deinit of a main-actor owner that dies in its own call runs on the main actor")
  @MainActor
  func deinitOnMain() async {
    let bus = EventBus()
    let (began, mayLeave, died) = (ManualLatch(), ManualLatch(), Inbox<Int>())
    var panel: Panel? = Panel {
      MainActor.preconditionIsolated()
      died.append(1)
    }
    if let panel {
      bus.observe(.number, owner: panel) { panel, value in
        began.open()
        await mayLeave.wait()
        panel.shown.append(value)
      }
    }
    bus.post(.number, 1)
    await began.wait()
    panel = nil
    #expect(died.entries == [])
    mayLeave.open()
    #expect(await died.first(1) == [1])
    withExtendedLifetime(panel) {}
  }

  @Test("A dead owner receives no further events, including an owner that dies meanwhile")
  func owner() {
    let bus = EventBus()
    let log = Log<Int>()
    for value in 1...3 { bus.post(EventName<Int>("sample.replay.three", replay: 3), value) }
    let ended = LivedOwner()
    ended.lifetime.end()
    bus.observe(EventName<Int>("sample.replay.three", replay: 3), owner: ended) { _, _ in
      Issue.record("Its lifetime has ended.")
    }
    let ending = LivedOwner()
    bus.observe(EventName<Int>("sample.replay.three", replay: 3), owner: ending) { owner, value in
      log.append(value)
      owner.lifetime.end()
    }
    #expect(log.entries == [1])
  }
}
