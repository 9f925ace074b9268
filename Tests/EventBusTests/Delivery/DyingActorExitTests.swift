#if os(Linux) || os(macOS)
import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Events from an actor in its deinit", .timeLimit(.minutes(5)))
struct DyingActorTests {
  /// Runs a closure in its isolated `deinit`.
  @available(macOS 15.4, *)
  private actor Leaver {
    private let bus: EventBus
    private let atEnd: @Sendable (isolated Leaver, EventBus) -> Void

    init(_ bus: EventBus, atEnd: @escaping @Sendable (isolated Leaver, EventBus) -> Void) {
      self.bus = bus
      self.atEnd = atEnd
    }

    isolated deinit { atEnd(self, bus) }

    /// Uses the queue that its actor has on the bus.
    func enqueue(_ value: Int) { bus.enqueue(.number, value) }

    func observe(_ inbox: Inbox<Int>) {
      bus.observe(.number, owner: self) { (_: isolated Leaver, value) in inbox.append(value) }
    }
  }

  @Test("Events enqueued in an isolated deinit are delivered from a task, in order")
  @available(macOS 15.4, *)
  func enqueued() async {
    await #expect(processExitsWith: .success) {
      let (bus, inbox, isolated) = (EventBus(), Inbox<Int>(), Log<Bool>())
      let token = bus.observe(.number) { value in
        isolated.append(unsafe withUnsafeCurrentTask { unsafe $0 != nil })  // Reason: asked.
        inbox.append(value)
      }
      do {
        let leaver = Leaver(bus) { _, bus in
          for value in 1...100 { bus.enqueue(.number, value) }
        }
        withExtendedLifetime(leaver) {}
      }
      let heard = await inbox.first(100)
      precondition(heard == Array(1...100))
      precondition(isolated.entries.allSatisfy { $0 })
      withExtendedLifetime(token) {}
    }
  }

  @Test("Events enqueued in an isolated deinit arrive in order after events enqueued earlier")
  @available(macOS 15.4, *)
  func enqueuedBefore() async {
    await #expect(processExitsWith: .success) {
      let (bus, inbox) = (EventBus(), Inbox<Int>())
      let token = bus.observe(.number) { inbox.append($0) }
      do {
        let leaver = Leaver(bus) { _, bus in
          bus.enqueue(.number, 2)
          bus.enqueue(.number, 3, coalescing: .name)
        }
        await leaver.enqueue(1)
        _ = await inbox.first(1)
      }
      // A task delivers what a dying actor enqueues. It may take 2 before 3 replaces it.
      var heard = await inbox.first(2)
      if heard.last == 2 { heard = await inbox.first(3).filter { $0 != 2 } }
      precondition(heard == [1, 3])
      withExtendedLifetime(token) {}
    }
  }

  @Test("An actor's deinit may post, observe and start a timer; the actor is not called again")
  @available(macOS 15.4, *)
  func others() async {
    await #expect(processExitsWith: .success) {
      let (bus, inbox, missed) = (EventBus(), Inbox<Int>(), Inbox<Int>())
      let clock = ManualClock()
      let token = bus.observe(.number) { inbox.append($0) }
      do {
        let leaver = Leaver(bus) { leaver, bus in
          bus.post(.number, 1)
          bus.observe(.number, owner: leaver) { (_: isolated Leaver, value) in
            missed.append(value)
          }
          bus.post(.number, 2)
          after(.seconds(1), owner: leaver, clock: clock) { (_: isolated Leaver, _) in
            missed.append(0)
          }
          bus.enqueue(.number, 3)
        }
        await leaver.observe(missed)
      }
      let heard = await inbox.first(3)
      precondition(heard == [1, 2, 3])
      await clock.advance(by: .seconds(1))
      precondition(missed.entries == [])
      withExtendedLifetime(token) {}
    }
  }
}
#endif
