import EventBus
import TestSupport
import Testing

@Suite("Event streams in cancelled tasks", .timeLimit(.minutes(5)))
struct StreamCancellationTests {
  @Test("An already cancelled task receives nil, even if events are buffered")
  func before() async {
    let bus = EventBus()
    let stream = bus.events(.number)
    bus.post(.number, 1)
    let taking = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }  // Reason: used in place.
      var events = stream.makeAsyncIterator()
      return [await events.next(), await events.next()]
    }
    #expect(await taking.value == [nil, nil])
    var events = stream.makeAsyncIterator()
    #expect(await events.next() == 1)
  }

  @Test("A task cancelled while it waits receives nil, and its loop ends")
  func during() async {
    let bus = EventBus()
    let (isLive, inbox) = (ManualLatch(), Inbox<Int>())
    let looping = Task {
      let stream = bus.events(.number)
      isLive.open()
      for await value in stream { inbox.append(value) }
    }
    await isLive.wait()
    bus.post(.number, 1)
    _ = await inbox.first(1)
    await rest()
    looping.cancel()
    await looping.value
    #expect(inbox.entries == [1])
    #expect(bus.signal(.number).observerCount == 0)
    #expect(bus.post(.number, 2) == 0)
  }

  /// Waits for one event on the main actor and takes note of it.
  @MainActor
  private func waiting(
    _ number: Int,
    for stream: EventStream<Int>,
    _ inbox: Inbox<[Int?]>
  ) async -> Task<Void, Never> {
    let isWaiting = ManualLatch()
    let task = Task {
      var events = stream.makeAsyncIterator()
      // Runs on the caller's actor: when that continues, the task waits.
      isWaiting.open()
      let value = await events.next()
      inbox.append([number, value])
    }
    await isWaiting.wait()
    return task
  }

  @Test(
    "Cancelling one of several waiting tasks leaves the others served in order",
    arguments: [0, 1, 2]
  )
  @MainActor
  func oneOfSeveral(cancelled: Int) async {
    let bus = EventBus()
    let (stream, inbox) = (bus.events(.number), Inbox<[Int?]>())
    var tasks: [Task<Void, Never>] = []
    for number in 0..<3 { tasks.append(await waiting(number, for: stream, inbox)) }
    tasks[cancelled].cancel()
    await tasks[cancelled].value
    let rest = (0..<3).filter { $0 != cancelled }
    for number in rest {
      bus.post(.number, 10 + number)
      await tasks[number].value
    }
    #expect(inbox.entries == [[cancelled, nil]] + rest.map { [$0, 10 + $0] })
    bus.post(.number, 20)
    var events = stream.makeAsyncIterator()
    #expect(await events.next() == 20)
  }

  @Test("Tasks waiting from an actor are served in the order in which they asked")
  @MainActor
  func orderOfAsking() async {
    for _ in 0..<100 {
      let bus = EventBus()
      let (stream, inbox) = (bus.events(.number), Inbox<[Int?]>())
      for number in 0..<3 { _ = await waiting(number, for: stream, inbox) }
      for number in 0..<3 { bus.post(.number, number) }
      let pairs = await inbox.first(3)
      #expect(pairs.allSatisfy { $0[0] == $0[1] }, "\(pairs)")
    }
  }

  @Test("All waiting tasks receive the end")
  @MainActor
  func endForAll() async {
    let (bus, lifetime) = (EventBus(), Lifetime())
    let (stream, inbox) = (bus.events(.number, until: lifetime), Inbox<[Int?]>())
    var tasks: [Task<Void, Never>] = []
    for number in 0..<3 { tasks.append(await waiting(number, for: stream, inbox)) }
    lifetime.end()
    for task in tasks { await task.value }
    #expect(inbox.entries.count == 3)
    #expect(inbox.entries.allSatisfy { $0[1] == nil })
  }

  @Test("An event that arrives during a cancellation goes to that task or the next, never lost")
  func racing() async {
    for round in 0..<size(rounds(250, debug: 80, sanitized: 80), full: 1_000) {
      let bus = EventBus()
      let stream = bus.events(.number)
      let waiting = Task {
        var events = stream.makeAsyncIterator()
        return await events.next()
      }
      if round.isMultiple(of: 2) { await Task.yield() }  // Reason: others overlap.
      await onThreads(2) { thread in
        if thread == 0 { bus.post(.number, 1) } else { waiting.cancel() }
      }
      let first = await waiting.value
      bus.post(.number, 2)
      var events = stream.makeAsyncIterator()
      #expect(await events.next() == (first == nil ? 1 : 2))
    }
  }
}
