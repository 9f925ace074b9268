import EventBus
import TestSupport
import Testing

@Suite("Handlers that throw")
struct ThrowingTests {
  @Test("The other handlers are called, and the throwing one counts as reached")
  func othersStillRun() {
    let bus = EventBus(hooks: .silent)
    let log = Log<String>()
    let owner = LivedOwner()
    let bag = TokenBag()
    bus.observe(.number) { _ in log.append("first") }.store(in: bag)
    bus.observe(.number) { _ in
      log.append("throws")
      throw SampleError()
    }.store(in: bag)
    bus.observe(.number, owner: owner) { _, _ in
      log.append("owner throws")
      throw SampleError()
    }
    bus.observe(.number) { _ in log.append("last") }.store(in: bag)
    #expect(bus.post(.number, 1) == 4)
    #expect(bus.post(.number, 2) == 4)
    let round = ["first", "throws", "owner throws", "last"]
    #expect(log.entries == round + round)
    bag.cancelAll()
  }

  @Test("An error inside a nested post does not affect the outer post")
  func nested() {
    let bus = EventBus(hooks: .silent)
    let log = Log<String>()
    let tokens = [
      bus.observe(.nothing) { throw SampleError() },
      bus.observe(.number) { [unowned bus] _ in
        log.append("posts \(bus.post(.nothing))")
      },
      bus.observe(.number) { _ in log.append("last") },
    ]
    bus.post(.number, 1)
    #expect(log.entries == ["posts 1", "last"])
    withExtendedLifetime(tokens) {}
  }

  @Test("The error hook receives the event and the registration's source site")
  func hookIsTold() throws {
    let failures = Log<HandlerFailure>()
    var hooks = EventHooks()
    hooks.onError = { failures.append($0) }
    let bus = EventBus(hooks: hooks)
    let token = bus.observe(.number) { _ in throw SampleError(number: 7) }
    let line: UInt = #line - 1
    bus.post(.number, 42)
    let failure = try #require(failures.entries.first)
    #expect(failures.count == 1)
    #expect(failure.error as? SampleError == SampleError(number: 7))
    #expect(failure.event.name == "sample.number")
    #expect(failure.event.payload as? Int == 42)
    #expect(failure.event.site == SourceSite(fileID: #fileID, line: line + 2))
    #expect(failure.registeredAt == SourceSite(fileID: #fileID, line: line))
    withExtendedLifetime(token) {}
  }

  @Test("A failure and its trace are described in one line, whatever names and error contain")
  func oneLine() throws {
    struct Lines: Error, CustomStringConvertible {
      var description: String { "one\ntwo\u{1b}[2J" }
    }
    let (failures, trace) = (Log<HandlerFailure>(), Log<TraceStep>())
    var hooks = EventHooks()
    hooks.onError = { failures.append($0) }
    hooks.onTrace = { trace.append($0) }
    let bus = EventBus(hooks: hooks)
    let name = EventName<Int>("sample.two\nnames")
    let token = bus.observe(name) { _ in throw Lines() }
    bus.post(name, 1)
    let failure = try #require(failures.entries.first).description
    #expect(failure.contains(#"failed on "sample.two\nnames" posted"#))
    #expect(failure.hasSuffix(#": one\ntwo\u{1B}[2J"#))
    let lines = trace.entries.map(\.description) + [failure]
    #expect(lines.count == 5)
    #expect(lines.allSatisfy { !$0.contains("\n") && !$0.contains("\u{1b}") })
    let table = bus.snapshot().description.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(table.count == 2)
    withExtendedLifetime(token) {}
  }

  @Test("The failed event contains the payload, even if the payload is itself an event")
  func payloadIsAnEvent() {
    let failures = Log<HandlerFailure>()
    var hooks = EventHooks()
    hooks.onError = { failures.append($0) }
    let bus = EventBus(hooks: hooks)
    let name = EventName<AnyEvent>("sample.event in an event")
    let token = bus.observe(name) { _ in throw SampleError() }
    let inner = AnyEvent(name: "inner", payload: 1, site: SourceSite(fileID: "inner", line: 1))
    bus.post(name, inner)
    let event = failures.entries.first?.event
    #expect(event?.name == "sample.event in an event")
    #expect((event?.payload as? AnyEvent)?.name == "inner")
    #expect(event?.site.fileID.contains("ThrowingTests") == true)
    withExtendedLifetime(token) {}
  }

  @MainActor
  @Test("A handler that throws on its actor does not delay the events queued behind it")
  func queued() {
    let bus = EventBus(hooks: .silent)
    var shown: [Int] = []
    let tokens = [
      bus.observe(.number) { _ in throw SampleError() },
      bus.observe(.number) { shown.append($0) },
    ]
    let reached = blockedOnThread { bus.post(.number, 1) }
    #expect(reached == 2)
    bus.post(.number, 2)
    #expect(shown == [1, 2])
    withExtendedLifetime(tokens) {}
  }
}
