import EventBus
import TestSupport
import Testing

extension EventNames {
  fileprivate static let kept = EventName<Int>("sample.replay.queued", replay: 3)
}

@Suite("Replay to queued observers", .timeLimit(.minutes(5)))
struct ReplayQueueTests {
  @MainActor
  @Test("Replay to an actor-isolated handler is queued ahead of a live event from that actor")
  func onAnActor() {
    let bus = EventBus()
    var shown: [Int] = []
    for value in 1...4 { bus.post(.kept, value) }
    let token = bus.observe(.kept) { shown.append($0) }
    #expect(shown == [])
    bus.post(.kept, 5)
    #expect(shown == [2, 3, 4, 5])
    withExtendedLifetime(token) {}
  }

  @MainActor
  @Test("Replay to a main-actor owner is queued, and an owner that dies first receives nothing")
  func withOwner() {
    let bus = EventBus()
    for value in 1...3 { bus.post(.kept, value) }
    let screen = Screen()
    var panel: Panel? = Panel()
    bus.observe(.kept, owner: screen) { screen, value in screen.shown.append(value) }
    if let panel {
      bus.observe(.kept, owner: panel) { _, _ in Issue.record("The owner is dead.") }
    }
    panel = nil
    bus.post(.nothing)
    #expect(screen.shown == [1, 2, 3])
    withExtendedLifetime(panel) {}
  }

  @Test("Replayed events come first in an asynchronous handler's queue")
  func async() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    for value in 1...4 { bus.post(.kept, value) }
    let token = bus.observe(.kept) { value in
      await Task.yield()
      inbox.append(value)
    }
    #expect(bus.post(.kept, 5) == 1)
    #expect(await inbox.first(4) == [2, 3, 4, 5])
    withExtendedLifetime(token) {}
  }

  @Test("A one-call asynchronous handler receives the first replayed event")
  func asyncOnce() async {
    let bus = EventBus()
    let log = Log<Int>()
    for value in 1...4 { bus.post(.kept, value) }
    let token = bus.observe(.kept, once: true) { value in
      await Task.yield()
      log.append(value)
    }
    await token.waitUntilFinished()
    #expect(log.entries == [2])
  }

  @Test("Enqueued events are kept for replay when they are delivered")
  func enqueued() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let token = bus.observe(.kept) { inbox.append($0) }
    bus.enqueue(.kept, 7)
    #expect(await inbox.first(1) == [7])
    #expect(bus.latest(.kept) == 7)
    withExtendedLifetime(token) {}
  }
}
