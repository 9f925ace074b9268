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
    await until(clocks.liveCount == 0)
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

  @Test("Timers with different intervals share a sleeper and tick in order, without drift")
  @MainActor
  func manyIntervals() async {
    let clock = ManualClock()
    let calls = Inbox<Int>()
    let tokens = [7, 3, 1_000_000_007, 5].map { interval in
      every(.seconds(interval), missed: .burst, clock: clock) { @MainActor _ in
        calls.append(interval)
      }
    }
    await clock.waitForSleepers(atLeast: 1)
    var expected: [Int] = []
    for second in 1...70 {
      let due = [3, 5, 7].filter { second.isMultiple(of: $0) }
      // Those that are due together are called in the order of registration.
      expected += [7, 3, 5].filter(due.contains)
      clock.jump(by: .seconds(1))
      #expect(await calls.first(expected.count) == expected)
      await clock.waitForSleepers(atLeast: 1)
      #expect(clock.sleeperCount == 1)
    }
    withExtendedLifetime(tokens) {}
  }

  @Test("A delay of 292 billion years is a delay like any other")
  func longDelays() async {
    let clock = ManualClock()
    let ticks = Log<String>()
    let tokens = [
      every(.seconds(Int64.max), tolerance: .seconds(Int64.max), clock: clock) {
        ticks.append("every \($0.index), \($0.missed) missed")
      },
      after(.seconds(Int64.max), clock: clock) { ticks.append("after \($0.index)") },
    ]
    for expected in [[], ["after 0", "every 0, 0 missed"], ["every 1, 0 missed"]] {
      await clock.waitUntilSettled()
      #expect(ticks.take().sorted() == expected)
      clock.jump(by: .seconds(Int64.max))
    }
    withExtendedLifetime(tokens) {}
  }

  @Test("The longest delay, interval and tolerance do not overflow, on any clock")
  func longestDelays() async {
    let manual = ManualClock()
    // Some trillion years later.
    manual.jump(by: Duration(attoseconds: .max) - .seconds(60))
    let calls = Inbox<Int>()
    let tokens =
      longest(on: ContinuousClock(), calls) + longest(on: SuspendingClock(), calls)
      + longest(on: manual, calls) + longest(on: ValueClock(base: ManualClock()), calls)
    let soon = [
      after(.milliseconds(1)) { _ in calls.append(1) },
      after(.milliseconds(1), clock: SuspendingClock()) { _ in calls.append(2) },
      after(.seconds(1), clock: manual) { _ in calls.append(3) },
    ]
    await manual.advance(by: .seconds(1))
    #expect(Set(await calls.first(3)) == [1, 2, 3])
    withExtendedLifetime((tokens, soon)) {}
  }

  @Test("A manual clock passes the longest delay in one step")
  func longestDelayInOneStep() async {
    let clock = ManualClock()
    let calls = Counter()
    let token = after(.seconds(Int64.max), clock: clock) { _ in calls.add() }
    await clock.advance(by: .seconds(Int64.max) - .seconds(1))
    #expect(calls.value == 0)
    await clock.advance(by: .seconds(1))
    #expect(calls.value == 1)
    withExtendedLifetime(token) {}
  }

  /// Starts timers that never tick, with the longest times that there are.
  private func longest<C: Clock<Duration>>(on clock: C, _ calls: Inbox<Int>) -> [Token] {
    [.seconds(Int64.max), Duration(attoseconds: .max)].flatMap { time in
      [
        every(time, tolerance: time, clock: clock) { _ in calls.append(-1) },
        after(time, tolerance: time, clock: clock) { _ in calls.append(-2) },
      ]
    }
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
    // Together at 12 and at 24; at 30 there is no neighbor; at 40 the strict one is too far away.
    let expected = [
      "patient 12", "strict 12", "patient 24", "strict 24", "patient 30", "strict 36",
      "patient 40", "strict 48",
    ]
    // Those that wake up together run side by side.
    #expect(calls.entries.sorted() == expected.sorted())
    withExtendedLifetime((strict, patient)) {}
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
