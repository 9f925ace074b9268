import EventBus
import TestSupport
import Testing

extension EventNames {
  fileprivate static let crowded = EventName<Int>("crowded.number")
}

@Suite("Queues that grow", .timeLimit(.minutes(5)))
@MainActor
struct CrowdedQueueTests {
  /// A queue in which events wait.
  enum Queue: CaseIterable, Sendable {
    case stream, filteredStream, boundedStream, signalStream, mainActor, mainActorOwner, actorOwner,
      everyEvent,
      asynchronous, asynchronousOnMain, enqueued, enqueuedOnMain
  }

  private let messages = Log<String>()
  private let mayLeave = ManualLatch()

  /// Makes the queue, and returns what keeps it and a closure that posts events.
  private func make(_ queue: Queue, _ worker: HeldActor) async -> (
    Any, @MainActor (Range<Int>) -> Void
  ) {
    let hooks = EventHooks(onMessage: { [messages] in messages.append($0) })
    let (bus, signal) = (EventBus(hooks: hooks), Signal<Int>(label: "crowded.signal", hooks: hooks))
    let post: @MainActor (Range<Int>) -> Void = { for number in $0 { bus.post(.crowded, number) } }
    let postElsewhere: @MainActor (Range<Int>) -> Void = { numbers in
      blockedOnThread { for number in numbers { bus.post(.crowded, number) } }
    }
    let (mayLeave, began) = (mayLeave, ManualLatch())
    switch queue {
    case .stream: return (bus.events(.crowded), post)
    case .filteredStream: return (bus.events(.crowded, where: { $0 >= 0 }), post)
    case .boundedStream: return (bus.events(.crowded, buffering: .bufferingNewest(1_000_000)), post)
    case .signalStream: return (signal.events(), { for number in $0 { signal.send(number) } })
    case .mainActor: return (bus.observe(.crowded) { @MainActor _ in }, postElsewhere)
    case .mainActorOwner:
      let panel = Panel()
      bus.observe(.crowded, owner: panel) { @MainActor _, _ in }
      return (panel, postElsewhere)
    case .actorOwner:
      bus.observe(.crowded, owner: worker) { _, _ in }
      return (bus, post)
    case .everyEvent:
      bus.observeAll(owner: worker) { _, _ in }
      return (bus, post)
    case .asynchronous:
      let wait: @concurrent @Sendable (Int) async -> Void = { _ in await mayLeave.wait() }
      return (bus.observe(.crowded, wait), post)
    case .asynchronousOnMain:
      return (bus.observe(.crowded) { @MainActor _ in await mayLeave.wait() }, post)
    case .enqueued:
      // A constant of this type does not belong to the main actor.
      let block: @Sendable (String) -> Void = { _ in
        began.open()
        mayLeave.block()
      }
      let token = bus.observe(.text, block)
      bus.enqueueElsewhere(.text, "blocks the turn")
      await began.wait()
      return (token, { for number in $0 { bus.enqueueElsewhere(.crowded, number) } })
    case .enqueuedOnMain: return (bus, { for number in $0 { bus.enqueue(.crowded, number) } })
    }
  }

  @Test(
    "A queue is reported when it exceeds 10,000 events, and each time twice as many",
    arguments: Queue.allCases
  )
  func doubling(_ queue: Queue) async {
    let executor = HeldExecutor()
    let worker = HeldActor(executor)
    let (kept, post) = await make(queue, worker)
    // A call of an asynchronous handler may have begun: its event waits no more.
    post(0..<9_990)
    #expect(messages.entries == [])
    post(9_990..<10_010)
    #expect(messages.count == 1, "\(messages.entries)")
    #expect(messages.entries.first?.contains("10001") == true)
    let name = queue == .everyEvent ? "\"*\"" : "\"crowded."
    #expect(messages.entries.first?.contains(name) == true)
    post(10_010..<19_990)
    #expect(messages.count == 1)
    post(19_990..<size(21_000, full: 41_000))
    #expect(messages.count == size(2, full: 3), "\(messages.entries)")
    mayLeave.open()
    executor.open()
    withExtendedLifetime(kept) {}
  }

  @Test("A queue that is emptied in time is not reported, however many events pass through it")
  func emptied() async {
    let bus = EventBus(hooks: EventHooks(onMessage: { [messages] in messages.append($0) }))
    let stream = bus.events(.crowded)
    var reader = stream.makeAsyncIterator()
    let token = bus.observe(.crowded) { @MainActor _ in }
    for _ in 0..<5 {
      blockedOnThread { for number in 0..<9_000 { bus.post(.crowded, number) } }
      // Handles what waits for the main actor.
      bus.post(.nothing)
      for _ in 0..<9_000 { _ = await reader.next() }
    }
    #expect(messages.entries == [])
    withExtendedLifetime(token) {}
  }

  @Test("Events of ended registrations do not count")
  func ended() {
    let bus = EventBus(hooks: EventHooks(onMessage: { [messages] in messages.append($0) }))
    for _ in 0..<5 {
      let tokens = (0..<10).map { _ in bus.observe(.crowded) { @MainActor _ in } }
      blockedOnThread { for number in 0..<900 { bus.post(.crowded, number) } }
      for token in tokens { token.cancel() }
    }
    #expect(messages.entries == [])
  }
}

extension EventBus {
  /// Enqueues an event without an isolation.
  fileprivate nonisolated func enqueueElsewhere<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload
  ) {
    enqueue(name, payload)
  }
}
