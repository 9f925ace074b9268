import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Waiting for the next event", .timeLimit(.minutes(5)))
struct NextTests {
  /// Returns once there is an observer, and suspends until then.
  private func untilObserved(_ bus: EventBus) async {
    let signal = bus.signal(.number)
    await until(signal.observerCount > 0)
  }

  @Test("next() returns the first event after the call and removes its registration")
  func nextOne() async throws {
    let bus = EventBus()
    bus.post(.number, 0)
    let waiting = Task { try await bus.next(.number) }
    await untilObserved(bus)
    #expect(bus.post(.number, 1) == 1)
    #expect(bus.post(.number, 2) == 0)
    #expect(try await waiting.value == 1)
    #expect(bus.signal(.number).observerCount == 0)
  }

  @Test("next() with a predicate returns the first event that matches")
  func predicate() async throws {
    let bus = EventBus()
    let waiting = Task { try await bus.next(.number, where: { $0 > 2 }) }
    await untilObserved(bus)
    for value in 1...5 { bus.post(.number, value) }
    #expect(try await waiting.value == 3)
  }

  @Test("next() waits for an event without a payload")
  func voidPayload() async throws {
    let bus = EventBus()
    let waiting = Task { try await bus.next(.nothing) }
    await until(bus.signal(.nothing).observerCount > 0)
    bus.post(.nothing)
    try await waiting.value
  }

  @Test("Cancelling the task throws and removes the registration")
  func cancelled() async {
    let bus = EventBus()
    let waiting = Task { try await bus.next(.number) }
    await untilObserved(bus)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(bus.signal(.number).observerCount == 0)
  }

