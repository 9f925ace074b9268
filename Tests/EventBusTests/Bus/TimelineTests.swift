import EventBus
import TestSupport
import Testing

/// The fields of a trace, from which a timeline can be drawn.
@Suite("Timelines", .timeLimit(.minutes(5)))
struct TimelineTests {
  private func tracedBus(label: String = "") -> (bus: EventBus, trace: Inbox<TraceStep>) {
    let trace = Inbox<TraceStep>()
    let hooks = EventHooks(onError: { _ in }, onTrace: { trace.append($0) })
    return (EventBus(label: label, hooks: hooks), trace)
  }

  @Test("Every step has its bus, and the times of the steps ascend")
  func busAndTime() {
    let before = ContinuousClock.now
    let (bus, trace) = tracedBus(label: "documents")
    let token = bus.observe(.number) { _ in }
    bus.post(.number, 1)
    #expect(trace.entries.count == 4)
    let identity = TraceStep.Bus(label: "documents", id: ObjectIdentifier(bus))
    #expect(trace.entries.allSatisfy { $0.bus == identity })
    let times = trace.entries.map(\.time)
    #expect(times == times.sorted())
    #expect(times.allSatisfy { $0 >= before && $0 <= .now })
    withExtendedLifetime(token) {}
  }

  @Test("A signal without a bus is its own bus in a trace")
  func signal() {
    let trace = Log<TraceStep>()
    let signal = Signal<Int>(label: "sample", hooks: EventHooks(onTrace: { trace.append($0) }))
    signal.send(1)
    #expect(
      trace.entries.first?.bus == TraceStep.Bus(label: "sample", id: ObjectIdentifier(signal))
    )
  }

  @Test("Each post has its own number, and nested posts also have that of the post around them")
  func numbers() {
    let (bus, trace) = tracedBus()
    let (other, otherTrace) = tracedBus()
    let tokens = [
      bus.observe(.number) { _ in other.post(.text, "") },
      other.observe(.text) { [unowned bus] _ in bus.post(.nothing) },
    ]
    bus.post(.number, 1)
    bus.post(.nothing)
    let begun = trace.entries.filter(\.isBeginning)
    let middle = otherTrace.entries.filter(\.isBeginning)
    #expect(begun.map(\.name) == ["sample.number", "sample.nothing", "sample.nothing"])
    #expect(begun[0].outerPost == nil && begun[0].depth == 0)
    #expect(middle.first?.outerPost == begun[0].post)
    #expect(begun[1].outerPost == middle.first?.post && begun[1].depth == 2)
    #expect(begun[2].outerPost == nil && begun[2].depth == 0)
    #expect(Set((begun + middle).map(\.post)).count == 4)
    withExtendedLifetime(tokens) {}
  }

  @Test("All steps of a registration have its number and source site; those of a post have none")
  func registrations() {
    let (bus, trace) = tracedBus()
    let tokens = [
      bus.observe(.number, fileID: "Sample/Here.swift", line: 1) { _ in },
      bus.observe(.number, fileID: "Sample/Here.swift", line: 1) { _ in },
    ]
    bus.post(.number, 1)
    bus.post(.number, 2)
    let byStep = trace.entries.map { $0.registration?.id }
    #expect(byStep[0] == nil && byStep[5] == nil)
    #expect(byStep[1] != nil && byStep[1] == byStep[2])
    #expect(byStep[3] != nil && byStep[3] == byStep[4])
    #expect(byStep[1] != byStep[3])
    #expect(Array(byStep[..<6]) == Array(byStep[6...]))
    #expect(trace.entries[1].registration?.site == SourceSite(fileID: "Sample/Here.swift", line: 1))
    withExtendedLifetime(tokens) {}
  }

  @MainActor
  @Test("A delivery on an actor is queued, then started and finished there, inside its post")
  func queuedForActor() async {
    let (bus, trace) = tracedBus()
    let token = bus.observe(.number) { @MainActor [unowned bus] _ in bus.post(.nothing) }
    blockedOnThread { _ = bus.post(.number, 1) }
    _ = await trace.first(7)
    let steps = trace.entries
    #expect(
      steps.map(\.label) == [
        "began", "queued", "reached 1", "started", "began", "reached 0", "finished",
      ]
    )
    let post = steps[0].post
    #expect([0, 1, 2, 3, 6].allSatisfy { steps[$0].post == post })
    #expect(steps[4].outerPost == post && steps[4].depth == 1)
    #expect(steps[0].actor == nil && steps[1].actor == nil)
    #expect(steps[3].actor == ActorIdentity(MainActor.shared))
    #expect(steps[6].actor == ActorIdentity(MainActor.shared))
    #expect(steps[4].actor == ActorIdentity(MainActor.shared))
    #expect("\(ActorIdentity(MainActor.shared))" == "MainActor")
    #expect(steps[0].thread != steps[3].thread)
    #expect(Set([steps[1], steps[3], steps[6]].map(\.registration)).count == 1)
    withExtendedLifetime(token) {}
  }

  @Test("A delivery to an asynchronous handler is queued, started and finished, inside its post")
  func asynchronous() async {
    let (bus, trace) = tracedBus()
    let token = bus.observe(.number) { [unowned bus] value in
      await Task.yield()
      bus.post(.nothing)
      if value == 2 { throw SampleError() }
    }
    await bus.postAndWait(.number, 1)
    await bus.postAndWait(.number, 2)
    _ = await trace.first(14)
    let (first, second) = (trace.entries[0].post, trace.entries.filter(\.isBeginning)[2].post)
    func labels(_ post: Int) -> [String] {
      trace.entries.filter { $0.post == post }.map(\.label)
    }
    // The handler may start before the post has ended.
    #expect(
      labels(first).filter { $0 != "reached 1" } == ["began", "queued", "started", "finished"]
    )
    #expect(
      labels(second).filter { $0 != "reached 1" } == ["began", "queued", "started", "failed"]
    )
    let nested = trace.entries.filter { $0.name == "sample.nothing" && $0.isBeginning }
    #expect(nested.map(\.outerPost) == [first, second])
    withExtendedLifetime(token) {}
  }

  @Test("Waiting events of a cancelled registration are skipped as cancelled")
  func cancelledWhileWaiting() async {
    let (bus, trace) = tracedBus()
    let (began, mayLeave) = (ManualLatch(), ManualLatch())
    let token = bus.observe(.number) { _ in
      began.open()
      await mayLeave.wait()
    }
    bus.post(.number, 1)
    await began.wait()
    bus.post(.number, 2)
    token.cancel()
    let last = trace.entries.last
    #expect(last?.label == "cancelled")
    #expect(last?.post == trace.entries.filter(\.isBeginning).last?.post)
    mayLeave.open()
    await token.waitUntilFinished()
  }

  @MainActor
  @Test("A waiting event for an actor is skipped as cancelled after its registration has ended")
  func cancelledBeforeTheHop() async {
    let (bus, trace) = tracedBus()
    let token = bus.observe(.number) { @MainActor _ in }
    blockedOnThread { _ = bus.post(.number, 1) }
    token.cancel()
    _ = await trace.first(4)
    #expect(trace.entries.map(\.label) == ["began", "queued", "reached 1", "cancelled"])
  }

  @Test("An event that a newer one replaces in a queue is queued first and dropped later")
  func replaced() async {
    let (bus, trace) = tracedBus()
    let (began, mayLeave) = (ManualLatch(), ManualLatch())
    let token = bus.observe(.number, buffering: .bufferingNewest(1)) { _ in
      began.open()
      await mayLeave.wait()
    }
    bus.post(.number, 1)
    await began.wait()
    bus.post(.number, 2)
    bus.post(.number, 3)
    let second = trace.entries.filter(\.isBeginning)[1].post
    #expect(
      trace.entries.filter { $0.post == second }.map(\.label) == [
        "began", "queued", "reached 1", "dropped",
      ]
    )
    mayLeave.open()
    withExtendedLifetime(token) {}
  }

  @Test("An event for a stream is queued, or dropped by a full buffer")
  func stream() async {
    let (bus, trace) = tracedBus()
    let stream = bus.events(.number, buffering: .bufferingOldest(1))
    bus.post(.number, 1)
    bus.post(.number, 2)
    #expect(
      trace.entries.map(\.label) == [
        "began", "queued", "reached 1", "began", "dropped", "reached 0",
      ]
    )
    withExtendedLifetime(stream) {}
  }

  @Test("An event in a stream is started and finished when a consumer takes it")
  func streamTaken() async {
    let (bus, trace) = tracedBus()
    let stream = bus.events(.number, buffering: .bufferingNewest(1))
    for value in 1...2 { bus.post(.number, value) }
    #expect(
      trace.entries.map(\.label) == [
        "began", "queued", "reached 1", "began", "dropped", "queued", "reached 1",
      ]
    )
    let posts = trace.entries.filter(\.isBeginning).map(\.post)
    #expect(trace.entries[4].post == posts[0])
    var events = stream.makeAsyncIterator()
    #expect(await events.next() == 2)
    #expect(trace.entries.suffix(2).map(\.label) == ["started", "finished"])
    #expect(trace.entries.suffix(2).allSatisfy { $0.post == posts[1] })
    #expect(Set(trace.entries.compactMap(\.registration)).count == 1)
  }

  @Test("An event for a waiting consumer of a stream is queued, started and finished by its post")
  func streamAwaited() async {
    let (bus, trace) = tracedBus()
    let stream = bus.events(.number)
    let taking = Task {
      var events = stream.makeAsyncIterator()
      return await events.next()
    }
    await until(stream.isAwaited)
    bus.post(.number, 1)
    #expect(await taking.value == 1)
    _ = await trace.first(5)
    #expect(
      trace.entries.map(\.label) == ["began", "queued", "started", "finished", "reached 1"]
    )
  }

  @Test("Events that remain in a stream are skipped as cancelled when it is released")
  func streamReleased() async {
    let (bus, trace) = tracedBus()
    var stream: EventStream<Int>? = bus.events(.number)
    for value in 1...2 { bus.post(.number, value) }
    withExtendedLifetime(stream) {}
    stream = nil
    #expect(trace.entries.map(\.label).suffix(2) == ["cancelled", "cancelled"])
    let posts = trace.entries.filter(\.isBeginning).map(\.post)
    #expect(trace.entries.suffix(2).map(\.post) == posts)
  }

  @Test("A recorded event in a stream is started and finished when a consumer takes it")
  func replayedInAStream() async {
    let name = EventName<Int>("sample.replayedStreamTrace", replay: 1)
    let (bus, trace) = tracedBus()
    bus.post(name, 1)
    let stream = bus.events(name)
    var events = stream.makeAsyncIterator()
    #expect(await events.next() == 1)
    #expect(
      trace.entries.map(\.label) == ["began", "reached 0", "queued", "started", "finished"]
    )
  }

  @Test("An enqueued event is inside the post whose handler enqueued it")
  func enqueued() async {
    let (bus, trace) = tracedBus()
    let heard = Inbox<Int>()
    let tokens = [
      bus.observe(.number) { [unowned bus] _ in bus.enqueue(.text, "later") },
      bus.observe(.text) { _ in heard.append(1) },
    ]
    bus.post(.number, 1)
    _ = await heard.first(1)
    let begun = trace.entries.filter(\.isBeginning)
    #expect(begun.map(\.name) == ["sample.number", "sample.text"])
    #expect(begun[1].outerPost == begun[0].post && begun[1].depth == 1)
    withExtendedLifetime(tokens) {}
  }

  @Test("A replayed event is delivered as part of its post")
  func replayed() {
    let name = EventName<Int>("sample.replayedTrace", replay: 1)
    let (bus, trace) = tracedBus()
    bus.post(name, 1)
    let token = bus.observe(name) { [unowned bus] _ in bus.post(.nothing) }
    let post = trace.entries[0].post
    #expect(
      trace.entries.map(\.label) == [
        "began", "reached 0", "started", "began", "reached 0", "finished",
      ]
    )
    #expect(trace.entries[2].post == post && trace.entries[3].outerPost == post)
    withExtendedLifetime(token) {}
  }

  @Test("A chain of queued deliveries does not get deeper")
  func chain() async {
    let (bus, trace) = tracedBus()
    let done = ManualLatch()
    let token = bus.observe(.number) { [unowned bus] value in
      await Task.yield()
      if value == 0 { done.open() } else { bus.post(.number, value - 1) }
    }
    bus.post(.number, 50)
    await done.wait()
    let begun = trace.entries.filter(\.isBeginning)
    #expect(begun.map(\.depth) == [0] + Array(repeating: 1, count: 50))
    #expect(begun.dropFirst().map(\.outerPost) == begun.dropLast().map { $0.post })
    withExtendedLifetime(token) {}
  }
}

extension TraceStep {
  fileprivate var isBeginning: Bool { if case .began = kind { true } else { false } }
}
