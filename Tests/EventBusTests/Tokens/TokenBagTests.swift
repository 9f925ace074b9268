import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Token bags")
struct TokenBagTests {
  @Test("A bag retains the tokens stored in it")
  func keeps() {
    let bus = EventBus()
    let bag = TokenBag()
    #expect(bag.count == 0)
    bus.observe(.number) { _ in }.store(in: bag)
    bus.observe(.number) { _ in }.store(in: bag)
    #expect(bag.count == 2)
    #expect(bus.post(.number, 1) == 2)
  }

  @Test("A bag can be used again after cancelAll()")
  func usableAfterCancelAll() {
    let bus = EventBus()
    let bag = TokenBag()
    bus.observe(.number) { _ in }.store(in: bag)
    bag.cancelAll()
    #expect(bag.count == 0)
    #expect(bus.post(.number, 1) == 0)
    bus.observe(.number) { _ in }.store(in: bag)
    #expect(bag.count == 1)
    #expect(bus.post(.number, 2) == 1)
  }

  @Test("A token whose registration ended by itself leaves its bag")
  func endedByThemselves() async {
    let bus = EventBus()
    let (bag, lifetime, clock) = (TokenBag(), Lifetime(), ManualClock())
    var (plain, lived): (PlainOwner?, LivedOwner?) = (PlainOwner(), LivedOwner())
    var other: EventBus? = EventBus()
    lifetime.onEnd {}.store(in: bag)
    bus.observe(.number, once: true) { _ in }.store(in: bag)
    after(.seconds(1), clock: clock) { _ in }.store(in: bag)
    other?.observe(.number) { _ in }.store(in: bag)
    if let plain { bus.observe(.number, owner: plain) { _, _ in }.store(in: bag) }
    if let lived { bus.observe(.number, owner: lived) { _, _ in }.store(in: bag) }
    #expect(bag.count == 6)
    lifetime.end()
    #expect(bag.count == 5)
    (plain, lived) = (nil, nil)
    #expect(bag.count == 4)
    bus.post(.number, 1)
    #expect(bag.count == 2)
    await clock.advance(by: .seconds(1))
    #expect(bag.count == 1)
    withExtendedLifetime(other) {}
    other = nil
    #expect(bag.count == 0)
    withExtendedLifetime((plain, lived, other)) {}
  }

  @Test("A running hook has already left its bag")
  func runningHook() {
    let (bag, lifetime, counts) = (TokenBag(), Lifetime(), Log<Int>())
    lifetime.onEnd { [unowned bag] in counts.append(bag.count) }.store(in: bag)
    lifetime.end()
    #expect(counts.entries == [0])
    lifetime.onEnd {}.store(in: bag)
    #expect(bag.count == 0)
  }

  @Test("An ended bag is closed: a token stored in it is cancelled at once")
  func closedAfterEnd() {
    let ended = Log<String>()
    let bag = TokenBag()
    Token { ended.append("before") }.store(in: bag)
    bag.end()
    #expect(ended.entries == ["before"])
    let late = Token { ended.append("after") }
    late.store(in: bag)
    #expect(ended.entries == ["before", "after"])
    #expect(!late.isActive)
    #expect(bag.count == 0)
    bag.end()
    bag.cancelAll()
    #expect(ended.count == 2)
  }

  @Test("A member cancelled early leaves the bag and is freed")
  func shrinks() {
    let bag = TokenBag()
    let tokens = WeakList<Token>()
    let kept = Token {}
    kept.store(in: bag)
    for _ in 0..<1_000 {
      let token = Token {}
      token.store(in: bag)
      tokens.append(token)
      token.cancel()
      #expect(bag.count == 1)
    }
    #expect(tokens.liveCount <= 8)
    #expect(kept.isActive)
  }

  @Test("Storing a cancelled token is harmless")
  func storingACancelledToken() {
    let bag = TokenBag()
    let token = Token {}
    token.cancel()
    token.store(in: bag)
    #expect(bag.count == 0)
  }

  @Test("The bag cancels its tokens with no lock held: an action may use the bag")
  func actionsUseTheBag() {
    let bag = TokenBag()
    let log = Log<String>()
    let counts = Log<Int>()
    Token {
      log.append("first")
      counts.append(bag.count)
      Token { log.append("stored meanwhile") }.store(in: bag)
      bag.cancelAll()
    }.store(in: bag)
    Token { log.append("second") }.store(in: bag)
    bag.cancelAll()
    #expect(bag.count == 0)
    #expect(counts.entries == [0])
    #expect(Set(log.entries) == ["first", "stored meanwhile", "second"])
    #expect(log.count == 3)
  }

  @Test("Concurrent storing, cancelling and ending cancels each token exactly once")
  func contention() async {
    for _ in 0..<rounds(50, debug: 15, sanitized: 15) {
      let bag = TokenBag()
      let (made, ended) = (Counter(), Counter())
      await onThreads(4) { thread in
        for round in 0..<50 {
          made.add()
          let token = Token { ended.add() }
          token.store(in: bag)
          switch (thread + round) % 10 {
          case 0: bag.cancelAll()
          case 1...4: token.cancel()
          default: yieldThread()  // Reason: others overlap.
          }
          if thread == 0, round == 40 { bag.end() }
        }
      }
      #expect(made.value == 200)
      #expect(ended.value == 200)
      #expect(bag.count == 0)
    }
  }
}
