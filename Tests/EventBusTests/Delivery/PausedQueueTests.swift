import EventBus
import TestSupport
import Testing

@Suite("Pauses and queued events", .timeLimit(.minutes(5)))
struct PausedQueueTests {
  @MainActor
  @Test("Events queued for an actor before the pause are delivered, events during it are not")
  func onAnActor() {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let token = bus.observe(.number) { inbox.append($0) }
    Self.post(1...2, on: bus)
    #expect(inbox.entries == [])
    let pause = token.pause()
    Self.post(3...4, on: bus)
    bus.post(.nothing)
    #expect(inbox.entries == [1, 2])
    pause.cancel()
    bus.post(.number, 5)
    #expect(inbox.entries == [1, 2, 5])
    withExtendedLifetime(token) {}
  }

  @Test("Events queued for an asynchronous handler before the pause are handled during it")
  func asynchronous() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let mayGo = ManualLatch()
    let token = bus.observe(.number) { value in
      await mayGo.wait()
      inbox.append(value)
    }
    for value in 1...3 { bus.post(.number, value) }
    let pause = token.pause()
    #expect(bus.post(.number, 4) == 0)
    mayGo.open()
    #expect(await inbox.first(3) == [1, 2, 3])
    pause.cancel()
    bus.post(.number, 5)
    #expect(await inbox.first(4) == [1, 2, 3, 5])
    withExtendedLifetime(token) {}
  }

  @MainActor
  @Test("A one-call registration keeps its call for an event queued before the pause")
  func once() {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let token = bus.observe(.number, once: true) { inbox.append($0) }
    Self.post(1...1, on: bus)
    let pause = token.pause()
    bus.post(.nothing)
    #expect(inbox.entries == [1])
    #expect(!token.isActive)
    withExtendedLifetime(pause) {}
  }

  /// Posts on another thread while this one waits, so that it is queued for an actor and stays there.
  private static func post(_ values: ClosedRange<Int>, on bus: EventBus) {
    blockedOnThread {
      for value in values { bus.post(.number, value) }
    }
  }
}
