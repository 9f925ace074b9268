import EventBus
import TestSupport
import Testing

/// The number of times the handlers were entered, according to a snapshot.
@Suite("Delivered counts", .timeLimit(.minutes(5)))
struct DeliveredCountTests {
  /// Returns the delivered count of the registration written at a line.
  private func delivered(_ bus: EventBus, _ line: UInt) -> Int? {
    bus.snapshot().observations.first { $0.site.line == line }?.deliveredCount
  }

  @Test("An event missed by a registration both paused and excluded is subtracted once")
  func pausedAndExcluded() {
    let bus = EventBus()
    let token = bus.observe(.number, line: 1) { _ in }
    bus.post(.number, 0)
    let pause = token.pause()
    for value in 1...3 { bus.post(.number, value, excluding: token) }
    #expect(delivered(bus, 1) == 1)
    pause.cancel()
    bus.post(.number, 4, excluding: token)
    bus.post(.number, 5)
    #expect(delivered(bus, 1) == 2)
  }

  @Test("Snapshots stay correct when a handler cancels the registration its post excludes")
  func cancelledAndExcluded() {
    let bus = EventBus()
    let excluded = Holder<Token>()
    let first = bus.observe(.number, line: 1) { _ in excluded.value?.cancel() }
    for round in 1...100 {
      let token = bus.observe(.number, line: 2) { _ in }
      excluded.hold(token)
      bus.post(.number, round, excluding: token)
      // The freed memory may be the next registration's.
      let next = bus.observe(.number, line: 3) { _ in }
      #expect(delivered(bus, 3) == 0)
      #expect(delivered(bus, 2) == nil)
      withExtendedLifetime(next) {}
    }
    #expect(delivered(bus, 1) == 100)
    withExtendedLifetime(first) {}
  }

  @Test("Posts during a pause are not counted, for every kind of registration")
  func pauses() async {
    let bus = EventBus()
    let (plain, lived, sender) = (PlainOwner(), LivedOwner(), SampleSender())
    let heard = Inbox<Int>()
    let tokens = [
      bus.observe(.number, line: 1) { _ in },
      bus.observe(.number, owner: plain, line: 2) { _, _ in },
      bus.observe(.number, owner: lived, line: 3) { _, _ in },
      bus.observe(.number, where: { _ in true }, line: 4) { _ in },
      bus.observe(.number, from: sender, line: 5) { _ in },
      bus.observeAll(line: 6) { _ in },
      bus.observe(.number, priority: .low, line: 7) { value async in heard.append(value) },
    ]
    for _ in 0..<2 {
      bus.post(.number, 0, from: sender)
      let pauses = tokens.map { $0.pause() }
      let again = tokens.map { $0.pause() }
      for value in 1...5 { bus.post(.number, value, from: sender) }
      for pause in pauses + again { pause.cancel() }
      bus.post(.number, 6, from: sender)
    }
    _ = await heard.first(4)
    let counts = bus.snapshot().observations.map(\.deliveredCount)
    #expect(counts == Array(repeating: 4, count: 7))
    withExtendedLifetime((plain, lived, tokens)) {}
  }

  @Test("A registration paused from the start counts only the calls after the pause")
  func pausedAtOnce() {
    let bus = EventBus()
    let other = bus.observe(.number, line: 1) { _ in }
    bus.post(.number, 0)
    let token = bus.observe(.number, line: 2) { _ in }
    let pause = token.pause()
    for value in 1...10 { bus.post(.number, value) }
    #expect(delivered(bus, 2) == 0)
    pause.cancel()
    #expect(delivered(bus, 2) == 0)
    for value in 1...3 { bus.post(.number, value) }
    #expect(delivered(bus, 2) == 3)
    #expect(delivered(bus, 1) == 14)
    withExtendedLifetime(other) {}
  }

  @MainActor
  @Test("An event queued for an actor is counted once its handler is entered")
  func waitsForActor() {
    let bus = EventBus()
    let token = bus.observe(.number, line: 1) { _ in MainActor.assertIsolated() }
    blockedOnThread { for value in 1...3 { bus.post(.number, value) } }
    #expect(delivered(bus, 1) == 0)
    bus.post(.number, 4)
    #expect(delivered(bus, 1) == 4)
    withExtendedLifetime(token) {}
  }

  @Test("Events queued for or dropped by an asynchronous handler's buffer are not counted")
  func waitsInQueue() async {
    let bus = EventBus()
    let (began, mayLeave, heard) = (ManualLatch(), ManualLatch(), Inbox<Int>())
    let token = bus.observe(.number, buffering: .bufferingOldest(1), line: 1) { value in
      began.open()
      await mayLeave.wait()
      heard.append(value)
    }
    bus.post(.number, 1)
    await began.wait()
    for value in 2...4 { bus.post(.number, value) }
    #expect(delivered(bus, 1) == 1)
    mayLeave.open()
    #expect(await heard.first(2) == [1, 2])
    #expect(delivered(bus, 1) == 2)
    withExtendedLifetime(token) {}
  }

