import EventBus
import TestSupport
import Testing

/// Threads that post to handlers on the main actor, whose turns run at the same time.
@Suite("Stress on the mailbox of an actor", .timeLimit(.minutes(5)))
struct MailboxStormTests {
  @Test("An object that is freed before a handler is called, and posts there, overtakes no event")
  @MainActor
  func freedInBetween() async {
    let bus = EventBus()
    let main = currentThreadID()
    let count = rounds(40_000, debug: 20_000, sanitized: 1_000)
    var heard: [[Int]] = [[], []]
    let tokens = [
      bus.observe(.number) { heard[0].append($0) }, bus.observe(.number) { heard[1].append($0) },
    ]
    async let storm: Void = onThreads(2) { thread in
      for value in 1...count {
        if thread == 0 {
          bus.post(.number, value)
          continue
        }
        // Its sink is retired while the main actor looks at the others, which then frees it.
        let object = AtDeinit {
          if currentThreadID() != main { return }
          MainActor.assumeIsolated { _ = bus.post(.nothing) }
        }
        bus.observe(.number, priority: .low) { _ in object.touch() }.cancel()
      }
    }
    // Each post opens what waits.
    for value in 1...count { bus.post(.number, -value) }
    await storm
    bus.post(.nothing)
    for heard in heard {
      #expect(heard.filter { $0 > 0 } == Array(1...count))
      #expect(heard.filter { $0 < 0 } == (1...count).map { -$0 })
    }
    #expect(bus.snapshot().waitingCount == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test(
    "Each caller that waits gets the outcome of its own event, among others for the same handler",
    arguments: [false, true]
  )
  func outcomes(isTraced: Bool) async throws {
    let bus = EventBus(hooks: isTraced ? EventHooks(onTrace: { _ in }) : .silent)
    for round in 0..<rounds(40, debug: 20, sanitized: 5) {
      let seen = Log<Int>()
      let token = bus.observe(.number) { @MainActor value in seen.append(value) }
      let outcomes = await withTaskGroup(of: [(Int, PostOutcome)].self) { group in
        group.addTask {
          // These are opened in runs.
          for value in 0..<200 { bus.post(.number, 10_000 + value) }
          if round.isMultiple(of: 2) { token.cancel() }
          return []
        }
        for poster in 0..<4 {
          group.addTask {
            var outcomes: [(Int, PostOutcome)] = []
            for number in 0..<20 {
              let value = poster * 100 + number
              outcomes.append((value, await bus.postAndWait(.number, value)))
            }
            return outcomes
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
      token.cancel()
      try await bus.waitUntilSettled()
      let entries = seen.entries
      #expect(Set(entries).count == entries.count)
      for (value, outcome) in outcomes {
        #expect((outcome.reachedCount == 1) == entries.contains(value))
        #expect(outcome.reachedCount + outcome.cancelledCount <= 1)
        #expect(outcome.droppedCount == 0)
      }
      #expect(bus.snapshot().waitingCount == 0)
    }
  }

  @Test("Events that are enqueued with any options wait in the order of the rules")
  @MainActor
  func coalescing() async throws {
    var random = SampleNumbers(seed: 3)
    for _ in 0..<60 {
      let bus = EventBus()
      let senders = [nil, SampleSender(), SampleSender()]
      var shown: [Int] = []
      let tokens = [EventName<Int>.number, .other].map { name in
        bus.observe(name) { shown.append($0) }
      }
      var model: [(name: EventName<Int>, sender: Int, value: Int)] = []
      for value in 0..<80 {
        let name = [EventName<Int>.number, .other][random.next(below: 2)]
        let sender = max(0, random.next(below: 5) - 2)
        let coalescing = [Coalescing.none, .name, .nameAndSender][
          max(0, random.next(below: 12) - 9)
        ]
        bus.enqueue(name, value, from: senders[sender], coalescing: coalescing)
        func isReplaced(_ event: (name: EventName<Int>, sender: Int, value: Int)) -> Bool {
          coalescing != .none && event.name == name
            && (coalescing == .name || event.sender == sender)
        }
        let place = model.firstIndex(where: isReplaced) ?? model.endIndex
        model.removeAll(where: isReplaced)
        model.insert((name, sender, value), at: place)
      }
      try await bus.waitUntilSettled()
      #expect(shown == model.map(\.value))
      withExtendedLifetime(tokens) {}
    }
  }
}

extension EventName where Payload == Int {
  fileprivate static let other = EventName<Int>("mailbox.other")
}
