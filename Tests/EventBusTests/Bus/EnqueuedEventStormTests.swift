import EventBus
import TestSupport
import Testing

/// Threads and tasks that enqueue at one place while their events are delivered.
///
/// Written to be run under ThreadSanitizer.
@Suite("Enqueued events under stress", .timeLimit(.minutes(5)))
struct EnqueuedEventStormTests {
  private static let probe = EventName<Tally.Probe>("storm.probe")
  private static let fence = EventName<ManualLatch>("storm.fence")

  /// Enqueues an event without an isolation; all calls are at one source site.
  private static func enqueue<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    coalescing: Coalescing = .none,
    on bus: EventBus
  ) {
    bus.enqueue(name, payload, coalescing: coalescing)
  }

  /// Returns how often the producer changes from one number to the next.
  private static func changes(in heard: [Int], of producers: Int) -> Int {
    zip(heard, heard.dropFirst()).count { $0 % producers != $1 % producers }
  }

  @Test("Events that threads enqueue at one place arrive once, in each thread's order")
  func threads() async {
    let (bus, inbox, threads) = (EventBus(), Inbox<Int>(), 2)
    let least = rounds(200_000, debug: 10_000, sanitized: 8_000)
    let enqueued = [Counter(), Counter()]
    let token = bus.observe(.number) { inbox.append($0) }
    await onThreads(threads) { thread in
      // Neither stops before the other has done its part, so they always overlap.
      while enqueued.contains(where: { $0.value < least }) {
        let value = enqueued[thread].add() - 1
        Self.enqueue(.number, value * threads + thread, on: bus)
        if value % 64 == 0 || value > least { yieldThread() }  // Reason: others overlap.
      }
    }
    let counts = enqueued.map(\.value)
    let heard = await inbox.first(counts[0] + counts[1])
    for thread in 0..<threads {
      let own = heard.filter { $0 % threads == thread }
      #expect(own == (0..<counts[thread]).map { $0 * threads + thread })
    }
    #expect(Self.changes(in: heard, of: threads) > 100)
    #expect(inbox.entries.count == counts[0] + counts[1])
    withExtendedLifetime(token) {}
  }

  @Test("Events that tasks enqueue at one place arrive once, in each task's order")
  func tasks() async {
    let (bus, inbox, tasks) = (EventBus(), Inbox<Int>(), 4)
    let count = rounds(50_000, debug: 5_000, sanitized: 3_000)
    let (arrived, areThere) = (Counter(), ManualLatch())
    let token = bus.observe(.number) { inbox.append($0) }
    await withDiscardingTaskGroup { group in
      for task in 0..<tasks {
        group.addTask {
          if arrived.add() == tasks { areThere.open() }
          await areThere.wait()
          for index in 0..<count {
            Self.enqueue(.number, index * tasks + task, on: bus)
            if index % 100 == 0 { await Task.yield() }  // Reason: others overlap.
          }
        }
      }
    }
    let heard = await inbox.first(tasks * count)
    for task in 0..<tasks {
      #expect(heard.filter { $0 % tasks == task } == (0..<count).map { $0 * tasks + task })
    }
    #expect(Self.changes(in: heard, of: tasks) > tasks)
    #expect(inbox.entries.count == tasks * count)
    withExtendedLifetime(token) {}
  }

  @Test("Every payload is delivered once and freed while a thread adds and a turn takes")
  func payloads() async {
    let (bus, tally, called) = (EventBus(), Tally(), Counter())
    let count = rounds(200_000, debug: 10_000, sanitized: 5_000)
    let token = bus.observe(Self.probe) { probe in
      probe.touch()
      called.add()
    }
    await onThreads(2) { _ in
      for _ in 0..<count { Self.enqueue(Self.probe, tally.probe(), on: bus) }
    }
    await until(tally.live == 0)
    #expect((called.value, tally.created, tally.freed) == (2 * count, 2 * count, 2 * count))
    withExtendedLifetime(token) {}
  }

  @Test("Events that replace others keep each thread's order, and all payloads are freed")
  func replacing() async {
    let (bus, inbox, tally) = (EventBus(), Inbox<Int>(), Tally())
    let (count, threads) = (rounds(20_000, debug: 2_000, sanitized: 1_000), 3)
    let name = EventName<(Int, Tally.Probe)>("storm.replaced")
    let token = bus.observe(name) { value, probe in
      probe.touch()
      inbox.append(value)
    }
    await onThreads(threads) { thread in
      for index in 0..<count {
        let payload = (index * threads + thread, tally.probe())
        let coalescing = thread == 0 && index % 10 == 9 ? Coalescing.name : .none
        Self.enqueue(name, payload, coalescing: coalescing, on: bus)
      }
    }
    await until(tally.live == 0)
    let heard = inbox.entries
    for thread in 0..<threads {
      let own = heard.filter { $0 % threads == thread }
      #expect(zip(own, own.dropFirst()).allSatisfy { $0 < $1 })
    }
    // Only thread 0 replaces events, so its last one stays.
    #expect(heard.contains((count - 1) * threads))
    #expect(tally.created == threads * count)
    withExtendedLifetime(token) {}
  }

  @Test("Hooks added and removed while a thread enqueues neither lose nor reorder its events")
  func hooks() async {
    let (bus, inbox, enqueued, mayStop) = (EventBus(), Inbox<Int>(), Counter(), ManualLatch())
    let tokens = [
      bus.observe(.number) { inbox.append($0) },
      bus.observe(Self.fence) { $0.open() },
    ]
    /// Blocks the thread until everything enqueued so far has been delivered.
    let fence: @Sendable () -> Void = {
      let isDelivered = ManualLatch()
      bus.enqueue(Self.fence, isDelivered)
      isDelivered.block()
    }
    await onThreads(2) { thread in
      if thread == 0 {
        while !mayStop.isOpen {
          for _ in 0..<500 { Self.enqueue(.number, enqueued.add() - 1, on: bus) }
          fence()
        }
        return
      }
      for _ in 0..<rounds(200, debug: 35, sanitized: 20) {
        let (traced, isTraced) = (Counter(), ManualLatch())
        let hooks = bus.addHooks(
          EventHooks(onTrace: { _ in if traced.add() == 20 { isTraced.open() } })
        )
        isTraced.block()
        hooks.cancel()
        fence()
      }
      mayStop.open()
    }
    let count = enqueued.value
    #expect(await inbox.first(count) == Array(0..<count))
    withExtendedLifetime(tokens) {}
  }
}
