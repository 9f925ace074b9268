import EventBus
import TestSupport
import Testing

/// Later turns of events that hooks have caused.
@Suite("Turns after a hook", .timeLimit(.minutes(5)))
struct HookTurnsTests {
  private struct Failure: Error {}

  /// How a hook passes on an event.
  enum Way: CaseIterable, Sendable { case posts, enqueues }

  /// A bus whose hook for unhandled events passes on `.number`, whose handler enqueues the next lower number
  /// and fails; after zero, a latch opens.
  private static func run(_ way: Way, from start: Int, _ hooks: EventHooks) async {
    let (buses, hasEnded) = (Holder<EventBus>(), ManualLatch())
    var hooks = hooks
    let inner = hooks.onUnhandled
    hooks.onUnhandled = { event in
      inner?(event)
      guard event.name == EventNames.text.name else { return }
      switch way {
      case .posts: buses.value?.post(.number, start)
      case .enqueues: buses.value?.enqueue(.number, start)
      }
    }
    let bus = EventBus(hooks: hooks)
    buses.hold(bus)
    let token = bus.observe(.number) { [unowned bus] number in
      bus.post(.other, number)
      if number > 0 { bus.enqueue(.number, number - 1) } else { bus.enqueue(.nothing) }
      throw Failure()
    }
    let last = bus.observe(.nothing) { hasEnded.open() }
    bus.post(.text, "unhandled")
    await hasEnded.wait()
    buses.letGo()
    withExtendedLifetime((token, last)) {}
  }

  @Test(
    "Only the turn of an event that a hook has passed on is left out; later turns report errors",
    arguments: Way.allCases
  )
  func errors(way: Way) async {
    let errors = Log<Int?>()
    await Self.run(
      way,
      from: 5,
      EventHooks(onError: { errors.append($0.event.payload as? Int) })
    )
    #expect(errors.entries == [4, 3, 2, 1, 0])
  }

  @Test(
    "Posts during the delivery of a hook's event are not reported, and those in later turns are",
    arguments: Way.allCases
  )
  func unhandled(way: Way) async {
    let unhandled = Log<Int>()
    await Self.run(
      way,
      from: 5,
      EventHooks(
        onError: { _ in },
        onUnhandled: { event in
          if let number = event.payload as? Int { unhandled.append(number) }
        }
      )
    )
    #expect(unhandled.entries == [4, 3, 2, 1, 0])
  }

  @Test("Later turns after an event from a hook are traced", arguments: Way.allCases)
  func traced(way: Way) async {
    let posts = Log<String>()
    await Self.run(
      way,
      from: 2,
      EventHooks(
        onError: { _ in },
        onTrace: { if case .began = $0.kind { posts.append($0.name) } }
      )
    )
    let later = Array(repeating: ["sample.number", "sample.other"], count: 2).flatMap(\.self)
    #expect(posts.entries == ["sample.text"] + later + ["sample.nothing"])
  }

  @Test("Later turns after an event from a hook are intercepted", arguments: Way.allCases)
  func intercepted(way: Way) async {
    let interceptor = CountingInterceptor()
    await Self.run(way, from: 3, EventHooks(onError: { _ in }, interceptor: interceptor))
    // Twice `.number`, once `.nothing`; `.other` and `.text` have no handlers.
    #expect(interceptor.runs.value == 4)
  }

  @Test(
    "An interceptor captures an event where a handler enqueues it, even after a hook",
    arguments: Way.allCases
  )
  func capturedWhereEnqueued(way: Way) async {
    let (buses, steps, hasEnded) = (Holder<EventBus>(), Log<String>(), ManualLatch())
    let bus = EventBus(
      hooks: EventHooks(
        onUnhandled: { _ in
          switch way {
          case .posts: buses.value?.post(.number, 1)
          case .enqueues: buses.value?.enqueue(.number, 1)
          }
        },
        interceptor: CaptureLog(steps: steps)
      )
    )
    buses.hold(bus)
    let token = bus.observe(.number) { [unowned bus] number in
      guard number > 0 else { return hasEnded.open() }
      bus.enqueue(.number, 0)
      // The turn of the event may already run on another thread.
      steps.append("enqueued 0")
    }
    bus.post(.text, "unhandled")
    await hasEnded.wait()
    #expect(steps.entries.first == "captured 0")
    buses.letGo()
    withExtendedLifetime(token) {}
  }

  @Test("An event that a hook has enqueued, and one that it has posted, are not reported")
  func suppressed() async {
    let (buses, errors, hasEnded) = (Holder<EventBus>(), Counter(), ManualLatch())
    let bus = EventBus(
      hooks: EventHooks(
        onError: { _ in
          errors.add()
          buses.value?.post(.number, 1)
          buses.value?.enqueue(.number, 2)
          buses.value?.enqueue(.nothing)
        }
      )
    )
    buses.hold(bus)
    let token = bus.observe(.number) { _ in throw Failure() }
    let last = bus.observe(.nothing) { hasEnded.open() }
    bus.post(.number, 0)
    await hasEnded.wait()
    #expect(errors.value == 1)
    buses.letGo()
    withExtendedLifetime((token, last)) {}
  }
}

extension EventNames {
  fileprivate static let other = EventName<Int>("sample.other")
}

private struct CountingInterceptor: EventInterceptor {
  let runs = Counter()

  func capture(_ event: AnyEvent) {}

  func run(_ context: Void, _ body: () -> Void) {
    runs.add()
    body()
  }

  func run(_ context: Void, _ body: () async -> Void) async { await body() }
}

/// Logs the numbers that it captures.
private struct CaptureLog: EventInterceptor {
  let steps: Log<String>

  func capture(_ event: AnyEvent) {
    if let number = event.payload as? Int { steps.append("captured \(number)") }
  }

  func run(_ context: Void, _ body: () -> Void) { body() }
  func run(_ context: Void, _ body: () async -> Void) async { await body() }
}
