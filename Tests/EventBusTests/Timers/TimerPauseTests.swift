import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Pauses of timers", .timeLimit(.minutes(5)))
struct TimerPauseTests {
  private let clock = ManualClock()

  /// Ticks after a first one that runs from 10 to 45, with a pause from 22 to 38.
  ///
  /// The deadlines 20 and 40 passed, and 30 fell into the pause.
  private static let afterPauseInside: [MissedTicks: [SeenTick]] = [
    .skip: [SeenTick(1, at: 50, missed: 2), SeenTick(2, at: 60)],
    .burst: [
      SeenTick(1, at: 45, late: 25), SeenTick(2, at: 45, late: 5), SeenTick(3, at: 50),
      SeenTick(4, at: 60),
    ],
    .delay: [SeenTick(1, at: 55)],
  ]

  @Test(
    "Deadlines in a pause that begins and ends within a tick are neither counted nor delivered",
    arguments: [MissedTicks.skip, .burst, .delay]
  )
  func insideATick(policy: MissedTicks) async {
    let ticks = await ticks(policy, tickEndsAt: 45, pauses: [(22, 38)], until: 61)
    #expect(ticks == Self.afterPauseInside[policy])
  }

  @Test("Each of several pauses within a tick leaves its own deadlines out")
  func severalInsideATick() async {
    let pauses = [(15, 17), (18, 22), (33, 34), (35, 52)]
    let skipped = await ticks(.skip, tickEndsAt: 65, pauses: pauses, until: 71)
    // 30 and 60 passed outside the pauses.
    #expect(skipped == [SeenTick(1, at: 70, missed: 2)])
    let burst = await ticks(.burst, tickEndsAt: 65, pauses: pauses, until: 71)
    #expect(
      burst == [
        SeenTick(1, at: 65, late: 35), SeenTick(2, at: 65, late: 5), SeenTick(3, at: 70),
      ]
    )
  }

  @Test(
    "A pause that begins within a tick and outlasts it leaves out its own deadlines only",
    arguments: [MissedTicks.skip, .burst]
  )
  func beyondATick(policy: MissedTicks) async {
    // 20 passed before the pause; 30 to 50 fell into it.
    let ticks = await ticks(policy, tickEndsAt: 45, pauses: [(22, 58)], until: 71)
    #expect(
      ticks
        == (policy == .skip
          ? [SeenTick(1, at: 60, missed: 1), SeenTick(2, at: 70)]
          : [SeenTick(1, at: 58, late: 38), SeenTick(2, at: 60), SeenTick(3, at: 70)])
    )
  }

  @Test(
    "Deadlines in a pause while a due tick waits for its actor are neither counted nor delivered",
    arguments: [MissedTicks.skip, .burst]
  )
  func beforeADelayedTick(policy: MissedTicks) async {
    let (worker, ticks) = (Worker(), Inbox<SeenTick>())
    worker.executor.open()
    let token = await worker.start(policy, clock, ticks)
    await clock.waitForSleepers(atLeast: 1)
    worker.executor.hold()
    clock.jump(by: .seconds(10))
    await worker.executor.waitForJobs(1)
    clock.jump(by: .seconds(12))
    let pause = token.pause()
    clock.jump(by: .seconds(16))
    pause.cancel()
    clock.jump(by: .seconds(7))
    worker.executor.open()
    // 10, 20 and 40 passed, and 30 fell into the pause.
    let expected =
      policy == .skip
      ? [SeenTick(0, at: 45, missed: 2, late: 5)]
      : [
        SeenTick(0, at: 45, late: 35), SeenTick(1, at: 45, late: 25), SeenTick(2, at: 45, late: 5),
      ]
    #expect(await ticks.first(expected.count) == expected)
    token.cancel()
    await token.waitUntilFinished()
    #expect(ticks.entries == expected)
  }

  /// Runs a timer with an interval of ten, whose first tick begins at ten.
  ///
  /// - Parameters:
  ///   - policy: The policy for missed deadlines.
  ///   - end: The end of the first tick.
  ///   - pauses: The beginnings and ends of pauses, after ten.
  ///   - limit: The end of the test.
  /// - Returns: The ticks after the first one.
  private func ticks(
    _ policy: MissedTicks,
    tickEndsAt end: Int,
    pauses: [(from: Int, to: Int)],
    until limit: Int
  ) async -> [SeenTick] {
    let clock = ManualClock()
    let ticks = Log<SeenTick>()
    let token = every(.seconds(10), missed: policy, clock: clock) { tick in
      ticks.append(SeenTick(tick, clock))
      if tick.index == 0 { try? await clock.sleep(until: .second(end)) }
    }
    await clock.advance(to: .second(10))
    for pause in pauses {
      await clock.advance(to: .second(pause.from))
      let held = token.pause()
      await clock.advance(to: .second(pause.to))
      held.cancel()
    }
    await clock.advance(to: .second(limit))
    token.cancel()
    return Array(ticks.entries.dropFirst())
  }
}

/// An actor whose jobs wait until its executor is opened.
private actor Worker {
  nonisolated let executor = HeldExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
  }

  func start(_ policy: MissedTicks, _ clock: ManualClock, _ ticks: Inbox<SeenTick>) -> Token {
    every(.seconds(10), owner: self, missed: policy, clock: clock) { (_: isolated Worker, tick) in
      ticks.append(SeenTick(tick, clock))
    }
  }
}