  @Test("An event refused by a full stream is dropped and not delivered; a discarded one is both")
  func streams() {
    let bus = EventBus()
    let oldest = bus.events(.number, buffering: .bufferingOldest(1), line: 1)
    let newest = bus.events(.number, buffering: .bufferingNewest(1), line: 2)
    for value in 1...4 { bus.post(.number, value) }
    let found = bus.snapshot().observations
    #expect(found.map(\.deliveredCount) == [1, 4])
    #expect(found.map(\.droppedCount) == [3, 3])
    withExtendedLifetime((oldest, newest)) {}
  }

  @Test("A handler registered inside a post is counted from the first post that calls it")
  func registeredInsidePosts() {
    let bus = EventBus()
    let (tokens, calls) = (TokenBag(), Counter())
    let outer = bus.observe(.number, line: 1) { [unowned bus] depth in
      if depth == 0 { return }
      if depth == 3 { bus.observe(.number, line: 2) { _ in calls.add() }.store(in: tokens) }
      bus.post(.number, depth - 1)
      bus.post(.number, 0)
    }
    bus.post(.number, 4)
    #expect(delivered(bus, 1) == 9)
    #expect(delivered(bus, 2) == calls.value)
    #expect(calls.value == 7)
    for _ in 1...5 { bus.post(.number, 0) }
    #expect(delivered(bus, 1) == 14)
    #expect(delivered(bus, 2) == 12)
    withExtendedLifetime(outer) {}
  }

  /// A registration of a storm, with its own count.
  private final class Entry: Sendable {
    let line: UInt
    let calls = Counter()

    init(_ line: UInt) { self.line = line }
  }

  @Test(
    "Handlers registered, paused and excluded during concurrent posts are counted exactly",
    arguments: 1...4
  )
  func storm(seed: Int) async {
    let bus = EventBus()
    let owner = PlainOwner()
    let (entries, tokens) = (Log<Entry>(), TokenBag())
    let running = Counter()
    running.add(2)
    await onThreads(3) { thread in
      var numbers = SampleNumbers(seed: 10 * seed + thread)
      guard thread == 0 else {
        for round in 0..<1_500 {
          bus.post(.number, round)
          if round.isMultiple(of: 8) { yieldThread() }
        }
        running.add(-1)
        return
      }
      var mine: [Token] = []
      while running.value > 0 {
        if mine.count < 60, numbers.next(below: 3) == 0 {
          let entry = Entry(UInt(mine.count + 1))
          entries.append(entry)
          let token =
            switch numbers.next(below: 8) {
            case 0:
              bus.observe(.number, owner: owner, line: entry.line) { _, _ in entry.calls.add() }
            case 1: bus.observeAll(line: entry.line) { _ in entry.calls.add() }
            case 2:
              bus.observe(.number, where: { _ in true }, line: entry.line) { _ in
                entry.calls.add()
              }
            case 3:
              bus.observe(.number, priority: .low, line: entry.line) { _ in entry.calls.add() }
            default: bus.observe(.number, line: entry.line) { _ in entry.calls.add() }
            }
          token.store(in: tokens)
          mine.append(token)
        }
        if mine.isEmpty { continue }
        let some = mine[numbers.next(below: mine.count)]
        let pause = some.pause()
        bus.observe(.number, line: 1_000) { _ in }.cancel()
        bus.post(.number, 0, excluding: mine[numbers.next(below: mine.count)])
        pause.cancel()
        if numbers.next(below: 4) == 0 { _ = bus.snapshot() }
      }
    }
    bus.post(.number, 0)
    let found = bus.snapshot().observations.map { ($0.site.line, $0.deliveredCount) }
    let counts = Dictionary(uniqueKeysWithValues: found)
    for entry in entries.entries { #expect(counts[entry.line] == entry.calls.value) }
    #expect(counts.count == entries.entries.count)
    withExtendedLifetime((owner, tokens)) {}
  }

  @Test(
    "Posts nested 12 deep on two threads are counted exactly during registrations and snapshots"
  )
  func nestedStorm() async {
    let bus = EventBus()
    let calls = Counter()
    let running = Counter()
    running.add(2)
    let token = bus.observe(.number, line: 1) { [unowned bus] depth in
      calls.add()
      if depth > 0 { bus.post(.number, depth - 1) }
    }
    await onThreads(3) { thread in
      guard thread == 0 else {
        for _ in 0..<500 { bus.post(.number, 11) }
        running.add(-1)
        return
      }
      while running.value > 0 {
        let other = bus.observe(.number, line: 2) { _ in }
        _ = bus.snapshot()
        token.pause().cancel()
        other.pause().cancel()
        other.cancel()
      }
    }
    #expect(delivered(bus, 1) == calls.value)
    bus.post(.number, 11)
    #expect(delivered(bus, 1) == calls.value)
    withExtendedLifetime(token) {}
  }
}
