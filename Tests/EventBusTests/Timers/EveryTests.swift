import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("every(_:)", .timeLimit(.minutes(5)))
struct EveryTests {
  private let clock = ManualClock()

  @Test("The first tick comes one interval after the call, the others one interval apart")
  func firstTick() async {
    let ticks = Log<SeenTick>()
    await clock.advance(by: .seconds(5))
    let token = every(.seconds(10), clock: clock) { [clock] tick in
      ticks.append(SeenTick(tick, clock))
    }
    await clock.advance(by: .seconds(9))
    #expect(ticks.entries.isEmpty)
    await clock.advance(by: .seconds(1))
    #expect(ticks.entries == [SeenTick(0, at: 15)])
    await clock.advance(by: .seconds(25))
    #expect(ticks.entries == [SeenTick(0, at: 15), SeenTick(1, at: 25), SeenTick(2, at: 35)])
    withExtendedLifetime(token) {}
  }

  @Test("A timer's ticks never overlap")
  func neverOverlaps() async {
    let (began, mayLeave, running) = (Inbox<Int>(), ManualLatch(), Counter())
    let token = every(.seconds(1), missed: .burst, clock: clock) { tick in
      #expect(running.add() == 1)
      began.append(tick.index)
      await mayLeave.wait()
      running.add(-1)
    }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(1))
    _ = await began.first(1)
    clock.jump(by: .seconds(3))
    #expect(began.entries == [0])
    mayLeave.open()
    await clock.waitUntilSettled()
    #expect(began.entries == [0, 1, 2, 3])
    withExtendedLifetime(token) {}
  }

  @Test("A suspended handler delays no other timer", arguments: [false, true])
  func suspendedHandler(onMainActor: Bool) async {
    let (mayLeave, calls, ended) = (ManualLatch(), Inbox<Int>(), Inbox<Int>())
    var tokens: [Token] = []
    for number in 0..<100 {
      if onMainActor {
        tokens.append(
          every(.seconds(1), clock: clock) { @MainActor _ in
            calls.append(number)
            if number.isMultiple(of: 3) { await mayLeave.wait() }
            ended.append(number)
          }
        )
      } else {
        tokens.append(
          every(.seconds(1), clock: clock) { _ in
            calls.append(number)
            if number.isMultiple(of: 3) { await mayLeave.wait() }
            ended.append(number)
          }
        )
      }
    }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(1))
    _ = await calls.first(100)
    let begun = await calls.first(100)
    #expect(onMainActor ? begun == Array(0..<100) : Set(begun) == Set(0..<100))
    _ = await ended.first(66)
    #expect(ended.entries.allSatisfy { !$0.isMultiple(of: 3) })
    mayLeave.open()
    await clock.waitUntilSettled()
    #expect(ended.entries.count == 100)
    withExtendedLifetime(tokens) {}
  }

  @Test("A handler that cancels its own task cancels no other handler's task")
  func cancelledTask() async {
    let cancelled = Log<Int>()
    let calls = Log<Int>()
    var tokens: [Token] = []
    for number in 0..<10 {
      tokens.append(
        every(.seconds(1), clock: clock) { @MainActor _ in
          if Task.isCancelled { cancelled.append(number) }
          calls.append(number)
          unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }  // Reason: within the call.
        }
      )
    }
    await clock.advance(by: .seconds(2))
    #expect(calls.entries == Array(0..<10) + Array(0..<10))
    #expect(cancelled.entries.isEmpty)
    withExtendedLifetime(tokens) {}
  }

  @Test("A handler may create and end timers")
  func reentrancy() async {
    let calls = Log<String>()
    let tokens = Holder<[Token]>([])
    let outer = every(.seconds(1), clock: clock) { [clock] tick in
      calls.append("outer \(tick.index)")
      // Due between two calls of the outer one: at one moment they would run side by side.
      let inner = every(.milliseconds(1_500), clock: clock) { _ in calls.append("inner") }
      for token in tokens.value ?? [] { token.cancel() }
      tokens.hold([inner])
    }
    await clock.advance(by: .seconds(3))
    #expect(calls.entries == ["outer 0", "outer 1", "outer 2"])
    outer.cancel()
    await clock.advance(by: .milliseconds(1_500))
    #expect(calls.entries.last == "inner")
    tokens.letGo()
    #expect(clock.sleeperCount == 0)
  }

  @Test("every compiles with the clock left out and with another standard clock")
  func standardClocks() {
    let owner = PlainOwner()
    every(.seconds(120), owner: owner) { owner, _ in owner.log.append(1) }
    every(.seconds(120), owner: owner, clock: SuspendingClock()) { owner, _ in
      owner.log.append(1)
    }
    let token = every(.seconds(120)) { _ in }
    let other = after(.seconds(120), tolerance: .seconds(1)) { _ in }
    #expect(token.isActive && other.isActive)
  }
}
