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
