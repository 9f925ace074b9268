import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Missed ticks", .timeLimit(.minutes(5)))
struct MissedTicksTests {
  private let clock = ManualClock()

  @Test(
    "After a tick that spans three deadlines, the policy skips, catches up or reschedules",
    arguments: [
      (
        MissedTicks.skip,
        [SeenTick(0, at: 10), SeenTick(1, at: 50, missed: 3), SeenTick(2, at: 60)]
      ),
      (
        .burst,
        [
          SeenTick(0, at: 10), SeenTick(1, at: 45, late: 25), SeenTick(2, at: 45, late: 15),
          SeenTick(3, at: 45, late: 5), SeenTick(4, at: 50), SeenTick(5, at: 60),
        ]
      ),
      (.delay, [SeenTick(0, at: 10), SeenTick(1, at: 55), SeenTick(2, at: 65)]),
    ]
  )
  func longTick(policy: MissedTicks, expected: [SeenTick]) async {
    let ticks = Log<SeenTick>()
    let token = every(.seconds(10), missed: policy, clock: clock) { [clock] tick in
      ticks.append(SeenTick(tick, clock))
      if tick.index == 0 { try? await clock.sleep(until: .second(45)) }
    }
    await clock.advance(by: .seconds(67))
    #expect(ticks.entries == expected)
    withExtendedLifetime(token) {}
  }

  @Test(
    "After sleeping through three deadlines there is one late tick, three, or a new schedule",
    arguments: [
      (MissedTicks.skip, [SeenTick(0, at: 35, missed: 2, late: 5), SeenTick(1, at: 40)]),
      (
        .burst,
        [
          SeenTick(0, at: 35, late: 25), SeenTick(1, at: 35, late: 15),
          SeenTick(2, at: 35, late: 5), SeenTick(3, at: 40),
        ]
      ),
      (.delay, [SeenTick(0, at: 35, late: 25), SeenTick(1, at: 45)]),
    ]
  )
  func sleptThrough(policy: MissedTicks, expected: [SeenTick]) async {
    let ticks = Log<SeenTick>()
    let token = every(.seconds(10), missed: policy, clock: clock) { [clock] tick in
      ticks.append(SeenTick(tick, clock))
    }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(35))
    await clock.waitUntilSettled()
    await clock.advance(by: .seconds(12))
    #expect(ticks.entries == expected)
    withExtendedLifetime(token) {}
  }
}
