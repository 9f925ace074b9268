import EventBus
import TestSupport
import Testing

/// Ended registrations are bounded by the live ones plus those that ended since the oldest running
/// call began.
@Suite("Bounded garbage")
struct GarbageTests {
  @Test("Short-lived registrations leave nothing behind", arguments: [0, 1, 100])
  func churn(others: Int) {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let (tally, tokens) = (Tally(), WeakList<Token>())
    let kept = (0..<others).map { _ in bus.observe(.number) { _ in } }
    for round in 0..<size(1_000, full: 10_000) {
      let token = bus.observe(.number, priority: Priority(integerLiteral: round % 2)) {
        [probe = tally.probe()] _ in probe.touch()
      }
      if round.isMultiple(of: 100) { tokens.append(token) }
      token.cancel()
      #expect(tally.live == 0)
    }
    #expect(signal.observerCount == others)
    #expect(tokens.liveCount == 0)
    withExtendedLifetime(kept) {}
  }

  @Test("Storage retired during a call is freed when that call returns, not later")
  func retiredWhileACallRuns() async {
    let bus = EventBus()
    let tally = Tally()
    let (isInside, mayLeave) = (ManualLatch(), ManualLatch())
    let blocking = bus.observe(.number, once: true) { _ in
      isInside.open()
      mayLeave.block()
    }
    async let posting: Void = onThreads(1) { _ in bus.post(.number, 1) }
    await isInside.wait()
    for _ in 0..<1_000 {
      bus.observe(.number) { [probe = tally.probe()] _ in probe.touch() }.cancel()
    }
    #expect(tally.live <= 1_000)
    mayLeave.open()
    await posting
    #expect(tally.live == 0)
    withExtendedLifetime(blocking) {}
  }

  @Test("Endlessly overlapping posts do not delay the release of storage retired before them")
  func overlappingPosts() async {
    let (bus, tally, live) = (EventBus(), Tally(), Log<Int>())
    let last = 200
    let began = (0...last).map { _ in ManualLatch() }
    // Each call leaves only when the next one has begun on the other thread, so that a call always runs.
    let overlapping = bus.observe(.number) { turn in
      began[turn].open()
      bus.observe(.number, priority: .low) { [probe = tally.probe()] _ in probe.touch() }.cancel()
      live.append(tally.live)
      if turn < last { began[turn + 1].block() }
    }
    await onThreads(2) { thread in
      for turn in stride(from: thread, through: last, by: 2) {
        if turn > 0 { began[turn - 1].block() }
        bus.post(.number, turn)
      }
    }
    // What was retired during the last calls, of which one may be on its way out.
    #expect(live.entries.allSatisfy { $0 <= 5 }, "\(live.entries)")
    #expect(tally.live == 0)
    withExtendedLifetime(overlapping) {}
  }

  @Test("Observers that end in their own calls do not accumulate")
  func endingInTheirOwnCall() {
    let bus = EventBus()
    let tally = Tally()
    for round in 1...1_000 {
      let token = bus.observe(.number, once: true) { [probe = tally.probe()] _ in probe.touch() }
      bus.post(.number, round)
      #expect(tally.live == 0)
      withExtendedLifetime(token) {}
    }
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

  @Test("Captures are freed exactly once if many tokens are dropped in any order")
  func manyTokens() {
    let bus = EventBus()
    let tally = Tally()
    var numbers = SampleNumbers(seed: 1)
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
