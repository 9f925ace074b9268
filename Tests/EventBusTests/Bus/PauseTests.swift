import EventBus
import TestSupport
import Testing

@Suite("Paused registrations")
struct PauseTests {
  @Test("An owner's registration whose token was dropped during a pause resumes afterwards")
  func droppedWhilePaused() {
    let (bus, owner, lived) = (EventBus(), PlainOwner(), LivedOwner())
    let pauses = TokenBag()
    bus.observe(.number, owner: owner) { $0.log.append($1) }.pause().store(in: pauses)
    bus.observe(.number, owner: lived) { $0.log.append($1) }.pause().store(in: pauses)
    bus.post(.number, 1)
    pauses.cancelAll()
    bus.post(.number, 2)
    #expect(owner.log.entries == [2])
    #expect(lived.log.entries == [2])
  }

  @Test("Events during a pause are dropped, later ones are received")
  func dropped() {
    let (bus, sender, log) = (EventBus(), SampleSender(), Log<Int>())
    let tokens = [
      bus.observe(.number) { log.append($0) },
      bus.observe(.number, from: sender) { log.append($0) },
      bus.observe(.number, where: { _ in true }) { log.append($0) },
    ]
    bus.post(.number, 1, from: sender)
    var pauses = tokens.map { $0.pause() }
    #expect(bus.post(.number, 2, from: sender) == 0)
    withExtendedLifetime(pauses) {}
    pauses = []
    #expect(bus.post(.number, 3, from: sender) == 3)
    #expect(log.entries == [1, 1, 1, 3, 3, 3])
    withExtendedLifetime(tokens) {}
  }

  @Test("Pauses are counted, and may end in any order")
  func counted() {
    let bus = EventBus()
    let token = bus.observe(.number) { _ in }
    var numbers = SampleNumbers(seed: 1)
    var pauses = (0..<10).map { _ in token.pause() }
    while !pauses.isEmpty {
      #expect(bus.post(.number, 1) == 0)
      pauses.remove(at: numbers.next(below: pauses.count)).cancel()
    }
    #expect(bus.post(.number, 2) == 1)
    withExtendedLifetime(token) {}
  }

  @Test("Other observers receive events during a pause; events with only paused ones are unhandled")
  func others() {
    let unhandled = Log<Int>()
    var hooks = EventHooks()
    hooks.onUnhandled = { event in if let value = event.payload as? Int { unhandled.append(value) }
    }
    let bus = EventBus(hooks: hooks)
    let log = Log<String>()
    let paused = bus.observe(.number) { log.append("paused \($0)") }
    let pause = paused.pause()
    bus.post(.number, 1)
    let other = bus.observe(.number) { log.append("other \($0)") }
    #expect(bus.post(.number, 2) == 1)
    pause.cancel()
    #expect(bus.post(.number, 3) == 2)
    #expect(log.entries == ["other 2", "paused 3", "other 3"])
    #expect(unhandled.entries == [1])
    withExtendedLifetime(other) {}
  }

  @Test("An observer paused by an earlier handler is not called by that post")
  func duringAPost() {
    let bus = EventBus()
    let log = Log<String>()
    let pauses = TokenBag()
    let later = Holder<Token>()
    let first = bus.observe(.number) { value in
      log.append("first \(value)")
      later.value?.pause().store(in: pauses)
    }
    later.hold(bus.observe(.number) { log.append("later \($0)") })
    bus.post(.number, 1)
    pauses.cancelAll()
    later.letGo()
    #expect(log.entries == ["first 1"])
    withExtendedLifetime(first) {}
  }

  @Test("A handler may pause itself to ignore the effects of its own posts")
  func pausesItself() {
    let bus = EventBus()
    let log = Log<Int>()
    let own = Holder<Token>()
    own.hold(
      bus.observe(.number) { [unowned bus] value in
        log.append(value)
        let pause = own.value?.pause()
        bus.post(.number, value + 1)
        withExtendedLifetime(pause) {}
      }
    )
    bus.post(.number, 1)
    bus.post(.number, 10)
    #expect(log.entries == [1, 10])
    own.letGo()
  }

  @Test("A pause's token does not retain the registration and may outlive it and the bus")
  func outlives() {
    let tally = Tally()
    var bus: EventBus? = EventBus()
    var token: Token? = bus?.observe(.number) { [probe = tally.probe()] _ in probe.touch() }
    let pauses = [token?.pause(), token?.pause()]
    withExtendedLifetime(token) {}
    token = nil
    #expect(tally.live == 0)
    pauses[0]?.cancel()
    bus = nil
    pauses[1]?.cancel()
    withExtendedLifetime((bus, token)) {}
  }

  @Test("A stale pause never affects a later registration", arguments: [1, 8, 100])
  func stalePause(count: Int) {
    let bus = EventBus()
    let stale = (0..<count).map { _ in
      let token = bus.observe(.number) { _ in }
      defer { token.cancel() }
      return token.pause()
    }
    let tokens = (0..<count).map { _ in bus.observe(.number) { _ in } }
    #expect(bus.post(.number, 1) == count)
    for pause in stale { pause.cancel() }
    #expect(bus.post(.number, 1) == count)
    let pauses = tokens.map { $0.pause() }
    for pause in stale { pause.cancel() }
    #expect(bus.post(.number, 1) == 0)
    withExtendedLifetime((tokens, pauses)) {}
  }

  @Test("Concurrent pauses and resumes leave the registration as it was")
  func racingPauses() async {
    let bus = EventBus()
    let heard = Counter()
    let token = bus.observe(.number) { _ in heard.add() }
    await onThreads(3) { _ in
      for _ in 0..<2_000 {
        let pause = token.pause()
        if bus.post(.number, 1) != 0 { Issue.record("Heard while this thread had it paused.") }
        pause.cancel()
      }
    }
    #expect(heard.value == 0)
    #expect(bus.post(.number, 2) == 1)
    withExtendedLifetime(token) {}
  }
}
