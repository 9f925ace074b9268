import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("after(_:)", .timeLimit(.minutes(5)))
struct AfterTests {
  private let clock = ManualClock()

  @Test("after calls once, then the timer has ended and its handler is freed")
  func once() async {
    let (ticks, tally) = (Log<SeenTick>(), Tally())
    let token = after(.seconds(10), clock: clock) { [clock, probe = tally.probe()] tick in
      probe.touch()
      ticks.append(SeenTick(tick, clock))
    }
    #expect(token.isActive)
    await clock.advance(by: .seconds(50))
    #expect(ticks.entries == [SeenTick(0, at: 10)])
    #expect(!token.isActive)
    #expect(tally.live == 0)
    #expect(clock.sleeperCount == 0)
  }

  @Test("The timer ends before its call, which continues when the token is dropped")
  func endsBeforeTheCall() async {
    let tokens = Holder<Token>()
    let states = Log<Bool?>()
    tokens.hold(
      after(.seconds(1), clock: clock) { _ in
        states.append(tokens.value?.isActive)
        tokens.letGo()
        await Task.yield()
        states.append(nil)
      }
    )
    await clock.advance(by: .seconds(1))
    #expect(states.entries == [false, nil])
  }

  @Test("A delay of zero calls in the next turn")
  @MainActor
  func zero() async {
    let calls = Log<Int>()
    let token = after(.zero, clock: clock) { tick in calls.append(tick.index) }
    #expect(calls.entries.isEmpty)
    await clock.waitUntilSettled()
    #expect(calls.entries == [0])
    withExtendedLifetime(token) {}
  }

  @Test("A timer with an owner calls if the owner lives, and frees its handler otherwise")
  func owners() async {
    let tally = Tally()
    let (living, dying) = (PlainOwner(), Holder(PlainOwner()))
    after(.seconds(1), owner: living, clock: clock) { owner, tick in
      owner.log.append(tick.index)
    }
    if let owner = dying.value {
      after(.seconds(1), owner: owner, clock: clock) { [probe = tally.probe()] _, _ in
        probe.touch()
        Issue.record("The owner is dead.")
      }
    }
    dying.letGo()
    await clock.advance(by: .seconds(1))
    #expect(living.log.entries == [0])
    #expect(tally.live == 0)
  }

  @Test("A thread that runs no task frees the handler when it cancels a timer")
  func cancelledOutsideTasks() async {
    let (tally, clock) = (Tally(), ManualClock())
    let tokens = (0..<10).map { _ in
      after(.seconds(1), clock: clock) { [probe = tally.probe()] _ in probe.touch() }
    }
    await onThreads(1) { _ in for token in tokens { token.cancel() } }
    #expect((tally.created, tally.live) == (10, 0))
    await clock.waitUntilSettled()
    #expect(clock.sleeperCount == 0)
  }

  @Test(
    "Single calls and their cancels from two threads free each handler once, and the sleeper ends"
  )
  func race() async {
    let (tally, clock) = (Tally(), ManualClock())
    let calls = Counter()
    let tokens = (0..<2_000).map { index in
      after(.milliseconds(1 + index % 20), clock: clock) { [probe = tally.probe()] _ in
        probe.touch()
        calls.add()
        if index.isMultiple(of: 5) { await Task.yield() }
      }
    }
    await onThreads(3) { thread in
      if thread == 2 {
        for _ in 0..<20 { clock.jump(by: .milliseconds(1)) }
      } else {
        for token in tokens.reversed() where token.isActive { token.cancel() }
      }
    }
    await clock.waitUntilSettled()
    #expect((tally.created, tally.live) == (2_000, 0))
    #expect(calls.value <= 2_000)
    #expect(clock.sleeperCount == 0)
  }

  @Test("A timer that restarts itself at its end is called each time")
  @MainActor
  func chain() async {
    let chain = Chain(clock)
    chain.next()
    await clock.advance(by: .seconds(10))
    #expect(chain.times == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  }

  @MainActor
  private final class Chain {
    private let clock: ManualClock
    private(set) var times: [Int64] = []

    init(_ clock: ManualClock) { self.clock = clock }

    func next() {
      after(.seconds(1), owner: self, clock: clock) { chain, _ in
        chain.times.append(chain.clock.now.offset.components.seconds)
        chain.next()
      }
    }
  }
}
