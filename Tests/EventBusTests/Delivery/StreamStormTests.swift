import EventBus
import TestSupport
import Testing

@Suite("Event streams under contention", .timeLimit(.minutes(5)))
struct StreamStormTests {
  private let count = size(4_000, full: 20_000)

  /// Takes numbers until there are no more for this task.
  private func take(_ stream: EventStream<Int>) async -> [Int] {
    var taken: [Int] = []
    for await value in stream { taken.append(value) }
    return taken
  }

  @Test("A task cancelled at any moment of a burst leaves the rest to the next task, in order")
  func cancelledInABurst() async {
    for round in 0..<size(rounds(200, debug: 50, sanitized: 50), full: 1_000) {
      let (bus, lifetime) = (EventBus(), Lifetime())
      let stream = bus.events(.number, until: lifetime)
      let first = Task { await take(stream) }
      if round.isMultiple(of: 2) { await Task.yield() }  // Reason: others overlap.
      let cancelled = ManualLatch()
      await onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<50 {
            bus.post(.number, value)
            if value == round % 50 { cancelled.open() }
          }
        } else {
          cancelled.block()
          first.cancel()
        }
      }
      let begun = await first.value
      lifetime.end()
      let rest = await take(stream)
      #expect(begun + rest == Array(0..<50))
    }
  }

  @Test("A task that waits repeatedly, cancelled each time, loses no event")
  func cancelledAgainAndAgain() async {
    let (bus, lifetime) = (EventBus(), Lifetime())
    let stream = bus.events(.number, until: lifetime)
    let posting = Task {
      await onThreads(1) { _ in
        for value in 0..<count {
          bus.post(.number, value)
          if value.isMultiple(of: 16) { yieldThread() }  // Reason: others overlap.
        }
      }
      lifetime.end()
    }
    var taken: [Int] = []
    while taken.last != count - 1, !Task.isCancelled {
      let turn = Task { await take(stream) }
      await Task.yield()  // Reason: others overlap.
      turn.cancel()
      taken += await turn.value
    }
    await posting.value
    #expect(taken == Array(0..<count))
  }

  @Test(
    "Tasks that share a stream receive each element once, and each task in order",
    arguments: [2, 3]
  )
  func shared(tasks: Int) async {
    let (bus, lifetime) = (EventBus(), Lifetime())
    let stream = bus.events(.number, until: lifetime)
    let taking = (0..<tasks).map { _ in Task { await take(stream) } }
    await onThreads(1) { _ in
      for value in 0..<count {
        bus.post(.number, value)
        if value.isMultiple(of: 16) { yieldThread() }  // Reason: others overlap.
      }
    }
    lifetime.end()
    var all: [Int] = []
    for task in taking {
      let taken = await task.value
      #expect(taken == taken.sorted())
      all += taken
    }
    #expect(all.sorted() == Array(0..<count))
  }

  @Test(
    "With a limit, taken and discarded events together are the posted events",
    arguments: [true, false]
  )
  func limited(keepsOldest: Bool) async {
    let (bus, lifetime) = (EventBus(), Lifetime())
    let stream = bus.events(
      .number,
      buffering: keepsOldest ? .bufferingOldest(4) : .bufferingNewest(4),
      until: lifetime
    )
    let taking = Task { await take(stream) }
    let posted = Log<Int>()
    await onThreads(1) { _ in
      var reached = 0
      for value in 0..<count {
        reached += bus.post(.number, value)
        if value.isMultiple(of: 16) { yieldThread() }  // Reason: others overlap.
      }
      posted.append(reached)
    }
    lifetime.end()
    let taken = await taking.value
    #expect(taken.count + stream.droppedCount == count)
    #expect(zip(taken, taken.dropFirst()).allSatisfy { $0 < $1 })
    #expect(posted.entries == [keepsOldest ? taken.count : count])
  }
}
