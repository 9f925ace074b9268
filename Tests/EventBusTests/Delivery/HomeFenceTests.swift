import EventBus
import TestSupport
import Testing

/// Waits for handlers of the main actor that posts on the main actor call at once.
@Suite("Waiting for the calls of handlers on an actor", .timeLimit(.minutes(5)))
@MainActor
struct HomeFenceTests {
  private let bus = EventBus()
  private let isInside = ManualLatch()
  private let hasCancelled = ManualLatch()
  private let mayLeave = ManualLatch()
  private let log = Log<String>()

  /// Keeps the main actor until the latch is open, or for so long that the test has failed.
  private func keepActor(until latch: ManualLatch) {
    for _ in 0..<3_000_000 {
      guard !latch.isOpen else { break }
      yieldThread()
    }
  }

  /// Cancels a token on another thread during a call, and waits for the end of its calls.
  private func cancelInside(_ token: Token) -> Task<Void, Never> {
    Task.detached { [isInside, hasCancelled, mayLeave, log] in
      await isInside.wait()
      token.cancel()
      hasCancelled.open()
      await token.waitUntilFinished()
      log.append("fence")
      mayLeave.open()
    }
  }

  @Test("The fence ignores an earlier handler that keeps the actor", arguments: [true, false])
  func earlierHandler(hasOwner: Bool) async {
    let owner = SampleSender()
    let first = bus.observe(.number, priority: .high) { [self] _ in
      MainActor.assertIsolated()
      isInside.open()
      keepActor(until: mayLeave)
      log.append("first")
    }
    let token =
      hasOwner
      ? bus.observe(.number, owner: owner) { [self] _, _ in
        MainActor.assertIsolated()
        log.append("call")
      }
      : bus.observe(.number) { [self] _ in
        MainActor.assertIsolated()
        log.append("call")
      }
    let waiting = cancelInside(token)
    bus.post(.number, 1)
    await waiting.value
    #expect(log.entries == ["fence", "first"])
    withExtendedLifetime((first, owner)) {}
  }

  @Test(
    "The end of the call ends the wait while a later handler keeps the actor",
    arguments: 0..<20
  )
  func laterHandler(round: Int) async {
    let token = bus.observe(.number, priority: .high) { [self] _ in
      MainActor.assertIsolated()
      isInside.open()
      keepActor(until: hasCancelled)
      for _ in 0..<(round * 10) { yieldThread() }
      log.append("call")
    }
    let last = bus.observe(.number) { [self] _ in
      MainActor.assertIsolated()
      keepActor(until: mayLeave)
      log.append("last")
    }
    let waiting = cancelInside(token)
    bus.post(.number, 1)
    await waiting.value
    #expect(log.entries == ["call", "fence", "last"])
    withExtendedLifetime(last) {}
  }

  @Test("The end of a nested call does not end the wait for the outer one")
  func nestedCalls() async {
    let token = bus.observe(.number) { [self] value in
      MainActor.assertIsolated()
      if value == 2 { bus.post(.number, 1) }
      if value == 1 {
        isInside.open()
        keepActor(until: hasCancelled)
      }
      for _ in 0..<1_000 { yieldThread() }
      log.append("\(value)")
    }
    let last = bus.observe(.number, priority: .low) { [self] value in
      MainActor.assertIsolated()
      if value == 2 { keepActor(until: mayLeave) }
    }
    let waiting = cancelInside(token)
    bus.post(.number, 2)
    await waiting.value
    #expect(log.entries == ["1", "2", "fence"])
    withExtendedLifetime(last) {}
  }

  @Test("Several tasks may wait for one call")
  func severalWaiters() async {
    let token = bus.observe(.number) { [self] _ in
      MainActor.assertIsolated()
      isInside.open()
      keepActor(until: hasCancelled)
      for _ in 0..<1_000 { yieldThread() }
      log.append("call")
    }
    let waiting = (0..<3).map { _ in cancelInside(token) }
    bus.post(.number, 1)
    for task in waiting { await task.value }
    #expect(log.entries == ["call", "fence", "fence", "fence"])
  }

  @Test("A wait that is over keeps neither the registration nor its list alive")
  func nothingIsKept() async {
    let tally = Tally()
    var bus: EventBus? = EventBus()
    let probe = Holder(tally.probe())
    let token = bus?.observe(.number, priority: .high) { [self, value = probe.value] _ in
      MainActor.assertIsolated()
      withExtendedLifetime(value) {}
      isInside.open()
      keepActor(until: hasCancelled)
      for _ in 0..<1_000 { yieldThread() }
    }
    probe.letGo()
    let waiting = Task.detached { [isInside, hasCancelled] in
      await isInside.wait()
      token?.cancel()
      hasCancelled.open()
      await token?.waitUntilFinished()
    }
    bus?.post(.number, 1)
    bus = nil
    await waiting.value
    for _ in 0..<100 {
      guard tally.live != 0 else { break }
      await Task.yield()
    }
    #expect(tally.live == 0)
  }
}
