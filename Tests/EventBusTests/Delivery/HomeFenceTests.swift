import EventBus
import TestSupport
import Testing

/// Waits for handlers of an actor that posts on that actor call at once.
@Suite("Waiting for the calls of handlers on an actor", .timeLimit(.minutes(5)))
struct HomeFenceTests {
  /// An actor with its own threads, which its handlers may block.
  private actor Home {
    nonisolated let executor = HeldExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
    }

    init() { executor.open() }

    func observe(
      _ bus: EventBus?,
      owner: SampleSender? = nil,
      priority: Priority = .normal,
      _ handler: @escaping @Sendable (isolated Home, Int) -> Void
    ) -> Token? {
      guard let owner else {
        return bus?.observe(.number, priority: priority) { value in handler(self, value) }
      }
      return bus?.observe(.number, owner: owner, priority: priority) { _, value in
        handler(self, value)
      }
    }

    func post(_ value: Int, to bus: EventBus?) { bus?.post(.number, value) }
  }

  private let bus = EventBus()
  private let home = Home()
  private let call = HeldCall()

  @Test("The fence ignores an earlier handler that keeps the actor", arguments: [true, false])
  func earlierHandler(hasOwner: Bool) async {
    let (owner, isInside, mayLeave) = (SampleSender(), ManualLatch(), ManualLatch())
    let first = await home.observe(bus, priority: .high) { _, _ in
      isInside.open()
      mayLeave.block()
    }
    let token = await home.observe(bus, owner: hasOwner ? owner : nil) { _, _ in
      Issue.record("It was cancelled before its turn.")
    }
    async let posting: Void = home.post(1, to: bus)
    await isInside.wait()
    token?.cancel()
    await token?.waitUntilFinished()
    mayLeave.open()
    await posting
    withExtendedLifetime((first, owner)) {}
  }

  @Test("The end of the call ends the wait while a later handler keeps the actor")
  func laterHandler() async {
    let mayLeave = ManualLatch()
    let token = await home.observe(bus, priority: .high) { [call] _, _ in call.run() }
    let last = await home.observe(bus) { _, _ in mayLeave.block() }
    async let posting: Void = home.post(1, to: bus)
    await call.expectFence(token)
    mayLeave.open()
    await posting
    withExtendedLifetime(last) {}
  }

  @Test("The end of a nested call does not end the wait for the outer one")
  func nestedCalls() async {
    let (isInside, mayReturn, log) = (ManualLatch(), ManualLatch(), Log<Int>())
    let token = await home.observe(bus) { [bus, call] _, value in
      if value == 2 {
        bus.post(.number, 1)
        call.run()
      } else {
        isInside.open()
        mayReturn.block()
        log.append(value)
      }
    }
    async let posting: Void = home.post(2, to: bus)
    await isInside.wait()
    token?.cancel()
    let early = Task {
      await token?.waitUntilFinished()
      log.append(2)
    }
    await rest()
    #expect(log.entries == [])
    mayReturn.open()
    await call.expectFence(token)
    await early.value
    #expect(log.entries == [1, 2])
    await posting
  }

  @Test("Several tasks may wait for one call")
  func severalWaiters() async {
    let (hasEnded, returned) = (Counter(), Log<Int>())
    let token = await home.observe(bus) { [call] _, _ in
      call.run()
      hasEnded.add()
    }
    async let posting: Void = home.post(1, to: bus)
    let others = (0..<2).map { _ in
      Task {
        await token?.waitUntilFinished()
        returned.append(hasEnded.value)
      }
    }
    await call.expectFence(token)
    for other in others { await other.value }
    #expect(returned.entries == [1, 1])
    await posting
  }

  @Test("A wait that is over keeps neither the registration nor its list alive")
  func nothingIsKept() async {
    let tally = Tally()
    let probe = Holder(tally.probe())
    let bus = Holder(EventBus())
    let token = await home.observe(bus.value) { [call, value = probe.value] _, _ in
      withExtendedLifetime(value) {}
      call.run()
    }
    probe.letGo()
    async let posting: Void = home.post(1, to: bus.value)
    await call.expectFence(token)
    bus.letGo()
    await posting
    await rest()
    #expect(tally.live == 0)
  }
}
