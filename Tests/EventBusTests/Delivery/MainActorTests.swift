import EventBus
import TestSupport
import Testing

/// The tests occupy the main actor, so events queued for it stay queued until a test suspends.
@Suite("Main-actor handlers", .timeLimit(.minutes(5)))
@MainActor
struct MainActorTests {
  /// Registers a handler that belongs to no actor.
  nonisolated private static func observeOffActor(
    _ bus: EventBus,
    _ handler: @escaping @Sendable (Int) -> Void
  ) -> Token {
    bus.observe(.number) { handler($0) }
  }

  /// Posts without an isolation that the compiler knows.
  nonisolated private static func postWithoutIsolation(_ bus: EventBus, _ value: Int) -> Int {
    bus.post(.number, value)
  }

  @Test("A post from the main actor calls main-actor handlers synchronously")
  func atOnce() {
    let bus = EventBus()
    var shown: [Int] = []
    let token = bus.observe(.number) { value in
      MainActor.assertIsolated()
      shown.append(value)
    }
    #expect(bus.post(.number, 1) == 1)
    #expect(shown == [1])
    withExtendedLifetime(token) {}
  }

  @Test("A nonisolated handler is called on the posting thread before the post returns")
  func nonisolatedHandlers() {
    let bus = EventBus()
    let threads = Log<ThreadID>()
    let token = Self.observeOffActor(bus) { _ in threads.append(.current) }
    bus.post(.number, 1)
    let poster = blockedOnThread {
      bus.post(.number, 2)
      #expect(threads.count == 2)
      return ThreadID.current
    }
    #expect(threads.entries == [.current, poster])
    withExtendedLifetime(token) {}
  }

  @Test("A post from elsewhere is queued, counts as reached, and is delivered on the main actor")
  func queued() async {
    let bus = EventBus()
    let latch = ManualLatch()
    var shown: [Int] = []
    let token = bus.observe(.number) { value in
      MainActor.assertIsolated()
      shown.append(value)
      latch.open()
    }
    let reached = blockedOnThread { bus.post(.number, 1) }
    #expect(reached == 1)
    #expect(shown == [])
    await latch.wait()
    #expect(shown == [1])
    withExtendedLifetime(token) {}
  }

  @Test("Posts from elsewhere arrive in post order, across names and observers")
  func postOrder() async {
    let bus = EventBus()
    let latch = ManualLatch()
    var shown: [String] = []
    let tokens = [
      bus.observe(.number, priority: .low) { shown.append("low \($0)") },
      bus.observe(.number) { shown.append("normal \($0)") },
      bus.observe(.text) { shown.append($0) },
      bus.observe(.nothing) { latch.open() },
    ]
    await onThreads(1) { _ in
      for value in 0..<100 {
        bus.post(.number, value)
        bus.post(.text, "text \(value)")
      }
      bus.post(.nothing)
    }
    await latch.wait()
    #expect(shown == (0..<100).flatMap { ["normal \($0)", "low \($0)", "text \($0)"] })
    withExtendedLifetime(tokens) {}
  }

  @Test("A post without observers, or a nested post, delivers the waiting events first as well")
  func nothingOvertakesNestedPosts() {
    let bus = EventBus()
    var shown: [String] = []
    let tokens = [
      bus.observe(.number) { value in
        shown.append("begins \(value)")
        if value == 1 { bus.post(.text, "nested") }
        shown.append("ends \(value)")
      },
      bus.observe(.text) { shown.append($0) },
    ]
    blockedOnThread {
      bus.post(.number, 1)
      bus.post(.number, 2)
    }
    #expect(bus.post(.nothing) == 0)
    #expect(shown == ["begins 1", "begins 2", "ends 2", "nested", "ends 1"])
    withExtendedLifetime(tokens) {}
  }

  @Test("A nonisolated synchronous function on the main actor has no isolation, so its posts queue")
  func nonisolatedFunction() async {
    let bus = EventBus()
    let latch = ManualLatch()
    var shown: [Int] = []
    let token = bus.observe(.number) { value in
      shown.append(value)
      latch.open()
    }
    #expect(Self.postWithoutIsolation(bus, 1) == 1)
    #expect(shown == [])
    await latch.wait()
    #expect(shown == [1])
    withExtendedLifetime(token) {}
  }

  @Test("One post calls nonisolated handlers synchronously and queues for the others")
  func mixedHandlers() {
    let bus = EventBus()
    let log = Log<String>()
    let tokens = [
      bus.observe(.number, priority: .high) { log.append("main \($0)") },
      Self.observeOffActor(bus) { log.append("off \($0)") },
    ]
    let reached = blockedOnThread { bus.post(.number, 1) }
    #expect(reached == 2)
    #expect(log.entries == ["off 1"])
    bus.post(.nothing)
    #expect(log.entries == ["off 1", "main 1"])
    withExtendedLifetime(tokens) {}
  }

  @Test("A handler registered after a post does not receive it, although it still waits")
  func registeredWhileQueued() {
    let bus = EventBus()
    var shown: [String] = []
    let first = bus.observe(.number) { shown.append("first \($0)") }
    blockedOnThread { _ = bus.post(.number, 1) }
    let second = bus.observe(.number) { shown.append("second \($0)") }
    bus.post(.number, 2)
    #expect(shown == ["first 1", "first 2", "second 2"])
    withExtendedLifetime((first, second)) {}
  }

  @Test("Two buses have separate mailboxes")
  func twoBuses() {
    let (one, other) = (EventBus(), EventBus())
    var shown: [String] = []
    let tokens = [
      one.observe(.number) { shown.append("one \($0)") },
      other.observe(.number) { shown.append("other \($0)") },
    ]
    blockedOnThread { _ = one.post(.number, 1) }
    other.post(.number, 2)
    #expect(shown == ["other 2"])
    one.post(.number, 3)
    #expect(shown == ["other 2", "one 1", "one 3"])
    withExtendedLifetime(tokens) {}
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
}
