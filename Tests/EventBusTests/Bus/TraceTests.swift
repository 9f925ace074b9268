import EventBus
import TestSupport
import Testing

@Suite("Traces")
struct TraceTests {
  /// A bus and the events of its trace hook.
  private func tracedBus() -> (bus: EventBus, trace: Log<TraceStep>) {
    let trace = Log<TraceStep>()
    var hooks = EventHooks.silent
    hooks.onTrace = { trace.append($0) }
    return (EventBus(hooks: hooks), trace)
  }

  /// A source site that identifies a registration.
  private func place(_ line: UInt) -> SourceSite {
    SourceSite(fileID: "Sample/Here.swift", line: line)
  }

  @Test("A trace reports a post's beginning, end and source site, and each delivery's source site")
  func postAndDeliveries() throws {
    let (bus, trace) = tracedBus()
    let first = bus.observe(.number) { _ in }
    let line: UInt = #line
    let second = bus.observe(.number) { _ in throw SampleError() }
    bus.post(.number, 1)
    let file = #fileID
    #expect(trace.entries.map(\.name) == Array(repeating: "sample.number", count: 6))
    let number = try #require(trace.entries.first?.post)
    #expect(trace.entries.allSatisfy { $0.site == SourceSite(fileID: file, line: line + 2) })
    #expect(trace.entries.allSatisfy { $0.depth == 0 })
    #expect(
      trace.entries.map(\.description) == [
        "#\(number) sample.number posted at \(file):\(line + 2)",
        "#\(number)   started \(file):\(line - 1)",
        "#\(number)   finished \(file):\(line - 1)",
        "#\(number)   started \(file):\(line + 1)",
        "#\(number)   failed \(file):\(line + 1): SampleError(number: 0)",
        "#\(number) sample.number reached 2",
      ]
    )
    withExtendedLifetime((first, second)) {}
  }

  @Test("Nested posts are traced inside the outer post, one level deeper")
  func nested() {
    let (bus, trace) = tracedBus()
    let tokens = [
      bus.observe(.number) { [unowned bus] _ in bus.post(.nothing) },
      bus.observe(.nothing, fileID: "Sample/Here.swift", line: 7) {},
    ]
    bus.post(.number, 1)
    bus.post(.nothing)
    #expect(
      trace.entries.map { "\($0.depth) \($0.name) \($0.label)" } == [
        "0 sample.number began", "0 sample.number started",
        "1 sample.nothing began", "1 sample.nothing started", "1 sample.nothing finished",
        "1 sample.nothing reached 1", "0 sample.number finished", "0 sample.number reached 1",
        "0 sample.nothing began", "0 sample.nothing started", "0 sample.nothing finished",
        "0 sample.nothing reached 1",
      ]
    )
    let inner = trace.entries[3]
    #expect(inner.description == "#\(inner.post)     started Sample/Here.swift:7")
    withExtendedLifetime(tokens) {}
  }

  @Test("The depth of a trace counts every enclosing post, with hundreds of them")
  func depth() {
    let (bus, trace) = tracedBus()
    let token = bus.observe(.number) { [unowned bus] value in
      if value > 0 { bus.post(.number, value - 1) }
    }
    bus.post(.number, 300)
    let begun = trace.entries.filter { if case .began = $0.kind { true } else { false } }
    #expect(begun.map(\.depth) == Array(0...300))
    #expect(Array(begun.dropFirst().map(\.outerPost)) == begun.dropLast().map(\.post))
    withExtendedLifetime(token) {}
  }

  @Test("Paused, excluded and declining observers are skipped with that reason")
  func skippedByChoice() {
    let (bus, trace) = tracedBus()
    let paused = bus.observe(.number, fileID: "Sample/Here.swift", line: 1) { _ in }
    let excluded = bus.observe(.number, fileID: "Sample/Here.swift", line: 2) { _ in }
    let declining = bus.observe(
      .number,
      where: { _ in false },
      fileID: "Sample/Here.swift",
      line: 3
    ) { _ in }
    let pause = paused.pause()
    #expect(bus.post(.number, 1, excluding: excluded) == 0)
    #expect(
      trace.entries.compactMap(\.skip) == [
        .init(place(1), .paused), .init(place(2), .excluded), .init(place(3), .declined),
      ]
    )
    withExtendedLifetime((pause, declining)) {}
  }

  @Test("An observer cancelled by an earlier handler is skipped as cancelled, at any position")
  func cancelledOnTheWay() {
    let (bus, trace) = tracedBus()
    let sender = SampleSender()
    let later = Log<Token>()
    let first = bus.observe(.number, priority: .high) { _ in
      for token in later.entries { token.cancel() }
    }
    later.append(bus.observe(.number, fileID: "Sample/Here.swift", line: 1) { _ in })
    later.append(bus.observe(.number, from: sender, fileID: "Sample/Here.swift", line: 2) { _ in })
    later.append(bus.observeAll(fileID: "Sample/Here.swift", line: 3) { _ in })
    let low = bus.observe(.number, priority: .low, fileID: "Sample/Here.swift", line: 4) { _ in }
    later.append(low)
    #expect(bus.post(.number, 1, from: sender) == 1)
    #expect(
      trace.entries.compactMap(\.skip) == [1, 2, 3, 4].map { Skip(place($0), .cancelled) }
    )
    withExtendedLifetime(first) {}
  }

  @Test("An observer added during a post is skipped as too new, just before the post ends")
  func joinedOnTheWay() {
    let (bus, trace) = tracedBus()
    let joined = Log<Token>()
    let token = bus.observe(.number) { [unowned bus] _ in
      let line = UInt(joined.entries.count + 1)
      joined.append(
        bus.observe(.number, priority: .high, fileID: "Sample/Here.swift", line: line) { _ in }
      )
    }
    bus.post(.number, 1)
    #expect(trace.entries.map(\.label) == ["began", "started", "finished", "tooNew", "reached 1"])
    #expect(trace.entries.compactMap(\.skip) == [Skip(place(1), .tooNew)])
    withExtendedLifetime(token) {}
  }

  @Test("An observer whose owner has died is skipped with that reason")
  func ownerLost() {
    let (bus, trace) = tracedBus()
    var owner: PlainOwner? = PlainOwner()
    if let owner {
      bus.observe(.number, owner: owner, fileID: "Sample/Here.swift", line: 2) { _, _ in }
    }
    owner = nil
    bus.post(.number, 1)
    #expect(trace.entries.compactMap(\.skip) == [.init(place(2), .ownerLost)])
    withExtendedLifetime(owner) {}
  }

  @MainActor
  @Test("An event for an actor is traced as queued, a second one for one call as spent")
  func queuedAndSpent() {
    let (bus, trace) = tracedBus()
    var shown: [Int] = []
    let token = bus.observe(.number, once: true, fileID: "Sample/Here.swift", line: 1) {
      shown.append($0)
    }
    blockedOnThread {
      bus.post(.number, 1)
      bus.post(.number, 2)
    }
    #expect(
      trace.entries.map(\.label) == ["began", "queued", "reached 1", "began", "spent", "reached 0"]
    )
    bus.post(.nothing)
    #expect(shown == [1])
    #expect(
      trace.entries.map(\.label).dropFirst(6) == ["started", "finished", "began", "reached 0"]
    )
    withExtendedLifetime(token) {}
  }

  /// Registers a handler of no actor, which cancels a token at the second event.
  private func cancelling(_ token: Token, on bus: EventBus) -> Token {
    bus.observe(.number, priority: .high) { if $0 == 2 { token.cancel() } }
  }

  @MainActor
  @Test("An event that meets a one-call handler whose call was claimed, but not used, is cancelled")
  func cancelledAfterTheClaim() {
    let (bus, trace) = tracedBus()
    let token = bus.observe(.number, once: true) { _ in Issue.record("It was cancelled.") }
    let first = cancelling(token, on: bus)
    blockedOnThread {
      bus.post(.number, 1)
      bus.post(.number, 2)
    }
    #expect(
      trace.entries.map(\.label) == [
        "began", "started", "finished", "queued", "reached 2",
        "began", "started", "cancelled", "finished", "cancelled", "reached 1",
      ]
    )
    withExtendedLifetime(first) {}
  }

  @Test("Observers of one sender and of every event are traced in delivery order")
  func allKinds() {
    let (bus, trace) = tracedBus()
    let sender = SampleSender()
    let tokens = [
      bus.observeAll(fileID: "Sample/Here.swift", line: 1) { _ in },
      bus.observe(.number, from: sender, fileID: "Sample/Here.swift", line: 2) { _ in },
      bus.observe(.number, fileID: "Sample/Here.swift", line: 3) { _ in },
    ]
    bus.post(.number, 1, from: sender)
    let places = [place(1), place(2), place(3)]
    #expect(trace.entries.compactMap(\.started) == places)
    withExtendedLifetime(tokens) {}
  }

  @Test("The trace hook may use the bus; its posts are delivered and not traced")
  func hookPosts() {
    let bus = Holder<EventBus>()
    let (traced, heard) = (Log<String>(), Counter())
    var hooks = EventHooks()
    hooks.onTrace = { event in
      traced.append(event.label)
      bus.value?.post(.nothing)
    }
    bus.hold(EventBus(hooks: hooks))
    let token = bus.value?.observe(.nothing) { heard.add() }
    bus.value?.post(.number, 1)
    #expect(traced.entries == ["began", "reached 0"])
    #expect(heard.value == 2)
    bus.letGo()
    withExtendedLifetime(token) {}
  }
}

/// A registration that was passed over, and why.
private struct Skip: Equatable {
  let site: SourceSite
  let reason: TraceStep.SkipReason

  init(_ site: SourceSite, _ reason: TraceStep.SkipReason) {
    self.site = site
    self.reason = reason
  }
}

extension TraceStep {
  /// The word for a step.
  var label: String {
    switch kind {
    case .began: "began"
    case .queued: "queued"
    case .started: "started"
    case .finished(nil): "finished"
    case .finished: "failed"
    case .skipped(let reason): reason.rawValue
    case .ended(let reached): "reached \(reached)"
    }
  }

  fileprivate var skip: Skip? {
    guard case .skipped(let reason) = kind, let registration else { return nil }
    return Skip(registration.site, reason)
  }

  fileprivate var started: SourceSite? {
    if case .started = kind { registration?.site } else { nil }
  }
}
