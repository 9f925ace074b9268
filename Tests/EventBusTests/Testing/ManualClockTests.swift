import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Manual clock", .timeLimit(.minutes(5)))
struct ManualClockTests {
  private let clock = ManualClock()

  @Test("The time of a manual clock changes only when it is advanced")
  func now() async {
    #expect(clock.now == .second(0))
    await clock.advance(by: .seconds(3))
    #expect(clock.now == .second(3))
    clock.jump(by: .milliseconds(500))
    #expect(clock.now.offset == .milliseconds(3_500))
    await clock.advance(to: .second(2))
    #expect(clock.now.offset == .milliseconds(3_500))
    #expect(clock.minimumResolution == .zero)
  }

  @Test("Tasks sleep until their deadlines, and waitForSleepers(atLeast:) returns once they sleep")
  func sleepers() async throws {
    let woken = Inbox<Int>()
    let clock = clock
    for seconds in [3, 1, 2] {
      Task {
        try await clock.sleep(for: .seconds(seconds))
        woken.append(seconds)
      }
    }
    await clock.waitForSleepers(atLeast: 3)
    #expect(clock.sleeperCount == 3)
    await clock.advance(by: .seconds(1))
    #expect(await woken.first(1) == [1])
    #expect(clock.sleeperCount == 2)
    await clock.advance(by: .seconds(1))
    #expect(await woken.first(2) == [1, 2])
    clock.jump(by: .seconds(100))
    #expect(await woken.first(3) == [1, 2, 3])
  }

  @Test("Sleeping until a past deadline returns at once")
  func passed() async throws {
    await clock.advance(by: .seconds(1))
    try await clock.sleep(until: .second(1))
    try await clock.sleep(until: .second(0))
  }