  @Test("next() does not retain its bus and throws if the bus dies first")
  func busDies() async {
    let bus = Holder(EventBus())
    let signal = bus.value?.signal(.number)
    let waiting = Task { try await bus.value?.next(.number) }
    await until(signal?.observerCount != 0)
    weak let watched = bus.value
    bus.letGo()
    #expect(watched == nil)
    // If it does keep it, the test fails here, and does not hang.
    if watched != nil { waiting.cancel() }
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test("next() throws at once in a task that was cancelled before")
  func cancelledBefore() async {
    let bus = EventBus()
    let waiting = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }  // Reason: used in place.
      return try await bus.next(.number)
    }
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(bus.signal(.number).observerCount == 0)
  }

  @Test("All waiting tasks receive the same event")
  func manyWait() async throws {
    let bus = EventBus()
    let waiting = (0..<10).map { _ in Task { try await bus.next(.number) } }
    await until(bus.signal(.number).observerCount >= 10)
    #expect(bus.post(.number, 7) == 10)
    for task in waiting { #expect(try await task.value == 7) }
  }

  @Test(
    "next() with a sender returns the first event of that sender that also matches the predicate"
  )
  func sender() async throws {
    let bus = EventBus()
    let (sender, other) = (SampleSender(), SampleSender())
    let waiting = Task { try await bus.next(.number, from: sender, where: { $0 > 1 }) }
    await untilObserved(bus)
    #expect(bus.post(.number, 2) == 0)
    #expect(bus.post(.number, 3, from: other) == 0)
    #expect(bus.post(.number, 1, from: sender) == 0)
    #expect(bus.post(.number, 4, from: sender) == 1)
    #expect(try await waiting.value == 4)
    #expect(bus.signal(.number).observerCount == 0)
  }

  @Test("next() does not retain the sender that it waits for")
  func senderDies() async {
    let bus = EventBus()
    let sender = Holder(SampleSender())
    let waiting = Task { try await bus.next(.number, from: sender.value) }
    await untilObserved(bus)
    // The call may still be on its way to the wait, with the sender.
    await rest()
    weak let watched = sender.value
    sender.letGo()
    #expect(watched == nil)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test("next() ignores recorded payloads")
  func replayed() async throws {
    let bus = EventBus()
    let name = EventName<Int>("sample.replayed to next", replay: 1)
    bus.post(name, 1)
    let waiting = Task { try await bus.next(name) }
    await until(bus.signal(name).observerCount > 0)
    bus.post(name, 2)
    #expect(try await waiting.value == 2)
  }

  @Test("next() of a signal and of its read-only value returns the next matching event")
  func signal() async throws {
    let signal = Signal<Int>()
    let (sender, readOnly) = (SampleSender(), signal.readOnly)
    let first = Task { try await signal.next(where: { $0 > 1 }) }
    let second = Task { try await readOnly.next(from: sender) }
    await until(signal.observerCount >= 2)
    signal.send(1)
    signal.send(2)
    signal.send(3, from: sender)
    #expect(try await first.value == 2)
    #expect(try await second.value == 3)
    #expect(signal.observerCount == 0)
  }

  @Test("next() does not retain its signal and throws if the signal dies first")
  func signalDies() async {
    let signal = Holder(Signal<Int>())
    let readOnly = signal.value?.readOnly
    let waiting = Task { try await signal.value?.next() }
    await until(readOnly?.observerCount != 0)
    weak let watched = signal.value
    signal.letGo()
    // The task releases it just after it has registered.
    await until(watched == nil)
    #expect(watched == nil)
    // If it does keep it, the test fails here, and does not hang.
    if watched != nil { waiting.cancel() }
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test("Cancelling the task ends the wait for a signal")
  func cancelledSignal() async {
    let signal = Signal<Int>()
    let waiting = Task { try await signal.readOnly.next() }
    await until(signal.observerCount > 0)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(signal.observerCount == 0)
  }

  @Test("A limited wait returns the event in time, and names the event and the limit otherwise")
  func limited() async throws {
    let (bus, clock) = (EventBus(), ManualClock())
    let inTime = Task { try await bus.next(.number, within: .seconds(5), clock: clock) }
    await untilObserved(bus)
    bus.post(.number, 1)
    #expect(try await inTime.value == 1)
    let signal = Signal<Int>(label: "pings")
    let late = [
      Task { try await bus.next(.number, where: { $0 > 1 }, within: .seconds(5), clock: clock) },
      Task { try await signal.next(within: .seconds(5), clock: clock) },
    ]
    await untilObserved(bus)
    await clock.waitForSleepers(atLeast: 2)
    bus.post(.number, 1)
    clock.jump(by: .seconds(5))
    for (wait, name) in zip(late, ["sample.number", "pings"]) {
      let error = await #expect(throws: EventBus.NextError.self) { try await wait.value }
      #expect(error?.name == name && error?.limit == .seconds(5))
      let text = "The event \"\(name)\" was not posted within 5.0 seconds"
      #expect(error?.description.contains(text) == true)
    }
    #expect(bus.signal(.number).observerCount == 0 && signal.observerCount == 0)
  }

  @Test("A limited wait ends with its task and with its bus, and keeps neither")
  func limitedEnds() async {
    let bus = Holder(EventBus())
    let signal = Holder(Signal<Int>())
    let cancelled = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }  // Reason: the running task.
      _ = try await bus.value?.next(.number, within: .seconds(500))
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let observed = bus.value?.signal(.number).readOnly
    let waits = [
      Task { try await bus.value?.next(.number, within: .seconds(500)) },
      Task { try await signal.value?.next(within: .seconds(500)) },
    ]
    await until(observed?.observerCount == 1 && signal.value?.observerCount == 1)
    // The calls may still be on their way to the wait.
    await rest()
    weak let watchedBus = bus.value
    weak let watchedSignal = signal.value
    bus.letGo()
    signal.letGo()
    #expect(watchedBus == nil && watchedSignal == nil)
    // If they are kept, the test fails here, and does not hang.
    for wait in waits where watchedBus != nil || watchedSignal != nil { wait.cancel() }
    for wait in waits {
      await #expect(throws: CancellationError.self) { try await wait.value }
    }
  }
}
