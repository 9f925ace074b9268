import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("The clocks of timers", .timeLimit(.minutes(5)))
struct TimerClockTests {
  @Test("All timers of one clock share one sleeper, and without timers there is none")
  func oneSleeper() async {
    let clock = ManualClock()
    var tokens = (1...100).map { every(.seconds($0), clock: clock) { _ in } }
    await clock.waitUntilSettled()
    #expect(clock.sleeperCount == 1)
    await clock.advance(by: .seconds(10))
    #expect(clock.sleeperCount == 1)
    withExtendedLifetime(tokens) {}
    tokens.removeAll()
    await clock.waitUntilSettled()
    #expect(clock.sleeperCount == 0)
  }

  @Test("A timer due before all others moves the sleeper's deadline forward")
  func earlier() async {
    let clock = ManualClock()
    let calls = Log<Int>()
    let tokens = [30, 10, 20, 5].map { delay in
      after(.seconds(delay), clock: clock) { _ in calls.append(delay) }
    }
    await clock.advance(by: .seconds(30))
    #expect(calls.entries == [5, 10, 20, 30])
    withExtendedLifetime(tokens) {}
  }

  @Test("A clock object is released with the last of its timers and their tokens")
  func clockIsFreed() async {
    let clocks = WeakList<ManualClock>()
    let holder = Holder(ManualClock())
    let tokens = Holder<[Token]>()
    if let clock = holder.value {
      clocks.append(clock)
      tokens.hold((0..<10).map { _ in every(.seconds(1), clock: clock) { _ in } })
      await clock.waitUntilSettled()
    }
    holder.letGo()
    #expect(clocks.liveCount == 1)
    tokens.letGo()
    // The sleeper may be on its way out.
    for _ in 0..<10_000 {
      guard clocks.liveCount > 0 else { break }
      await Task.yield()
    }
    #expect(clocks.liveCount == 0)
  }

  @Test("A clock that wakes its sleepers early makes no tick before its deadline")
  func earlyClock() async {
    let base = ManualClock()
    let ticks = Inbox<SeenTick>()
    let token = every(.seconds(10), clock: EarlyClock(base: base)) { tick in
      ticks.append(SeenTick(tick, base))
    }
    for second in [9, 10, 19, 20] {
      await base.waitForSleepers(atLeast: 1)
      base.jump(by: .seconds(second) - base.now.offset)
    }
    #expect(await ticks.first(2) == [SeenTick(0, at: 10), SeenTick(1, at: 20)])
    withExtendedLifetime(token) {}
  }

  @Test("A clock that wakes its sleepers early makes no call of after before its time")
  func earlyCall() async {
    let base = ManualClock()
    let ticks = Inbox<SeenTick>()
    let token = after(.seconds(10), clock: EarlyClock(base: base)) { tick in
      ticks.append(SeenTick(tick, base))
    }
    for second in [9, 10] {
      await base.waitForSleepers(atLeast: 1)
      base.jump(by: .seconds(second) - base.now.offset)
    }
    #expect(await ticks.first(1) == [SeenTick(0, at: 10)])
    withExtendedLifetime(token) {}
  }

  @Test("A clock that is a value has one sleeper per timer")
  func valueClock() async {
    let base = ManualClock()
    let calls = Inbox<Int>()
    let tokens = (0..<3).map { number in
      every(.seconds(1), clock: ValueClock(base: base)) { _ in calls.append(number) }
    }
    await base.waitForSleepers(atLeast: 3)
    #expect(base.sleeperCount == 3)
    base.jump(by: .seconds(1))
    #expect(Set(await calls.first(3)) == [0, 1, 2])
    withExtendedLifetime(tokens) {}
  }

  @Test("Any duration type works, without a measured lateness")
  func frames() async {
    let clock = FrameClock()
    let ticks = Inbox<Tick>()
    let token = every(FrameClock.Frames(count: 3), clock: clock) { tick in ticks.append(tick) }
    await clock.base.waitForSleepers(atLeast: 1)
    clock.base.jump(by: .seconds(10))
    let tick = await ticks.first(1).first
    #expect(tick?.missed == 2)
    #expect(tick?.lateness == nil)
    await clock.base.waitForSleepers(atLeast: 1)
    clock.base.jump(by: .seconds(2))
    #expect(await ticks.first(2).last?.missed == 0)
    withExtendedLifetime(token) {}
  }

