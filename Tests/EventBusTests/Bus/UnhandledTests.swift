import EventBus
import TestSupport
import Testing

@Suite("Unhandled events")
struct UnhandledTests {
  /// A bus and the events of its hook for unhandled events.
  private func watchedBus() -> (bus: EventBus, unhandled: Log<AnyEvent>) {
    let unhandled = Log<AnyEvent>()
    var hooks = EventHooks.silent
    hooks.onUnhandled = { unhandled.append($0) }
    return (EventBus(hooks: hooks), unhandled)
  }

  @Test("The hook for unhandled events receives name, payload, sender and source site")
  func hookIsTold() throws {
    let (bus, unhandled) = watchedBus()
    let sender = SampleSender()
    bus.post(.number, 42, from: sender)
    let line: UInt = #line - 1
    let event = try #require(unhandled.entries.first)
    #expect(unhandled.count == 1)
    #expect(event.name == "sample.number")
    #expect(event.payload as? Int == 42)
    #expect(event.sender == ObjectIdentifier(sender))
    #expect(event.site == SourceSite(fileID: #fileID, line: line))
  }

  @Test("The hook runs even if there were observers but none was reached")
  func nobodyReached() {
    let (bus, unhandled) = watchedBus()
    let sender = SampleSender()
    let tokens = [
      bus.observe(.number, where: { _ in false }) { _ in },
      bus.observe(.number, from: sender) { _ in },
    ]
    bus.post(.number, 1)
    #expect(unhandled.entries.count == 1)
    bus.post(.number, 2, from: sender)
    #expect(unhandled.entries.count == 1)
    withExtendedLifetime(tokens) {}
  }

  @MainActor
  @Test("An event that is queued, or whose handler throws, counts as handled")
  func queuedOrThrown() {
    let (bus, unhandled) = watchedBus()
    let tokens = [
      bus.observe(.text) { _ in MainActor.assertIsolated() },
      bus.observe(.number) { @Sendable _ in throw SampleError() },
    ]
    blockedOnThread {
      bus.post(.text, "queued")
      bus.post(.number, 1)
    }
    #expect(unhandled.entries.count == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test("The hook may post, and its own unhandled posts do not reach the hook again")
  func hookPosts() {
    let bus = Holder<EventBus>()
    let told = Log<String>()
    var hooks = EventHooks()
    hooks.onUnhandled = { event in
      told.append(event.name)
      bus.value?.post(.nothing)
    }
    bus.hold(EventBus(hooks: hooks))
    bus.value?.post(.number, 1)
    bus.value?.post(.text, "again")
    #expect(told.entries == ["sample.number", "sample.text"])
    bus.letGo()
  }

  @Test("Events whose name asks for replay, and those of the lifecycle, are not reported")
  func expected() {
    let (bus, unhandled) = watchedBus()
    bus.post(EventName<Int>("sample.unhandledReplay", replay: 1), 1)
    let lifecycle = EventName<Int>(lifecycle: "sample.unhandledLifecycle")
    let replayed = EventName<Int>(lifecycle: "sample.unhandledBoth", replay: 1)
    for path in 0..<2 {
      // On the general path as well.
      let all = path == 0 ? nil : bus.observeAll { _ in }
      #expect(bus.post(lifecycle, 1) == 0)
      bus.post(replayed, 1)
      // The same event, wherever its name was made.
      bus.post(EventName<Int>("sample.unhandledLifecycle"), 1)
      withExtendedLifetime(all) {}
    }
    #expect(unhandled.entries.map(\.name) == [])
    bus.post(EventName<String>("sample.unhandledLifecycle"), "another event")
    #expect(unhandled.count == 1)
  }

  @Test("A signal without a bus uses the hook with its label as the name")
  func signal() {
    let unhandled = Log<String>()
    var hooks = EventHooks()
    hooks.onUnhandled = { unhandled.append($0.name) }
    let signal = Signal<Int>(label: "sample.signal", hooks: hooks)
    #expect(signal.send(1) == 0)
    let token = signal.observe { _ in }
    #expect(signal.send(2) == 1)
    #expect(unhandled.entries == ["sample.signal"])
    withExtendedLifetime(token) {}
  }
}