  @Test("A cancelled sleeper wakes at once with an error")
  func cancelled() async {
    let clock = clock
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeperCount == 0)
    let late = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }  // Reason: within the call.
      try await clock.sleep(until: .second(-1))
    }
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test("A wait for more tasks than sleep ends at its limit, and the error contains their number")
  func sleepersInTime() async throws {
    let clock = clock
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    try await clock.waitForSleepers(atLeast: 1, within: .seconds(600))
    let error = await #expect(throws: ManualClock.TimeoutError.self) {
      try await clock.waitForSleepers(atLeast: 3, within: .milliseconds(1))
    }
    #expect(error?.sleeperCount == 1)
    #expect(error?.awaitedCount == 3)
    #expect(
      error?.description
        == "Timed out after 0.001 seconds: expected 3 tasks to sleep on the manual clock (at 0.0 seconds),"
        + " found 1. All timers of a clock count as one task."
    )
    try await clock.advance(by: .seconds(1), within: .seconds(600))
    try await task.value
  }

  @Test("A wait whose condition already holds succeeds with a limit of zero")
  func withinNoTime() async throws {
    let clock = clock
    for _ in 0..<100 {
      try await clock.waitUntilSettled(within: .zero)
      try await clock.waitForSleepers(atLeast: 0, within: .zero)
      let task = Task { try await clock.sleep(for: .seconds(1)) }
      await clock.waitForSleepers(atLeast: 1)
      try await clock.waitForSleepers(atLeast: 1, within: .zero)
      await #expect(throws: ManualClock.TimeoutError.self) {
        try await clock.waitForSleepers(atLeast: 2, within: .zero)
      }
      await clock.advance(by: .seconds(1))
      try await task.value
    }
  }

  @Test("Waits for a tick that does not end have a limit; the error counts the unfinished ticks")
  func ticksInTime() async throws {
    let (clock, mayLeave) = (clock, ManualLatch())
    let token = every(.seconds(1), clock: clock) { _ in await mayLeave.wait() }
    let error = await #expect(throws: ManualClock.TimeoutError.self) {
      try await clock.advance(by: .seconds(5), within: .milliseconds(20))
    }
    #expect(error?.now == .second(1))
    #expect(error?.unfinishedTickCount == 1)
    #expect(
      error?.description
        == "Timed out after 0.02 seconds: 1 tick has not ended on the manual clock (at 1.0 seconds), where"
        + " 0 tasks sleep. If a handler waits for a later step of the test, move the clock with jump(by:)."
    )
    await #expect(throws: ManualClock.TimeoutError.self) {
      try await clock.waitUntilSettled(within: .milliseconds(1))
    }
    mayLeave.open()
    try await clock.waitUntilSettled(within: .seconds(600))
    #expect(clock.now == .second(1))
    withExtendedLifetime(token) {}
  }

  @Test("Waits with a limit end at once with an error when their task is cancelled")
  func limitedWaitCancelled() async {
    let clock = clock
    let task = Task { try await clock.waitForSleepers(atLeast: 1, within: .seconds(600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("Cancelled tasks stop waiting for sleepers")
  func waiterCancelled() async {
    let clock = clock
    let task = Task { await clock.waitForSleepers(atLeast: 1) }
    task.cancel()
    await task.value
  }

  @Test("Advancing stops at every deadline on the way, including those added on the way")
  func stepByStep() async {
    let calls = Log<String>()
    let clock = clock
    let second: @Sendable () -> Int64 = { clock.now.offset.components.seconds }
    let owner = PlainOwner()
    every(.seconds(2), owner: owner, clock: clock) { owner, tick in
      calls.append("a\(second())")
      after(.seconds(1), owner: owner, clock: clock) { _, _ in calls.append("b\(second())") }
    }
    await clock.advance(by: .seconds(6))
    #expect(calls.entries == ["a2", "b3", "a4", "b5", "a6"])
    #expect(clock.now == .second(6))
  }

  @Test("When advancing returns, the ticks have finished, including actor hops and suspensions")
  func ticksHaveRun() async {
    let relay = Relay()
    let token = every(.seconds(1), clock: clock) { _ in
      for _ in 0..<20 {
        await Task.yield()  // Reason: the tick suspends.
        await relay.pass()
      }
      await withTaskGroup { group in
        for _ in 0..<4 { group.addTask { await relay.pass() } }
      }
    }
    for round in 1...50 {
      await clock.advance(by: .seconds(1))
      #expect(await relay.count == 24 * round)
    }
    withExtendedLifetime(token) {}
  }

  @Test("Advancing does not wait for a tick whose child sleeps on the clock until the child wakes")
  func sleepingChild() async {
    let ended = Log<Int64>()
    let token = after(.seconds(1), clock: clock) { [clock] _ in
      await withTaskGroup { group in
        for seconds in [5, 9] {
          group.addTask { try? await clock.sleep(until: .second(seconds)) }
        }
      }
      ended.append(clock.now.offset.components.seconds)
    }
    await clock.advance(by: .seconds(8))
    #expect(ended.entries.isEmpty)
    await clock.advance(by: .seconds(8))
    #expect(ended.entries == [9])
    withExtendedLifetime(token) {}
  }

  @Test("A task started by a handler waits for every tick once the handler has returned")
  func outlivingTask() async {
    let (hasReturned, isInside, mayLeave) = (Latch(), Latch(), Latch())
    let (ended, tasks) = (Latch(), Inbox<Task<Void, Never>>())
    let slow = every(.seconds(10), clock: clock) { _ in
      isInside.open()
      await mayLeave.wait()
    }
    let starter = after(.seconds(1), clock: clock) { [clock] _ in
      tasks.append(
        Task {
          await hasReturned.wait()
          await clock.advance(by: .seconds(12))
          ended.open()
        }
      )
    }
    await clock.advance(by: .seconds(1))
    hasReturned.open()
    await isInside.wait()
    await rest()
    #expect(!ended.isOpen)
    mayLeave.open()
    await tasks.first(1).first?.value
    withExtendedLifetime((slow, starter)) {}
  }

  @Test("A tick may advance its own clock")
  func advanceInside() async {
    let calls = Log<String>()
    let outer = after(.seconds(1), clock: clock) { [clock] _ in
      let inner = after(.seconds(5), clock: clock) { _ in calls.append("inner") }
      await clock.advance(by: .seconds(5))
      calls.append("outer")
      withExtendedLifetime(inner) {}
    }
    await clock.advance(by: .seconds(1))
    #expect(calls.entries == ["inner", "outer"])
    #expect(clock.now == .second(6))
    withExtendedLifetime(outer) {}
  }

  @Test("Jumping wakes all sleepers late and waits for none")
  func jump() async {
    let mayLeave = ManualLatch()
    let ticks = Inbox<SeenTick>()
    let token = every(.seconds(1), clock: clock) { [clock] tick in
      ticks.append(SeenTick(tick, clock))
      await mayLeave.wait()
    }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(5))
    #expect(await ticks.first(1) == [SeenTick(0, at: 5, missed: 4)])
    mayLeave.open()
    await clock.waitUntilSettled()
    withExtendedLifetime(token) {}
  }

  @Test("Advancing returns early when its task is cancelled")
  func advanceCancelled() async {
    let (began, mayLeave) = (Inbox<Int>(), ManualLatch())
    let clock = clock
    let token = every(.seconds(1), clock: clock) { tick in
      began.append(tick.index)
      await mayLeave.wait()
    }
    let task = Task { await clock.advance(by: .seconds(10)) }
    _ = await began.first(1)
    task.cancel()
    await task.value
    #expect(clock.now == .second(1))
    mayLeave.open()
    token.cancel()
    await token.waitUntilFinished()
  }
}

private actor Relay {
  private(set) var count = 0

  func pass() { count += 1 }
}
