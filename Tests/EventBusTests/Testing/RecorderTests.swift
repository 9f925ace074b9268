import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Recorders", .timeLimit(.minutes(5)))
struct RecorderTests {
  @Test("A recorder records every later event of the bus, in order, with or without observers")
  func everyEvent() {
    let bus = EventBus()
    bus.post(.number, 0)
    let recorder = EventRecorder(bus)
    let token = bus.observe(.text) { [unowned bus] _ in bus.post(.nothing) }
    bus.post(.number, 1)
    bus.post(.text, "two")
    #expect(recorder.events.map(\.name) == ["sample.number", "sample.text", "sample.nothing"])
    #expect(recorder.events.first?.payload as? Int == 1)
    withExtendedLifetime(token) {}
  }

  @Test("A recorder does not count as having handled an event")
  func doNotCount() {
    let bus = EventBus()
    let recorder = EventRecorder(bus)
    #expect(bus.post(.number, 1) == 0)
    #expect(recorder.events.count == 1)
  }

  @Test("next() returns the first event not yet taken and waits for one if necessary")
  func next() async {
    let bus = EventBus()
    let recorder = EventRecorder(bus)
    bus.post(.number, 1)
    #expect(await recorder.next()?.payload as? Int == 1)
    let waiting = Task { await recorder.next()?.payload as? Int }
    await rest()
    bus.post(.number, 2)
    #expect(await waiting.value == 2)
    #expect(recorder.events.count == 2)
  }

  @Test("A task cancelled while it waits receives nil")
  func cancelled() async {
    let recorder = EventRecorder(EventBus())
    let waiting = Task { await recorder.next()?.name }
    await rest()
    waiting.cancel()
    #expect(await waiting.value == nil)
  }

  @Test("A recorder does not retain its bus, whose recorded events next() returns before nil")
  func afterTheEndOfTheBus() async {
    var bus: EventBus? = EventBus()
    weak let watched = bus
    let recorder = bus.map { EventRecorder($0) }
    bus?.post(.number, 1)
    bus = nil
    #expect(watched == nil)
    #expect(await recorder?.next()?.payload as? Int == 1)
    #expect(await recorder?.next() == nil)
    #expect(recorder?.events.count == 1)
    withExtendedLifetime(bus) {}
  }

  @Test("A recorder records until it is released")
  func untilItDies() {
    let bus = EventBus()
    let name = EventName<Tally.Probe>("sample.probe on a tape")
    let tally = Tally()
    var recorder: EventRecorder? = EventRecorder(bus)
    bus.post(name, tally.probe())
    #expect(tally.live == 1)
    withExtendedLifetime(recorder) {}
    recorder = nil
    #expect(tally.live == 0)
    bus.post(name, tally.probe())
    #expect(tally.live == 0)
    withExtendedLifetime(recorder) {}
  }

  @Test("Payloads are those of the events with the same name and payload type, oldest first")
  func payloads() {
    let bus = EventBus()
    let recorder = EventRecorder(bus)
    let other = EventName<String>("sample.number")
    bus.post(.number, 1)
    bus.post(other, "one")
    bus.post(.text, "two")
    bus.post(.nothing)
    bus.post(EventName<Int>("sample.number"), 2)
    bus.post(.nothing)
    #expect(recorder.payloads(of: .number) == [1, 2])
    #expect(recorder.payloads(of: other) == ["one"])
    #expect(recorder.payloads(of: .nothing).count == 2)
  }

  @Test("next() with a deadline returns a recorded event at once, even without any time")
  func recordedBeforeTheDeadline() async {
    let bus = EventBus()
    let recorder = EventRecorder(bus)
    bus.post(.number, 1)
    #expect(await recorder.next(within: .zero, clock: ManualClock())?.payload as? Int == 1)
    #expect(await recorder.next(within: .zero, clock: ManualClock()) == nil)
  }

