import EventBus
import EventBusTesting
import TestSupport
import Testing

/// A handler of the signal runs on another thread all the time, as a slow one may.
@Suite("End of a stream during a running handler", .timeLimit(.minutes(5)))
struct PromptEndTests {
  /// Runs a handler on a thread during an operation.
  private func whileRunning(
    _ signal: Signal<Int>,
    _ operation: @escaping @Sendable () async -> Void
  ) async {
    let (isInside, mayLeave) = (ManualLatch(), ManualLatch())
    let token = signal.observe { value in
      guard value == -1 else { return }
      isInside.open()
      mayLeave.block()
    }
    async let sending: Void = onThreads(1) { _ in signal.send(-1) }
    await isInside.wait()
    // Where the end does not come, the test runs out of time, and is not to hang then.
    await withCancellationHandling {
      await operation()
    } onCancel: {
      mayLeave.open()
    }
    mayLeave.open()
    await sending
    withExtendedLifetime(token) {}
  }

  private static func isCancelled(_ wait: @Sendable () async throws -> Int?) async -> Bool {
    do {
      _ = try await wait()
      return false
    } catch {
      return error is CancellationError
    }
  }

  @Test(
    "A stream ends at once with its lifetime, before and while a consumer waits",
    arguments: [0, 1]
  )
  func lifetime(waits: Int) async {
    let bus = EventBus()
    let lifetime = Lifetime()
    let stream = bus.events(.number, until: lifetime)
    await whileRunning(bus.signal(.number)) {
      async let waiting = stream.reduce(into: 0) { count, _ in count += 1 }
      if waits == 1 { await rest() }
      lifetime.end()
      _ = await waiting
    }
  }

  @Test("A stream ends at once with its bus, before and while a consumer waits", arguments: [0, 1])
  func bus(waits: Int) async {
    let bus = Holder(EventBus())
    guard let signal = bus.value?.signal(.number), let stream = bus.value?.events(.number) else {
      return
    }
    await whileRunning(signal) {
      async let waiting = stream.reduce(into: 0) { count, _ in count += 1 }
      if waits == 1 { await rest() }
      bus.letGo()
      _ = await waiting
    }
  }

  @Test("A wait for the next event ends at once with its bus")
  func next() async {
    let bus = Holder(EventBus())
    guard let signal = bus.value?.signal(.number) else { return }
    await whileRunning(signal) {
      async let waiting = Self.isCancelled {
        try await bus.value?.next(.number, where: { $0 == 1 })
      }
      await rest()
      bus.letGo()
      let isCancelled = await waiting
      #expect(isCancelled)
    }
  }

  @Test("A stream delivers its buffered events before its end")
  func buffered() async {
    let bus = Holder(EventBus())
    guard let signal = bus.value?.signal(.number), let stream = bus.value?.events(.number) else {
      return
    }
    let heard = Log<Int>()
    for value in 1...3 { signal.send(value) }
    await whileRunning(signal) {
      bus.letGo()
      for await value in stream { heard.append(value) }
    }
    #expect(heard.entries == [1, 2, 3, -1])
  }

  @Test("A recorder's wait ends at once with its bus")
  func recorder() async {
    let bus = Holder(EventBus())
    guard let signal = bus.value?.signal(.number),
      let recorder = bus.value.map({ EventRecorder($0) })
    else { return }
    await whileRunning(signal) {
      _ = await recorder.next()
      async let waiting = recorder.next() == nil
      await rest()
      bus.letGo()
      let isOver = await waiting
      #expect(isOver)
      #expect(await recorder.next() == nil)
    }
  }
}
