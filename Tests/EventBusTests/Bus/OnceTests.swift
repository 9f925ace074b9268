import EventBus
import TestSupport
import Testing

@Suite("One-call observers")
struct OnceTests {
  @Test("A one-call observer is called once and has then ended")
  func calledOnce() {
    let bus = EventBus()
    let log = Log<Int>()
    let token = bus.observe(.number, once: true) { log.append($0) }
    #expect(token.isActive)
    #expect(bus.post(.number, 1) == 1)
    #expect(!token.isActive)
    #expect(bus.post(.number, 2) == 0)
    #expect(log.entries == [1])
    #expect(bus.signal(.number).observerCount == 0)
  }

  @Test("A one-call registration has ended before its call begins")
  func endsBeforeTheCall() {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let counts = Log<Int>()
    let token = bus.observe(.number, once: true) { _ in counts.append(signal.observerCount) }
    bus.post(.number, 1)
    #expect(counts.entries == [0])
    withExtendedLifetime(token) {}
  }

  @Test("A post from inside the one call does not cause a second call")
  func nestedPostDoesNotFireAgain() {
    let bus = EventBus()
    let log = Log<Int>()
    let token = bus.observe(.number, once: true) { [unowned bus] value in
      log.append(value)
      #expect(bus.post(.number, value + 1) == 0)
    }
    bus.post(.number, 1)
    #expect(log.entries == [1])
    withExtendedLifetime(token) {}
  }

  @Test("An earlier nested post uses up the one call of a later observer")
  func nestedPostComesFirst() {
    let bus = EventBus()
    let log = Log<Int>()
    let nesting = bus.observe(.number, once: true) { [unowned bus] value in
      bus.post(.number, value + 1)
    }
    let token = bus.observe(.number, once: true) { log.append($0) }
    #expect(bus.post(.number, 1) == 1)
    #expect(log.entries == [2])
    withExtendedLifetime((nesting, token)) {}
  }

  @Test("Dropping the token before the event prevents the call")
  func droppedBefore() {
    let bus = EventBus()
    var token: Token? = bus.observe(.number, once: true) { _ in Issue.record("Was dropped.") }
    token = nil
    #expect(bus.post(.number, 1) == 0)
    withExtendedLifetime(token) {}
  }

  @Test("The handler's captures are freed after its one call")
  func capturesAreFreed() {
    let bus = EventBus()
    let tally = Tally()
    let token = bus.observe(.number, once: true) { [probe = tally.probe()] _ in
      probe.touch()
      #expect(tally.live == 1)
    }
    bus.post(.number, 1)
    #expect(tally.live == 0)
    #expect(tally.freed == 1)
    withExtendedLifetime(token) {}
  }

  @Test("The one call of an observer with an owner receives the owner")
  func withOwner() {
    let bus = EventBus()
    let (plain, lived) = (PlainOwner(), LivedOwner())
    bus.observe(.number, owner: plain, once: true) { owner, value in owner.log.append(value) }
    bus.observe(.number, owner: lived, once: true) { owner, value in owner.log.append(value) }
    #expect(bus.post(.number, 1) == 2)
    #expect(bus.post(.number, 2) == 0)
    #expect(plain.log.entries == [1])
    #expect(lived.log.entries == [1])
  }

  @Test("A handler that throws has used up its one call")
  func throwing() {
    let bus = EventBus(hooks: .silent)
    let heard = Counter()
    let token = bus.observe(.number, once: true) { _ in
      heard.add()
      throw SampleError()
    }
    bus.post(.number, 1)
    bus.post(.number, 2)
    #expect(heard.value == 1)
    withExtendedLifetime(token) {}
  }

  @MainActor
  @Test("Two events queued for an actor make one call of a one-call observer")
  func queuedTwice() {
    let bus = EventBus()
    var shown: [Int] = []
    let token = bus.observe(.number, once: true) { shown.append($0) }
    let counts = blockedOnThread { [bus.post(.number, 1), bus.post(.number, 2)] }
    #expect(counts.reduce(0, +) >= 1)
    bus.post(.number, 3)
    #expect(shown == [1])
    #expect(!token.isActive)
  }

  @Test("Concurrent posts make one call of a one-call observer")
  func racingPosts() async {
    let (threads, rounds) = (2, 100)
    let bus = EventBus()
    let gate = StartGate(threads)
    let calls = (0..<rounds).map { _ in Counter() }
    let reached = Counter()
    let names = (0..<rounds).map { EventName<Int>("sample.once \($0)") }
    // Both threads evaluate the predicate before either may continue.
    let bothAreThere: @Sendable (Int) -> Bool = { _ in
      gate.arriveAndWait()
      return true
    }
    let tokens = zip(names, calls).map { name, calls in
      bus.observe(name, once: true, where: bothAreThere) { _ in calls.add() }
    }
    await onThreads(threads) { _ in
      for name in names { reached.add(bus.post(name, 0)) }
    }
    #expect(calls.allSatisfy { $0.value == 1 })
    #expect(reached.value == rounds)
    #expect(tokens.allSatisfy { !$0.isActive })
  }
}