  @Test("Timers of any duration type share a sleeper and tick in order, without drift")
  @MainActor
  func manyFrames() async {
    let clock = FrameClock()
    let calls = Inbox<Int>()
    let tokens = [7, 3, 1_000_000_007, 5].map { interval in
      every(FrameClock.Frames(count: interval), missed: .burst, clock: clock) { @MainActor _ in
        calls.append(interval)
      }
    }
    await clock.base.waitForSleepers(atLeast: 1)
    var expected: [Int] = []
    for second in 1...70 {
      let due = [3, 5, 7].filter { second.isMultiple(of: $0) }
      // Those that are due together are called in the order of registration.
      expected += [7, 3, 5].filter(due.contains)
      clock.base.jump(by: .seconds(1))
      #expect(await calls.first(expected.count) == expected)
      await clock.base.waitForSleepers(atLeast: 1)
      #expect(clock.base.sleeperCount == 1)
    }
    withExtendedLifetime(tokens) {}
  }

  @Test("A deadline past the range of its clock's durations never comes")
  func endOfFrames() async {
    let clock = FrameClock()
    clock.base.jump(by: .seconds(5))
    let ticks = Inbox<Int>()
    let token = every(FrameClock.Frames(count: 1 << 61), clock: clock) { ticks.append($0.index) }
    let last = after(FrameClock.Frames(count: .max), clock: clock) { _ in ticks.append(-1) }
    for index in 0..<3 {
      await clock.base.waitForSleepers(atLeast: 1)
      clock.base.jump(by: .seconds(1 << 61))
      #expect(await ticks.first(index + 1).last == index)
    }
    await clock.base.waitForSleepers(atLeast: 1)
    clock.base.jump(by: .seconds((1 << 61) - 10))
    let soon = after(FrameClock.Frames(count: 1), clock: clock) { _ in ticks.append(-2) }
    await clock.base.waitForSleepers(atLeast: 1)
    clock.base.jump(by: .seconds(1))
    #expect(await ticks.first(4).last == -2)
    withExtendedLifetime((token, last, soon)) {}
  }

  @Test("Timers tick up to the last time that their clock can represent, and wait there")
  func endOfClock() async {
    let clock = FrameClock(at: .max - 10)
    let ticks = Inbox<Int>()
    let tokens = [
      every(FrameClock.Frames(count: 3), tolerance: FrameClock.Frames(count: 9), clock: clock) {
        ticks.append($0.index)
      },
      after(FrameClock.Frames(count: .max), tolerance: FrameClock.Frames(count: .max), clock: clock)
      {
        _ in ticks.append(-1)
      },
    ]
    for index in 0..<3 {
      await clock.base.waitForSleepers(atLeast: 1)
      clock.base.jump(by: .seconds(3))
      #expect(await ticks.first(index + 1).last == index)
    }
    let last = after(FrameClock.Frames(count: 1), clock: clock) { _ in ticks.append(-2) }
    await clock.base.waitForSleepers(atLeast: 1)
    clock.base.jump(by: .seconds(1))
    #expect(await ticks.first(4) == [0, 1, 2, -2])
    withExtendedLifetime((tokens, last)) {}
  }

  @Test("The longest duration of a clock is a delay like any other", arguments: [0, 1_000, .min])
  func longestDelay(start: Int) async {
    let clock = FrameClock(at: start)
    let ticks = Inbox<Int>()
    let longest = after(FrameClock.Frames(count: .max), clock: clock) { ticks.append($0.index) }
    await clock.base.waitForSleepers(atLeast: 1)
    let reached = start > 0 ? Int.max - start : .max
    clock.base.jump(by: .seconds(reached))
    let now = after(.zero, clock: clock) { _ in ticks.append(1) }
    let isReached = reached == .max
    #expect(await ticks.first(isReached ? 2 : 1) == (isReached ? [0, 1] : [1]))
    withExtendedLifetime((longest, now)) {}
  }

