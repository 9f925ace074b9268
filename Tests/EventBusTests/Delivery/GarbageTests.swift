import EventBus
import TestSupport
import Testing

/// Ended registrations are bounded by the live ones plus those that ended since the oldest running
/// call began.
@Suite("Bounded garbage")
struct GarbageTests {
  @Test("Ten thousand short-lived registrations leave nothing behind", arguments: [0, 1, 100])
  func churn(others: Int) {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let (tally, tokens) = (Tally(), WeakList<Token>())
    let kept = (0..<others).map { _ in bus.observe(.number) { _ in } }
    for round in 0..<10_000 {
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
    let bus = EventBus()
    let tally = Tally()
    let (mayStop, turns) = (ManualLatch(), Counter())
    // Each thread leaves its call only when the other has begun a new one, so that a call always runs.
    let overlapping = bus.observe(.number) { _ in
      let turn = turns.add()
      while turns.value == turn, !mayStop.isOpen { yieldThread() }
    }
    async let storm: Void = onThreads(2) { _ in
      while !mayStop.isOpen { bus.post(.number, 1) }
    }
    var largest = 0
    for _ in 0..<500 {
      let begun = turns.value
      bus.observe(.number, priority: .low) { [probe = tally.probe()] _ in probe.touch() }.cancel()
      while turns.value < begun + 4, !Task.isCancelled { await Task.yield() }
      largest = max(largest, tally.live)
    }
    // Every call that ran at a cancellation has ended four turns later, so only the newest may wait.
    #expect(largest <= 2)
    mayStop.open()
    await storm
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
}
