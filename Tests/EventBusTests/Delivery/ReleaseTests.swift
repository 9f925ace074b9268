import EventBus
import TestSupport
import Testing

@Suite("A handler's captures")
struct ReleaseTests {
  @Test("Captures are freed inside cancel() if no post is running")
  func freedInsideCancel() {
    let bus = EventBus()
    let tally = Tally()
    let owner = PlainOwner()
    let tokens = [
      bus.observe(.number) { [probe = tally.probe()] _ in probe.touch() },
      bus.observe(.number, priority: 3) { [probe = tally.probe()] _ in probe.touch() },
      bus.observe(.number, once: true) { [probe = tally.probe()] _ in probe.touch() },
      bus.observe(.number, owner: owner) { [probe = tally.probe()] _, _ in probe.touch() },
    ]
    for (index, token) in tokens.enumerated() {
      #expect(tally.freed == index)
      token.cancel()
    }
    #expect(tally.freed == 4)
    #expect(tally.created == 4)
    withExtendedLifetime((tokens, owner)) {}
  }

  @Test("Captures are freed when the token is dropped")
  func freedWhenDropped() {
    let bus = EventBus()
    let tally = Tally()
    var token: Token? = bus.observe(.number) { [probe = tally.probe()] _ in probe.touch() }
    bus.post(.number, 1)
    withExtendedLifetime(token) {}
    token = nil
    #expect(tally.live == 0)
  }

  @Test("Captures are freed inside cancel() after posts, nested posts and posts with errors")
  func freedAfterManyPosts() {
    let bus = EventBus(hooks: .silent)
    let tally = Tally()
    let token = bus.observe(.number) { [unowned bus, probe = tally.probe()] value in
      probe.touch()
      if value > 0 { bus.post(.number, value - 1) }
      throw SampleError()
    }
    for value in 0..<5 { bus.post(.number, value) }
    #expect(tally.live == 1)
    token.cancel()
    #expect(tally.live == 0)
  }

  @Test("Captures are freed when the outermost running post ends")
  func freedWhenPostsHaveEnded() {
    let bus = EventBus()
    let tally = Tally()
    let bag = TokenBag()
    let victim = bus.observe(.number) { [probe = tally.probe()] _ in probe.touch() }
    bus.observe(.number, priority: .low) { [unowned bus] value in
      if value < 3 { bus.post(.number, value + 1) } else { victim.cancel() }
    }.store(in: bag)
    bus.post(.number, 1)
    #expect(tally.live == 0)
    #expect(tally.freed == 1)
    bag.cancelAll()
  }

  @Test("Captures are freed when a post running on another thread ends")
  func freedWhenAnotherThreadIsDone() async {
    let bus = EventBus()
    let tally = Tally()
    let (isInside, mayLeave) = (ManualLatch(), ManualLatch())
    let blocking = bus.observe(.number, priority: .high) { _ in
      isInside.open()
      mayLeave.block()
    }
    let victim = bus.observe(.number) { [probe = tally.probe()] _ in
      probe.touch()
      Issue.record("Cancelled before its turn.")
    }
    async let posting: Void = onThreads(1) { _ in bus.post(.number, 1) }
    await isInside.wait()
    victim.cancel()
    mayLeave.open()
    await posting
    #expect(tally.live == 0)
    withExtendedLifetime(blocking) {}
  }

  @Test("Captures are freed once if the handler is cancelled in a post of another event")
  func cancelledInAnotherEvent() {
    let bus = EventBus()
    let tally = Tally()
    let victim = bus.observe(.text) { [probe = tally.probe()] _ in probe.touch() }
    let token = bus.observe(.number) { _ in victim.cancel() }
    bus.post(.number, 1)
    #expect(tally.freed == 1)
    withExtendedLifetime(token) {}
  }

  @MainActor
  @Test("Captures are freed inside cancel() while an event waits for the handler")
  func freedWhileAnEventWaits() {
    let bus = EventBus()
    let tally = Tally()
    let token = bus.observe(.number) { [probe = tally.probe()] _ in
      probe.touch()
      Issue.record("Cancelled before its turn.")
    }
    let reached = blockedOnThread { bus.post(.number, 1) }
    #expect(reached == 1)
    token.cancel()
    #expect(tally.live == 0)
    bus.post(.number, 2)
  }

  @Test("Captures are freed exactly once if many tokens are dropped in any order", arguments: 1...4)
  func manyTokens(seed: Int) {
    let bus = EventBus()
    let tally = Tally()
    var numbers = SampleNumbers(seed: seed)
    var tokens = (0..<500).map { index in
      bus.observe(.number, priority: Priority(integerLiteral: index % 3)) {
        [probe = tally.probe()] _ in probe.touch()
      }
    }
    while !tokens.isEmpty {
      tokens.remove(at: numbers.next(below: tokens.count)).cancel()
      #expect(tally.live == tokens.count)
    }
    #expect(tally.freed == 500)
    #expect(bus.signal(.number).observerCount == 0)
  }
}
