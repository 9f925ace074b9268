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
    let bus = EventBus()
    let log = Log<Int>()
    let token = bus.observe(.number) { log.append($0) }
    bus.post(.number, 1)
    var pause: Token? = token.pause()
    #expect(bus.post(.number, 2) == 0)
    #expect(token.isActive)
    withExtendedLifetime(pause) {}
    pause = nil
    #expect(bus.post(.number, 3) == 1)
    #expect(log.entries == [1, 3])
    withExtendedLifetime(pause) {}
  }

  @Test("A pause ends once, when its token is cancelled")
  func endsWithCancel() {
    let bus = EventBus()
    let token = bus.observe(.number) { _ in }
    let (first, second) = (token.pause(), token.pause())
    first.cancel()
    first.cancel()
    #expect(bus.post(.number, 1) == 0)
    second.cancel()
    #expect(bus.post(.number, 2) == 1)
  }

  @Test("Pauses are counted, and may end in any order", arguments: 1...5)
  func counted(seed: Int) {
    let bus = EventBus()
    let token = bus.observe(.number) { _ in }
    var numbers = SampleNumbers(seed: seed)
    var pauses = (0..<10).map { _ in token.pause() }
    while !pauses.isEmpty {
      #expect(bus.post(.number, 1) == 0)
      pauses.remove(at: numbers.next(below: pauses.count)).cancel()
    }
    #expect(bus.post(.number, 2) == 1)
    withExtendedLifetime(token) {}
  }

  @Test("A registration of any kind can be paused", arguments: Form.allCases)
  func anyForm(form: Form) {
    let bus = EventBus()
    let owner = LivedOwner()
    let sender = SampleSender()
    let token = form.observe(bus, owner, sender)
    let pause = token.pause()
    #expect(bus.post(.number, 1, from: sender) == 0)
    pause.cancel()
    #expect(bus.post(.number, 2, from: sender) == 1)
    withExtendedLifetime((token, owner)) {}
  }

  enum Form: CaseIterable {
    case plain, owner, sender, predicate, once, async, asyncOwner

    func observe(_ bus: EventBus, _ owner: LivedOwner, _ sender: SampleSender) -> Token {
      switch self {
      case .plain: bus.observe(.number) { #expect($0 == 2) }
      case .owner: bus.observe(.number, owner: owner) { #expect($1 == 2) }
      case .sender: bus.observe(.number, from: sender) { #expect($0 == 2) }
      case .predicate: bus.observe(.number, where: { $0 == 2 }) { #expect($0 == 2) }
      case .once: bus.observe(.number, once: true) { #expect($0 == 2) }
      case .async:
        bus.observe(.number) { value in
          await Task.yield()
          #expect(value == 2)
        }
      case .asyncOwner:
        bus.observe(.number, owner: owner) { _, value in
          await Task.yield()
          #expect(value == 2)
        }
      }
    }
  }

  @Test("A paused one-call observer keeps its call")
  func once() {
    let bus = EventBus()
    let log = Log<Int>()
    let token = bus.observe(.number, once: true) { log.append($0) }
    let pause = token.pause()
    bus.post(.number, 1)
    #expect(token.isActive)
    pause.cancel()
    bus.post(.number, 2)
    bus.post(.number, 3)
    #expect(log.entries == [2])
    #expect(!token.isActive)
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

  @Test("Pausing an ended registration, or cancelling a paused one, is harmless")
  func ended() {
    let bus = EventBus()
    let token = bus.observe(.number) { _ in }
    let pause = token.pause()
    token.cancel()
    #expect(!token.isActive)
    let late = token.pause()
    let stranger = bus.observe(.number) { _ in }
    #expect(bus.post(.number, 1) == 1)
    pause.cancel()
    late.cancel()
    #expect(bus.post(.number, 2) == 1)
    withExtendedLifetime(stranger) {}
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

  @Test("An observer of every event can be paused like any other")
  func wildcard() {
    let bus = EventBus()
    let log = Log<String>()
    let token = bus.observeAll { log.append($0.name) }
    let pause = token.pause()
    bus.post(.number, 1)
    pause.cancel()
    bus.post(.nothing)
    #expect(log.entries == ["sample.nothing"])
    withExtendedLifetime(token) {}
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
