import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Cancelling and pausing timers", .timeLimit(.minutes(5)))
struct TimerCancellationTests {
  private let clock = ManualClock()

  @Test("A handler cancelled during a tick is freed after it, when waitUntilFinished() returns")
  func cancelledDuringATick() async {
    let (tally, began, mayLeave) = (Tally(), Inbox<Int>(), ManualLatch())
    let ended = Counter()
    let token = every(.seconds(1), clock: clock) { [probe = tally.probe()] tick in
      probe.touch()
      began.append(tick.index)
      await mayLeave.wait()
      #expect(!Task.isCancelled)
      ended.add()
    }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(1))
    _ = await began.first(1)
    token.cancel()
    #expect(!token.isActive)
    #expect(tally.live == 1)
    async let end: Void = token.waitUntilFinished()
    mayLeave.open()
    await end
    #expect(ended.value == 1)
    #expect(tally.live == 0)
    await clock.advance(by: .seconds(5))
    #expect(began.entries == [0])
    #expect(clock.sleeperCount == 0)
  }

  @Test("A handler whose ticks follow each other at once recognizes its own tick")
  func finishedInsideOverdueTicks() async {
    for round in 0..<rounds(2_000, debug: size(200, full: 1_000), sanitized: 50) {
      let tokens = Holder<Token>()
      let (isThere, hasEnded) = (ManualLatch(), ManualLatch())
      tokens.hold(
        every(.nanoseconds(1), missed: .burst) { tick in
          guard tick.index == 1 + round % 7 else { return }
          await isThere.wait()
          tokens.value?.cancel()
          await tokens.value?.waitUntilFinished()
          hasEnded.open()
        }
      )
      isThere.open()
      await hasEnded.wait()
      tokens.letGo()
    }
  }

  @Test("A due tick that has not begun when its timer is cancelled does not run")
  @MainActor
  func cancelledWhileDue() async {
    let calls = Log<Int>()
    let tokens = Holder<[Token]>([])
    tokens.hold(
      (0..<10).map { number in
        every(.seconds(1), clock: clock) { @MainActor _ in
          calls.append(number)
          for token in (tokens.value ?? []).dropFirst(number + 1) { token.cancel() }
        }
      }
    )
    await clock.advance(by: .seconds(1))
    #expect(calls.entries == [0])
    tokens.letGo()
  }

  @Test("During a pause no tick runs, and missed deadlines are dropped and not counted")
  func pause() async {
    let ticks = Log<SeenTick>()
    let token = every(.seconds(10), clock: clock) { [clock] tick in
      ticks.append(SeenTick(tick, clock))
    }
    await clock.advance(by: .seconds(10))
    let (first, second) = (token.pause(), token.pause())
    await clock.waitUntilSettled()
    // No sleeper wakes for a paused timer.
    #expect(clock.sleeperCount == 0)
    await clock.advance(by: .seconds(25))
    first.cancel()
    await clock.advance(by: .seconds(10))
    second.cancel()
    await clock.advance(by: .seconds(20))
    #expect(ticks.entries == [SeenTick(0, at: 10), SeenTick(1, at: 50), SeenTick(2, at: 60)])
    withExtendedLifetime(token) {}
  }

  @Test("A tick paused while it runs continues and is the last one until the pause ends")
  func pausedDuringATick() async {
    let (began, mayLeave) = (Inbox<SeenTick>(), ManualLatch())
    let token = every(.seconds(10), missed: .burst, clock: clock) { [clock] tick in
      began.append(SeenTick(tick, clock))
      await mayLeave.wait()
    }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(10))
    _ = await began.first(1)
    let pause = token.pause()
    clock.jump(by: .seconds(25))
    mayLeave.open()
    await clock.waitUntilSettled()
    #expect(clock.sleeperCount == 0)
    pause.cancel()
    await clock.advance(by: .seconds(5))
    #expect(began.entries == [SeenTick(0, at: 10), SeenTick(1, at: 40)])
    withExtendedLifetime(token) {}
  }

  @Test("A single call due during a pause is made when the pause ends")
  func pausedSingleCall() async {
    let calls = Log<SeenTick>()
    let token = after(.seconds(10), clock: clock) { [clock] tick in
      calls.append(SeenTick(tick, clock))
    }
    let pause = token.pause()
    await clock.advance(by: .seconds(30))
    #expect(calls.entries.isEmpty)
    pause.cancel()
    await clock.waitUntilSettled()
    #expect(calls.entries == [SeenTick(0, at: 30, late: 20)])
    withExtendedLifetime(token) {}
  }

  @Test("Under concurrent cancels and pauses every handler is freed once, and no sleeper remains")
  func storm() async {
    let (tally, calls) = (Tally(), Counter())
    let clock = clock
    let (isOver, count) = (ManualLatch(), size(300, full: 2_000))
    let driver = Task {
      while !isOver.isOpen {
        clock.jump(by: .milliseconds(1))
        await Task.yield()  // Reason: others overlap.
      }
    }
    await onThreads(3) { thread in
      var numbers = SampleNumbers(seed: thread)
      for _ in 0..<count {
        let token = every(.milliseconds(1 + numbers.next(below: 3)), clock: clock) {
          [probe = tally.probe()] _ in
          probe.touch()
          calls.add()
          if calls.value.isMultiple(of: 5) { await Task.yield() }
        }
        if numbers.next(below: 4) == 0 { yieldThread() }  // Reason: others overlap.
        if numbers.next(below: 4) == 0 { withExtendedLifetime(token.pause()) {} }
        token.cancel()
      }
    }
    isOver.open()
    await driver.value
    await clock.waitUntilSettled()
    #expect(tally.created == 3 * count)
    #expect(tally.live == 0)
    #expect(clock.sleeperCount == 0)
  }

  @Test("Two threads that cancel the same ticking timers free each handler once")
  func race() async {
    let (tally, clock) = (Tally(), clock)
    let tokens = (0..<2_000).map { _ in
      every(.milliseconds(1), clock: clock) { [probe = tally.probe()] _ in probe.touch() }
    }
    await onThreads(3) { thread in
      if thread == 2 {
        for _ in 0..<50 { clock.jump(by: .milliseconds(1)) }
      } else {
        for token in tokens { token.cancel() }
      }
    }
    await clock.waitUntilSettled()
    #expect((tally.created, tally.live) == (2_000, 0))
    #expect(clock.sleeperCount == 0)
  }
}
