import EventBus
import TestSupport
import Testing

@Suite("Handlers cancelled during a post")
struct CancelledDuringPostTests {
  @Test(
    "A handler cancelled by an earlier handler is not called",
    arguments: [Priority.low, .normal]
  )
  func cancelledByAnEarlierOne(priority: Priority) {
    let bus = EventBus()
    let bag = TokenBag()
    let log = Log<String>()
    bus.observe(.number) { _ in
      log.append("cancels")
      bag.cancelAll()
    }.store(in: bag)
    bus.observe(.number, priority: priority) { _ in log.append("victim") }.store(in: bag)
    #expect(bus.post(.number, 1) == 1)
    #expect(bus.post(.number, 2) == 0)
    #expect(log.entries == ["cancels"])
  }

  @Test("Many handlers that an earlier handler cancels one by one are not called")
  func manyCancelled() {
    let didSend = Signal<Int>()
    let (victims, called) = (Log<Token>(), Counter())
    // Their removal moves the others to another block, while the post walks the former one.
    let first = didSend.observe { _ in for token in victims.entries { token.cancel() } }
    for _ in 0..<20 { victims.append(didSend.observe { _ in called.add() }) }
    #expect(didSend.send(1) == 1)
    #expect(called.value == 0)
    withExtendedLifetime(first) {}
  }

  @Test("A handler cancelled in a nested post is called neither by it nor by the outer post")
  func cancelledInANestedPost() {
    let bus = EventBus()
    let log = Log<String>()
    let victims = TokenBag()
    let bag = TokenBag()
    bus.observe(.nothing) { victims.cancelAll() }.store(in: bag)
    bus.observe(.number) { [unowned bus] value in
      log.append("posts \(value)")
      if value == 1 { bus.post(.number, 2) } else { bus.post(.nothing) }
    }.store(in: bag)
    bus.observe(.number) { log.append("victim \($0)") }.store(in: victims)
    bus.post(.number, 1)
    #expect(log.entries == ["posts 1", "posts 2"])
    bag.cancelAll()
  }

  @Test("A handler that cancels itself and posts again is not re-entered")
  func cancelsItselfAndPosts() {
    let bus = EventBus()
    let heard = Counter()
    let own = TokenBag()
    bus.observe(.number) { [unowned bus] value in
      heard.add()
      own.cancelAll()
      bus.post(.number, value + 1)
    }.store(in: own)
    bus.post(.number, 1)
    #expect(heard.value == 1)
  }

  @Test("A handler may use its captures after cancelling itself")
  func usesItsCaptures() {
    let bus = EventBus()
    let tally = Tally()
    let live = Log<Int>()
    let own = TokenBag()
    bus.observe(.number) { [probe = tally.probe()] _ in
      own.cancelAll()
      live.append(tally.live)
      probe.touch()
    }.store(in: own)
    bus.post(.number, 1)
    #expect(live.entries == [1])
    #expect(tally.live == 0)
  }

  @Test("Cancelling an observer that was already called does not affect the others")
  func cancelsAnEarlierOne() {
    let bus = EventBus()
    let log = Log<String>()
    let first = bus.observe(.number) { log.append("first \($0)") }
    let bag = TokenBag()
    bus.observe(.number) { _ in first.cancel() }.store(in: bag)
    bus.observe(.number) { log.append("last \($0)") }.store(in: bag)
    #expect(bus.post(.number, 1) == 3)
    #expect(bus.post(.number, 2) == 2)
    #expect(log.entries == ["first 1", "last 1", "last 2"])
    bag.cancelAll()
  }

  @Test("An owner that dies during a post is not called")
  func ownerDiesDuringThePost() {
    dies(PlainOwner())
    dies(LivedOwner())

    func dies<Owner: AnyObject & Sendable>(_ make: @autoclosure () -> Owner) {
      let bus = EventBus()
      let owner = Holder(make())
      let token = bus.observe(.number, priority: .high) { _ in owner.letGo() }
      if let owner = owner.value {
        bus.observe(.number, owner: owner) { _, _ in Issue.record("The owner is dead.") }
      }
      #expect(bus.post(.number, 1) == 1)
      #expect(bus.signal(.number).observerCount == 1)
      withExtendedLifetime(token) {}
    }
  }
}
