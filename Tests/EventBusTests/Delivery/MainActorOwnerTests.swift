import EventBus
import TestSupport
import Testing

@Suite("Main-actor owners", .timeLimit(.minutes(5)))
@MainActor
struct MainActorOwnerTests {
  @Test("A post from the main actor changes the owner's state synchronously")
  func atOnce() {
    let bus = EventBus()
    let (screen, panel) = (Screen(), Panel())
    bus.observe(.number, owner: screen) { screen, value in screen.shown.append(value) }
    bus.observe(.number, owner: panel) { panel, value in panel.shown.append(value) }
    #expect(bus.post(.number, 1) == 2)
    #expect(screen.shown == [1])
    #expect(panel.shown == [1])
  }

  @Test("A post from elsewhere reaches the owner on the main actor")
  func queued() {
    let bus = EventBus()
    let screen = Screen()
    bus.observe(.number, owner: screen) { screen, value in screen.shown.append(value) }
    let reached = blockedOnThread { bus.post(.number, 1) }
    #expect(reached == 1)
    #expect(screen.shown == [])
    bus.post(.number, 2)
    #expect(screen.shown == [1, 2])
  }

  @Test("An owner that dies while an event waits is not called, and its registration is removed")
  func diesWhileQueued() {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let (screen, panel) = (Holder(Screen()), Holder(Panel()))
    if let screen = screen.value {
      bus.observe(.number, owner: screen) { _, _ in Issue.record("Dead.") }
    }
    if let panel = panel.value {
      bus.observe(.number, owner: panel) { _, _ in Issue.record("Dead.") }
    }
    let reached = blockedOnThread { bus.post(.number, 1) }
    #expect(reached == 2)
    screen.letGo()
    panel.letGo()
    bus.post(.nothing)
    #expect(signal.observerCount == 0)
  }

  @Test("A waiting event does not retain its owner, whose deinit stays on the main thread")
  func deinitStaysOnMain() {
    let bus = EventBus()
    let threads = Log<ThreadID>()
    let panel = Holder(Panel { threads.append(.current) })
    if let panel = panel.value { bus.observe(.number, owner: panel) { _, _ in } }
    blockedOnThread { for value in 0..<100 { bus.post(.number, value) } }
    #expect(threads.entries == [])
    panel.letGo()
    #expect(threads.entries == [.current])
  }

  @Test("An owner that dies in its own handler is deinitialized on the same thread")
  func diesInItsHandler() async {
    let bus = EventBus()
    let threads = Log<ThreadID>()
    let latch = ManualLatch()
    let panel = Holder(
      Panel {
        threads.append(.current)
        latch.open()
      }
    )
    if let object = panel.value {
      bus.observe(.number, owner: object) { _, _ in
        panel.letGo()
        threads.append(.current)
      }
    }
    let reached = blockedOnThread { bus.post(.number, 1) }
    #expect(reached == 1)
    await latch.wait()
    #expect(threads.count == 2)
    #expect(Set(threads.entries).count == 1)
  }

  @Test("An owner whose lifetime ends while an event waits is not called")
  func lifetimeEndsWhileQueued() {
    let bus = EventBus()
    let screen = Screen()
    bus.observe(.number, owner: screen) { screen, value in screen.shown.append(value) }
    blockedOnThread { _ = bus.post(.number, 1) }
    screen.lifetime.end()
    bus.post(.nothing)
    #expect(screen.shown == [])
  }
}
