import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Isolation of timer handlers", .timeLimit(.minutes(5)))
struct TimerIsolationTests {
  private let clock = ManualClock()

  private actor Gauge {
    private(set) var read: [Int] = []
    private var token: Token?

    /// Written on the actor, isolated to it by its use of `self`.
    func start(_ clock: ManualClock) {
      token = every(.seconds(1), clock: clock) { tick in
        self.assertIsolated()
        self.read.append(tick.index)
        await Task.yield()
        self.assertIsolated()
      }
    }

    func stop() { token = nil }
  }

  @Test("Timers due again before their calls end give way to other work of their actor")
  @MainActor
  func overload() async {
    let calls = Counter()
    let tokens = (0..<3).map { _ in
      every(.nanoseconds(1), missed: .burst) { _ in
        MainActor.assertIsolated()
        calls.add()
      }
    }
    // Each round is a turn of the actor.
    await until(calls.value >= 1_000)
    for token in tokens { token.cancel() }
  }

  @Test("A handler written on an actor runs there")
  func anActor() async {
    let gauge = Gauge()
    await gauge.start(clock)
    await clock.advance(by: .seconds(3))
    #expect(await gauge.read == [0, 1, 2])
    await gauge.stop()
  }

  @Test("A handler isolated to an actor runs there, wherever the timer was created")
  func actorOwner() async {
    let tank = Tank()
    every(.seconds(1), owner: tank, clock: clock) { (tank: isolated Tank, tick) in
      tank.assertIsolated()
      tank.levels.append(tick.index)
      await Task.yield()
      tank.assertIsolated()
    }
    after(.seconds(2), owner: tank, clock: clock) { (tank: isolated Tank, _) in
      tank.assertIsolated()
      tank.levels.append(-1)
    }
    await clock.advance(by: .seconds(2))
    // Due together, in the order of deadlines and then of registration.
    #expect(await tank.levels == [0, 1, -1])
  }

  @Test("A handler isolated to a global actor runs there")
  func globalActor() async {
    let calls = Log<Int>()
    let token = every(.seconds(1), clock: clock) { @SampleActor tick in
      SampleActor.assertIsolated()
      calls.append(tick.index)
    }
    await clock.advance(by: .seconds(2))
    #expect(calls.entries == [0, 1])
    withExtendedLifetime(token) {}
  }

  @Test("A handler written in nonisolated code runs on no actor")
  func nonisolated() async {
    let isolations = Log<String>()
    let token = every(.seconds(1), clock: clock) { _ in
      isolations.append("\(String(describing: #isolation))")
    }
    await clock.advance(by: .seconds(1))
    #expect(isolations.entries == ["nil"])
    withExtendedLifetime(token) {}
  }

  @Test("A thousand timers due at once are called by deadline, whatever their tolerances")
  @MainActor
  func manyDueAtOnce() async {
    let calls = Log<Int>()
    var numbers = SampleNumbers(seed: 5)
    var timers: [(second: Int, number: Int, token: Token)] = []
    for number in 0..<1_000 {
      let second = 1 + numbers.next(below: 20)
      let tolerance = Duration.seconds(numbers.next(below: 9))
      let token = after(.seconds(second), tolerance: tolerance, clock: clock) { @MainActor _ in
        calls.append(number)
      }
      timers.append((second, number, token))
    }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(40))
    await clock.waitUntilSettled()
    timers.sort { ($0.second, $0.number) < ($1.second, $1.number) }
    #expect(calls.entries == timers.map(\.number))
  }

  @Test("The owner of a main-actor timer is released on the main actor", arguments: [false, true])
  @MainActor
  func lastReference(withAnotherClock: Bool) async {
    let (began, mayLeave, died) = (Inbox<Int>(), ManualLatch(), Inbox<Int>())
    var panel: Panel? = Panel {
      MainActor.preconditionIsolated()
      died.append(1)
    }
    let body: @MainActor @Sendable (Panel, Tick) async -> Void = { _, tick in
      began.append(tick.index)
      await mayLeave.wait()
    }
    if let panel, withAnotherClock {
      every(.seconds(1), owner: panel, clock: ValueClock(base: clock), body)
    } else if let panel {
      every(.seconds(1), owner: panel, clock: clock, body)
    }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(1))
    _ = await began.first(1)
    panel = nil
    #expect(died.entries.isEmpty)
    mayLeave.open()
    #expect(await died.first(1) == [1])
  }
}

/// Owns timers that run on it.
private actor Tank {
  var levels: [Int] = []
}
