import EventBus
import TestSupport
import Testing

extension EventNames {
  fileprivate static let last = EventName<Int>("sample.replay.last", replay: 1)
  fileprivate static let lastThree = EventName<Int>("sample.replay.lastThree", replay: 3)
}

@Suite("Replay")
struct ReplayTests {
  @Test("A new observer receives the last payloads, in order, before observe returns")
  func beforeObserveReturns() {
    let bus = EventBus()
    let log = Log<Int>()
    for value in 1...5 { bus.post(.lastThree, value) }
    let token = bus.observe(.lastThree) { log.append($0) }
    #expect(log.entries == [3, 4, 5])
    #expect(bus.post(.lastThree, 6) == 1)
    #expect(log.entries == [3, 4, 5, 6])
    withExtendedLifetime(token) {}
  }

  @Test("Every new observer receives the kept events, or as many as there are")
  func everyObserver() {
    let bus = EventBus()
    let log = Log<String>()
    bus.post(.lastThree, 1)
    let owner = LivedOwner()
    let first = bus.observe(.lastThree) { log.append("first \($0)") }
    bus.post(.lastThree, 2)
    bus.observe(.lastThree, owner: owner) { _, value in log.append("owner \(value)") }
    let signal = bus.signal(.lastThree).observe { log.append("signal \($0)") }
    #expect(
      log.entries == ["first 1", "first 2", "owner 1", "owner 2", "signal 1", "signal 2"]
    )
    withExtendedLifetime((first, signal, owner)) {}
  }

  @Test("Equal names share the larger replay count, even if that name is created later")
  func sharedCount() {
    let bus = EventBus()
    let log = Log<Int>()
    let small = EventName<Int>("sample.replay.shared")
    let early = bus.observe(small) { _ in }
    bus.post(small, 1)
    #expect(bus.latest(small) == nil)
    let large = EventName<Int>("sample.replay.shared", replay: 2)
    for value in 2...4 { bus.post(small, value) }
    let token = bus.observe(small) { log.append($0) }
    #expect(log.entries == [3, 4])
    #expect(bus.latest(large) == 4)
    #expect(EventName<Int>("sample.replay.shared", replay: 1) == large)
    for value in 5...6 { bus.post(large, value) }
    let late = Log<Int>()
    let other = bus.observe(large) { late.append($0) }
    #expect(late.entries == [5, 6])
    withExtendedLifetime((early, token, other)) {}
  }

  @Test("An observer of one sender receives only that sender's events by replay")
  func sender() {
    let bus = EventBus()
    let (one, other) = (SampleSender(), SampleSender())
    let log = Log<Int>()
    bus.post(.lastThree, 1, from: one)
    bus.post(.lastThree, 2)
    bus.post(.lastThree, 3, from: other)
    let token = bus.observe(.lastThree, from: one) { log.append($0) }
    #expect(log.entries == [1])
    withExtendedLifetime(token) {}
  }

  @Test("No new object can have a dead sender's address while an event of that sender is kept")
  func deadSender() {
    let bus = EventBus()
    let name = EventName<Int>("sample.replay.of dead senders", replay: 2_000)
    let cameBack = SampleSender.replaceAtSameAddress { sender in
      bus.post(name, 4, from: sender)
    } replace: { stranger in
      let token = bus.observe(name, from: stranger) { _ in Issue.record("A stranger's.") }
      withExtendedLifetime(token) {}
    }
    #expect(!cameBack)
    bus.clearReplay(name)
    let cameBackLater = SampleSender.replaceAtSameAddress(meet: { _ in }, replace: { _ in })
    #expect(cameBackLater)
  }

  @Test("An event posted in a sender's deinit is replayed to observers of any sender")
  func postedInDeinit() {
    let bus = EventBus()
    let log = Log<Int>()
    let sender = Holder(SampleLeaver { bus.post(.last, 5, from: $0) })
    sender.letGo()
    let token = bus.observe(.last) { log.append($0) }
    #expect(log.entries == [5])
    withExtendedLifetime(token) {}
  }

  @Test("A one-call observer takes the first replayed event and has ended when observe returns")
  func once() {
    let bus = EventBus()
    let log = Log<Int>()
    for value in 1...3 { bus.post(.lastThree, value) }
    let token = bus.observe(.lastThree, once: true) { log.append($0) }
    #expect(!token.isActive)
    #expect(bus.post(.lastThree, 4) == 0)
    let choosy = bus.observe(.lastThree, once: true, where: { $0 == 4 }) { log.append($0) }
    #expect(!choosy.isActive)
    #expect(log.entries == [1, 4])
    #expect(bus.signal(.lastThree).observerCount == 0)
  }

  @Test("A live event during the replay follows the replayed events, once")
  func liveDuringTheHandOver() {
    let bus = EventBus()
    let (log, reached) = (Log<Int>(), Log<Int>())
    for value in 1...3 { bus.post(.lastThree, value) }
    let token = bus.observe(.lastThree) { [unowned bus] value in
      log.append(value)
      if value <= 2 { reached.append(bus.post(.lastThree, value * 10)) }
    }
    #expect(log.entries == [1, 2, 3, 10, 20])
    #expect(reached.entries == [1, 1])
    #expect(bus.latest(.lastThree) == 20)
    withExtendedLifetime(token) {}
  }

  @Test("An error in a replayed call goes to the error hook, and the replay continues")
  func throwing() {
    let failures = Log<HandlerFailure>()
    var hooks = EventHooks()
    hooks.onError = { failures.append($0) }
    let bus = EventBus(hooks: hooks)
    for value in 1...3 { bus.post(.lastThree, value) }
    let token = bus.observe(.lastThree) { throw SampleError(number: $0) }
    #expect(failures.entries.compactMap { $0.event.payload as? Int } == [1, 2, 3])
    #expect(failures.entries.map(\.error).compactMap { $0 as? SampleError }.count == 3)
    withExtendedLifetime(token) {}
  }

  @Test("latest is the last posted payload, and nil after the replay is cleared")
  func latestAndClear() {
    let bus = EventBus()
    #expect(bus.latest(.last) == nil)
    bus.clearReplay(.last)
    bus.post(.last, 1)
    bus.post(.last, 2)
    #expect(bus.latest(.last) == 2)
    bus.clearReplay(.last)
    #expect(bus.latest(.last) == nil)
    let log = Log<Int>()
    let token = bus.observe(.last) { log.append($0) }
    #expect(log.entries == [])
    bus.post(.last, 3)
    #expect(log.entries == [3])
    #expect(bus.latest(.last) == 3)
    withExtendedLifetime(token) {}
  }

  @Test("A displaced or cleared event is freed at once and may use the bus in its deinit")
  func freed() {
    let bus = EventBus()
    let name = EventName<AtDeinit>("sample.replay.freed", replay: 2)
    let log = Log<Int>()
    let token = bus.observe(.number) { log.append($0) }
    for value in 1...3 {
      bus.post(
        name,
        AtDeinit { [weak bus] in
          withExtendedLifetime(bus?.latest(name)) {}
          bus?.post(.number, value)
        }
      )
    }
    #expect(log.entries == [1])
    bus.clearReplay(name)
    #expect(log.entries == [1, 2, 3])
    withExtendedLifetime(token) {}
  }
}
