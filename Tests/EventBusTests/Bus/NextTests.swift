import EventBus
import TestSupport
import Testing

@Suite("Waiting for the next event", .timeLimit(.minutes(5)))
struct NextTests {
  /// Returns once there is an observer, and suspends until then.
  private func untilObserved(_ bus: EventBus) async {
    let signal = bus.signal(.number)
    while signal.observerCount == 0, !Task.isCancelled { await Task.yield() }
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
    while bus.signal(.nothing).observerCount == 0, !Task.isCancelled { await Task.yield() }
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
    while signal?.observerCount == 0, !Task.isCancelled { await Task.yield() }
    weak let watched = bus.value
    bus.letGo()
    #expect(watched == nil)
    // If it does keep it, the test fails here, and does not hang.
    if watched != nil { waiting.cancel() }
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test("An already cancelled task does not wait")
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
    while bus.signal(.number).observerCount < 10, !Task.isCancelled { await Task.yield() }
    #expect(bus.post(.number, 7) == 10)
    for task in waiting { #expect(try await task.value == 7) }
  }
}