  @Test(
    "next() returns nil at its deadline and not before, and leaves later events to the next call"
  )
  func tooLate() async {
    let (bus, clock) = (EventBus(), ManualClock())
    let recorder = EventRecorder(bus)
    let waiting = Task { await recorder.next(within: .seconds(1), clock: clock)?.name }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .milliseconds(999))
    await rest()
    #expect(clock.sleeperCount == 1)
    clock.jump(by: .milliseconds(1))
    #expect(await waiting.value == nil)
    bus.post(.number, 1)
    #expect(await recorder.next()?.payload as? Int == 1)
  }

  @Test("No event is lost that occurs at the deadline")
  func atTheDeadline() async {
    for number in 0..<50 {
      let (bus, clock) = (EventBus(), ManualClock())
      let recorder = EventRecorder(bus)
      let waiting = Task { await recorder.next(within: .seconds(1), clock: clock)?.payload as? Int }
      await clock.waitForSleepers(atLeast: 1)
      async let moving: Void = clock.jump(by: .seconds(1))
      bus.post(.number, number)
      await moving
      let first = await waiting.value
      let second = await recorder.next(within: .zero, clock: clock)?.payload as? Int
      #expect([first, second].compactMap(\.self) == [number])
    }
  }

  @Test("next() with a deadline returns nil when its task is cancelled or the bus dies")
  func endsEarly() async {
    let (bus, clock) = (Holder(EventBus()), ManualClock())
    guard let recorder = bus.value.map({ EventRecorder($0) }) else { return }
    let waiting = Task { await recorder.next(within: .seconds(1), clock: clock)?.name }
    await clock.waitForSleepers(atLeast: 1)
    waiting.cancel()
    #expect(await waiting.value == nil)
    let other = Task { await recorder.next(within: .seconds(1), clock: clock)?.name }
    await clock.waitForSleepers(atLeast: 1)
    bus.letGo()
    #expect(await other.value == nil)
  }

  @Test("wait(for:count:) counts earlier events and returns the first payloads")
  func wait() async throws {
    let (bus, clock) = (EventBus(), ManualClock())
    let recorder = EventRecorder(bus)
    bus.post(.number, 1)
    bus.post(.text, "text")
    #expect(try await recorder.wait(for: .number, within: .zero, clock: clock) == [1])
    let waiting = Task {
      try await recorder.wait(for: .number, count: 3, within: .seconds(1), clock: clock)
    }
    await clock.waitForSleepers(atLeast: 1)
    for value in 2...4 { bus.post(.number, value) }
    #expect(try await waiting.value == [1, 2, 3])
    #expect(bus.snapshot().observations.count == 1)
    #expect(await recorder.next()?.payload as? Int == 1)
  }

  @Test("wait(for:count:) throws at its deadline, and the error names what is missing")
  func waitTooLong() async {
    let (bus, clock) = (EventBus(), ManualClock())
    let recorder = EventRecorder(bus)
    bus.post(.number, 1)
    let waiting = Task {
      try await recorder.wait(for: .number, count: 2, within: .seconds(1), clock: clock)
    }
    let line = UInt(#line - 2)
    await clock.waitForSleepers(atLeast: 1)
    bus.post(.text, "text")
    clock.jump(by: .seconds(1))
    let error = await #expect(throws: EventRecorder.WaitError.self) { try await waiting.value }
    #expect(error?.code == .timedOut)
    #expect(error?.name == "sample.number")
    #expect(error?.recorded == 1)
    #expect(error?.expected == 2)
    #expect(error?.site == SourceSite(fileID: #fileID, line: line))
    #expect(error?.limit == .seconds(1))
    #expect(
      "\(error, default: "")".hasSuffix(
        ": Timed out after 1.0 seconds waiting for 2 \"sample.number\" events: recorded 1."
          + " Post earlier, or pass a longer limit."
      )
    )
  }

  @Test("wait(for:count:) throws at once when the bus dies, and when its task is cancelled")
  func waitEndsEarly() async {
    let (bus, clock) = (Holder(EventBus()), ManualClock())
    guard let recorder = bus.value.map({ EventRecorder($0) }) else { return }
    let cancelled = Task {
      try await recorder.wait(for: .number, within: .seconds(1), clock: clock)
    }
    await clock.waitForSleepers(atLeast: 1)
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let waiting = Task {
      try await recorder.wait(for: .number, within: .seconds(1), clock: clock)
    }
    await clock.waitForSleepers(atLeast: 1)
    bus.letGo()
    let error = await #expect(throws: EventRecorder.WaitError.self) { try await waiting.value }
    #expect(error?.code == .busReleased)
    await #expect(throws: EventRecorder.WaitError.self) {
      try await recorder.wait(for: .number, within: .seconds(1), clock: clock)
    }
  }

  @Test("An event of a post that began before the wait ends the wait")
  func runningPost() async throws {
    let (bus, clock) = (EventBus(), ManualClock())
    let recorder = EventRecorder(bus)
    let (began, mayEnd) = (ManualLatch(), ManualLatch())
    let token = bus.observe(.number, priority: .high) { _ in
      began.open()
      mayEnd.block()
    }
    async let posted: Void = onThreads(1) { _ in bus.post(.number, 1) }
    await began.wait()
    async let numbers = recorder.wait(for: .number, within: .seconds(1), clock: clock)
    await clock.waitForSleepers(atLeast: 1)
    mayEnd.open()
    #expect(try await numbers == [1])
    await posted
    withExtendedLifetime(token) {}
  }

  @Test("The longest time to wait does not overflow, on any clock")
  func longestWait() async throws {
    let longest = Duration(attoseconds: .max)
    let bus = EventBus()
    let recorder = EventRecorder(bus)
    let clock = ManualClock()
    clock.jump(by: .seconds(1))
    for clock in [ContinuousClock(), SuspendingClock(), clock] as [any Clock<Duration>] {
      let next = Task { await recorder.next(within: longest, clock: clock)?.payload as? Int }
      let wait = Task { try await recorder.wait(for: .text, within: longest, clock: clock) }
      // Now both are asleep.
      await rest()
      bus.post(.number, 1)
      #expect(await next.value == 1, "\(clock)")
      bus.post(.text, "a")
      #expect(try await wait.value == ["a"], "\(clock)")
      _ = await recorder.next()
    }
  }

  @Test("A wait of centuries ends when they have passed, and not before")
  func centuries() async {
    let year = Duration.seconds(365 * 24 * 60 * 60)
    let (bus, clock) = (EventBus(), ManualClock())
    let recorder = EventRecorder(bus)
    let ended = Counter()
    let waiting = Task {
      defer { ended.add() }
      return await recorder.next(within: year * 1_000, clock: clock)?.name
    }
    for _ in 0..<9 {
      await clock.waitForSleepers(atLeast: 1)
      await clock.advance(by: year * 100)
    }
    await clock.waitForSleepers(atLeast: 1)
    #expect(ended.value == 0)
    clock.jump(by: year * 100)
    #expect(await waiting.value == nil)
    withExtendedLifetime(bus) {}
  }
}