  @Test(
    "An interval below the precision of a clock's first timer is as short as that",
    arguments: [MissedTicks.skip, .burst, .delay]
  )
  func shorterThanTheUnit(policy: MissedTicks) async {
    let clock = FractionClock()
    let ticks = Inbox<Int>()
    // The unit becomes almost a nanosecond.
    let first = after(Fraction(4e9), clock: clock) { _ in }
    let second = every(Fraction(1e-10), missed: policy, clock: clock) { ticks.append($0.index) }
    for index in 0..<3 {
      clock.base.jump(by: .nanoseconds(1))
      #expect(await ticks.first(index + 1).prefix(index + 1).last == index)
    }
    second.cancel()
    withExtendedLifetime(first) {}
  }

  @Test("A clock whose times are rounded wakes up for each deadline once")
  func fractions() async {
    let clock = FractionClock()
    let ticks = Inbox<Tick>()
    let token = every(Fraction(0.1), clock: clock) { tick in ticks.append(tick) }
    for index in 0..<200 {
      await clock.base.waitForSleepers(atLeast: 1)
      clock.base.jump(by: .milliseconds(100))
      let tick = await ticks.first(index + 1).last
      #expect((tick?.index, tick?.missed) == (index, 0))
      #expect(tick?.lateness == nil)
    }
    withExtendedLifetime(token) {}
  }

  @Test("A single call after no time works on a clock that knows no duration but zero")
  func zeroFractions() async {
    let clock = FractionClock()
    let ticks = Inbox<Tick>()
    let first = after(.zero, clock: clock) { tick in ticks.append(tick) }
    #expect(await ticks.first(1).first?.index == 0)
    let second = after(Fraction(2), clock: clock) { tick in ticks.append(tick) }
    await clock.base.waitForSleepers(atLeast: 1)
    clock.base.jump(by: .seconds(2))
    #expect(await ticks.first(2).count == 2)
    withExtendedLifetime((first, second)) {}
  }

  @Test("Timers within each other's tolerance wake up together")
  func tolerance() async {
    let clock = ManualClock()
    let calls = Log<String>()
    let strict = every(.seconds(12), clock: clock) { [clock] _ in
      calls.append("strict \(clock.now.offset.components.seconds)")
    }
    let patient = every(.seconds(10), tolerance: .seconds(5), clock: clock) { [clock] _ in
      calls.append("patient \(clock.now.offset.components.seconds)")
    }
    await clock.advance(by: .seconds(48))
    // Together at 12 and at 24; at 30 there is no neighbour; at 40 the strict one is too far away.
    let expected = [
      "patient 12", "strict 12", "patient 24", "strict 24", "patient 30", "strict 36",
      "patient 40", "strict 48",
    ]
    // Those that wake up together run side by side.
    #expect(calls.entries.sorted() == expected.sorted())
    withExtendedLifetime((strict, patient)) {}
  }

  @Test("A timer without a neighbour within its tolerance ticks on time")
  func aloneInTime() async {
    let clock = ManualClock()
    let ticks = Log<SeenTick>()
    let token = every(.seconds(10), tolerance: .seconds(9), clock: clock) { [clock] tick in
      ticks.append(SeenTick(tick, clock))
    }
    await clock.advance(by: .seconds(20))
    #expect(ticks.entries == [SeenTick(0, at: 10), SeenTick(1, at: 20)])
    withExtendedLifetime(token) {}
  }

  @Test("The system clocks accept an interval of centuries")
  func centuries() async {
    let tokens = [
      every(.seconds(Int64.max)) { _ in Issue.record("That was quick.") },
      after(.seconds(Int64.max), clock: SuspendingClock()) { _ in Issue.record("So was that.") },
    ]
    let soon = Inbox<Int>()
    let first = after(.milliseconds(1)) { _ in soon.append(1) }
    let second = after(.milliseconds(1), clock: SuspendingClock()) { _ in soon.append(2) }
    #expect(Set(await soon.first(2)) == [1, 2])
    withExtendedLifetime((tokens, first, second)) {}
  }

  @Test("On the continuous clock ticks come in order, none before its deadline")
  func realClock() async {
    let ticks = Inbox<(index: Int, missed: Int, time: Duration)>()
    let start = ContinuousClock.now
    let token = every(.milliseconds(2)) { tick in
      ticks.append((tick.index, tick.missed, ContinuousClock.now - start))
    }
    let seen = await ticks.first(20)
    #expect(seen.map(\.index) == Array(0..<20))
    var number = 0
    for tick in seen {
      number += 1 + tick.missed
      #expect(tick.time >= .milliseconds(2 * number))
    }
    token.cancel()
    await token.waitUntilFinished()
  }
}
