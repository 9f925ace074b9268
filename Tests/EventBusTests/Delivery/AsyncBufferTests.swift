import EventBus
import TestSupport
import Testing

@Suite("Buffers of asynchronous handlers", .timeLimit(.minutes(5)))
struct AsyncBufferTests {
  @Test("A buffer that keeps the oldest events discards later ones, which do not count as reached")
  func oldest() async {
    let result = await handled(.bufferingOldest(2), posts: 1...5, keeping: 2)
    #expect(result.reached == [1, 1, 0, 0, 0])
    #expect(result.handled == [0, 1, 2])
  }

  @Test("A buffer that keeps the newest events discards the oldest ones")
  func newest() async {
    let result = await handled(.bufferingNewest(2), posts: 1...5, keeping: 2)
    #expect(result.reached == [1, 1, 1, 1, 1])
    #expect(result.handled == [0, 4, 5])
  }

  @Test("Discarded events are freed at once, waiting events together with the registration")
  func discardedIsFreed() async {
    let bus = EventBus()
    let name = EventName<Tally.Probe>("sample.probe in a buffer")
    let tally = Tally()
    let (began, mayLeave) = (ManualLatch(), ManualLatch())
    let token = bus.observe(name, buffering: .bufferingNewest(1)) { _ in
      began.open()
      await mayLeave.wait()
    }
    bus.post(name, tally.probe())
    await began.wait()
    for _ in 0..<5 { bus.post(name, tally.probe()) }
    #expect(tally.created == 6)
    #expect(tally.live == 2)
    token.cancel()
    #expect(tally.live <= 2)
    mayLeave.open()
    await token.waitUntilFinished()
    await rest()
    #expect(tally.live == 0)
  }
}

/// Posts numbers after a zero that is being handled, and returns the handled numbers.
func handled(
  _ policy: AsyncStream<Int>.Continuation.BufferingPolicy,
  posts: ClosedRange<Int>,
  keeping count: Int
) async -> (reached: [Int], handled: [Int]) {
  let bus = EventBus()
  let (began, mayLeave, inbox) = (ManualLatch(), ManualLatch(), Inbox<Int>())
  let token = bus.observe(
    .number,
    buffering: policy,
    fileID: "Sample/Here.swift",
    line: 42
  ) { value in
    began.open()
    await mayLeave.wait()
    inbox.append(value)
  }
  bus.post(.number, 0)
  await began.wait()
  let reached = posts.map { bus.post(.number, $0) }
  mayLeave.open()
  _ = await inbox.first(1 + count)
  // After all other kept events.
  bus.post(.number, 99)
  let handled = await inbox.first(2 + count)
  withExtendedLifetime(token) {}
  return (reached, handled.last == 99 ? handled.dropLast() : handled)
}
