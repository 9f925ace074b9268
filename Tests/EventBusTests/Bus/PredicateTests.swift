import EventBus
import TestSupport
import Testing

@Suite("Observers with a predicate")
struct PredicateTests {
  @Test("An observer is called and counted as reached only if its predicate matches")
  func onlyWhatIsWanted() {
    let bus = EventBus()
    let log = Log<Int>()
    let token = bus.observe(.number, where: { $0.isMultiple(of: 2) }) { log.append($0) }
    #expect((0..<6).map { bus.post(.number, $0) } == [1, 0, 1, 0, 1, 0])
    #expect(log.entries == [0, 2, 4])
    withExtendedLifetime(token) {}
  }

  @MainActor
  @Test("The predicate runs on the posting thread, before any change of executor")
  func beforeTheHop() {
    let bus = EventBus()
    let askedOn = Log<ThreadID>()
    var shown: [Int] = []
    let token = bus.observe(
      .number,
      where: { value in
        askedOn.append(.current)
        return value > 1
      }
    ) { shown.append($0) }
    let (poster, reached) = blockedOnThread {
      (ThreadID.current, [bus.post(.number, 1), bus.post(.number, 2)])
    }
    #expect(reached == [0, 1])
    #expect(askedOn.entries == [poster, poster])
    bus.post(.nothing)
    #expect(shown == [2])
    #expect(askedOn.entries.count == 2)
    withExtendedLifetime(token) {}
  }

  @Test("The predicate runs with no lock held and may observe, post and cancel on its own event")
  func underNoLock() {
    let bus = EventBus()
    let bag = TokenBag()
    let log = Log<Int>()
    bus.observe(
      .number,
      where: { [unowned bus] value in
        guard value == 1 else { return false }
        bus.observe(.number) { log.append($0) }.store(in: bag)
        bus.post(.number, 2)
        bag.cancelAll()
        return false
      }
    ) { _ in Issue.record("The predicate said no.") }.store(in: bag)
    #expect(bus.post(.number, 1) == 0)
    #expect(log.entries == [2])
    #expect(bus.signal(.number).observerCount == 0)
  }

  @Test("An event that the predicate declines does not use up the one call")
  func once() {
    let bus = EventBus()
    let log = Log<Int>()
    let token = bus.observe(.number, once: true, where: { $0 > 1 }) { log.append($0) }
    for value in 0..<5 { bus.post(.number, value) }
    #expect(log.entries == [2])
    #expect(!token.isActive)
  }

  @Test("The predicate does not run once the owner is dead")
  func withOwner() {
    let bus = EventBus()
    let asked = Counter()
    let owner = Holder(PlainOwner())
    let log = owner.value?.log
    if let owner = owner.value {
      bus.observe(.number, owner: owner, where: { asked.add() > 0 && $0 > 1 }) { owner, value in
        owner.log.append(value)
      }
    }
    for value in 0..<4 { bus.post(.number, value) }
    #expect(log?.entries == [2, 3])
    owner.letGo()
    #expect(bus.post(.number, 4) == 0)
    #expect(asked.value == 4)
  }

  @Test("The predicate sees events of the observed sender only")
  func withSender() {
    let bus = EventBus()
    let sender = SampleSender()
    let asked = Log<Int>()
    let token = bus.observe(
      .number,
      from: sender,
      where: { value in
        asked.append(value)
        return true
      }
    ) { _ in }
    bus.post(.number, 1)
    bus.post(.number, 2, from: sender)
    #expect(asked.entries == [2])
    withExtendedLifetime(token) {}
  }

  @Test("The predicate's captures are freed with the handler")
  func capturesAreFreed() {
    let bus = EventBus()
    let tally = Tally()
    let token = bus.observe(
      .number,
      where: { [probe = tally.probe()] _ in
        probe.touch()
        return true
      }
    ) { [probe = tally.probe()] _ in probe.touch() }
    bus.post(.number, 1)
    #expect(tally.live == 2)
    token.cancel()
    #expect(tally.live == 0)
  }
}
