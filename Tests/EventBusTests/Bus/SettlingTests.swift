import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Waiting until a bus has settled", .timeLimit(.minutes(5)))
struct SettlingTests {
  private let bus = EventBus(label: "tested")

  enum Receiver: CaseIterable, Sendable {
    case onActor, isolatedOwner, asynchronous, asynchronousOnActor, enqueued, enqueuedOnActor
  }

  @Test(
    "Waiting events, and the events they cause, have been handled when the wait ends",
    arguments: Receiver.allCases,
    Receiver.allCases
  )
  func caused(first: Receiver, second: Receiver) async throws {
    let (bus, worker, log) = (bus, HeldActor(), Log<Int>())
    worker.executor.open()
    // Each number is passed on once, to the other kind.
    let tokens = await worker.observe(on: bus) { number in
      log.append(number)
      if number == 0 { second.send(1, on: bus) }
    }
    for _ in 0..<3 {
      if first == .enqueuedOnActor {
        await worker.enqueue(first.name, 0, on: bus)
      } else {
        first.send(0, on: bus)
      }
    }
    try await bus.waitUntilSettled()
    #expect(log.entries.sorted() == [0, 0, 0, 1, 1, 1])
    withExtendedLifetime(tokens) {}
  }

  @MainActor
  @Test("Code on an actor can wait for the events that were queued to it")
  func onTheActor() async throws {
    let (bus, log) = (bus, Log<Int>())
    let token = bus.observe(.number) { log.append($0) }
    #expect(blockedOnThread { bus.post(.number, 1) } == 1)
    #expect(log.entries == [])
    try await bus.waitUntilSettled()
    #expect(log.entries == [1])
    withExtendedLifetime(token) {}
  }

  @Test("The wait includes a handler that runs during a post on another thread, and its events")
  func onAThread() async throws {
    let (bus, log) = (bus, Log<String>())
    let (began, mayLeave, mayFinish) = (ManualLatch(), ManualLatch(), ManualLatch())
    let tokens = [
      bus.observe(.number) { _ in
        began.open()
        mayLeave.block()
        bus.post(.text, "caused")
      },
      bus.observe(.text) { text async in
        await mayFinish.wait()
        log.append(text)
      },
    ]
    async let posting: Void = onThreads(1) { _ in bus.post(.number, 1) }
    await began.wait()
    let waiting = Task {
      try await bus.waitUntilSettled()
      log.append("settled")
    }
    await rest()
    #expect(log.entries == [])
    mayLeave.open()
    await rest()
    #expect(log.entries == [])
    mayFinish.open()
    try await waiting.value
    #expect(log.entries == ["caused", "settled"])
    await posting
    withExtendedLifetime(tokens) {}
  }

  @Test("waitUntilSettled(within: .zero) succeeds on an idle bus")
  func atOnce() async throws {
    let token = bus.observe(.number) { _ in }
    // A limit that had passed already would win now and then.
    for _ in 0..<100 {
      bus.post(.number, 1)
      try await bus.waitUntilSettled(within: .zero)
      try await EventBus().waitUntilSettled(within: .zero)
    }
    withExtendedLifetime(token) {}
  }

  @Test(
    "A handler that waits leaves its own call and its own later events out, and others wait for it"
  )
  func insideAHandler() async throws {
    let (bus, log, mayWait) = (bus, Inbox<String>(), ManualLatch())
    let tokens = [
      bus.observe(.number) { number in
        log.append("began \(number)")
        await mayWait.wait()
        try await bus.waitUntilSettled()
        log.append("ended \(number)")
      },
      bus.observe(.text) { text async in
        await Task.yield()
        log.append(text)
      },
    ]
    bus.post(.number, 1)
    bus.post(.number, 2)
    _ = await log.first(1)
    bus.post(.text, "other")
    let outside = Task { try await bus.waitUntilSettled() }
    mayWait.open()
    try await outside.value
    #expect(log.entries == ["began 1", "other", "ended 1", "began 2", "ended 2"])
    withExtendedLifetime(tokens) {}
  }

  @Test("Handlers that wait at the same time do not wait for each other")
  func eachOther() async throws {
    let (bus, gate, log) = (bus, Inbox<Int>(), Inbox<Int>())
    let tokens = (0..<3).map { number in
      bus.observe(.number) { _ in
        gate.append(number)
        _ = await gate.first(3)
        try await bus.waitUntilSettled()
        log.append(number)
      }
    }
    bus.post(.number, 1)
    try await bus.waitUntilSettled()
    #expect(Set(log.entries) == [0, 1, 2])
    withExtendedLifetime(tokens) {}
  }

  @Test("A handler that begins to wait lets one that waits already go on, before its own call ends")
  func oneAfterTheOther() async throws {
    let (bus, first, mayWait) = (bus, ManualLatch(), ManualLatch())
    let (isPosting, mayPass) = (ManualLatch(), ManualLatch())
    let tokens = [
      bus.observe(.number) { _ in
        try await bus.waitUntilSettled()
        first.open()
      },
      bus.observe(.number) { _ in
        await mayWait.wait()
        try await bus.waitUntilSettled()
        await first.wait()
      },
      // A post in progress keeps the second wait from ending before the first one has looked again.
      bus.observe(.text) { _ in
        isPosting.open()
        mayPass.block()
      },
    ]
    bus.post(.number, 1)
    await rest()
    #expect(!first.isOpen)
    async let posting: Void = onThreads(1) { _ in bus.post(.text, "slow") }
    await isPosting.wait()
    mayWait.open()
    await rest()
    mayPass.open()
    await rest()
    #expect(first.isOpen)
    first.open()
    try await bus.waitUntilSettled()
    await posting
    withExtendedLifetime(tokens) {}
  }

  @Test("A handler that waits leaves out the handler that waits for it with postAndWait")
  func belowPostAndWait() async throws {
    let (bus, errors) = (bus, Log<String>())
    let hooks = bus.addHooks(EventHooks(onError: { errors.append("\($0)") }))
    let tokens = [
      bus.observe(.number) { _ in await bus.postAndWait(.text, "inner") },
      bus.observe(.text) { _ in try await bus.waitUntilSettled() },
    ]
    bus.post(.number, 1)
    try await bus.waitUntilSettled()
    #expect(errors.entries == [])
    withExtendedLifetime((tokens, hooks)) {}
  }

  @Test("A handler of one bus waits for another bus, and its own call is part of its own bus only")
  func anotherBus() async throws {
    let (bus, other, log, mayLeave) = (bus, EventBus(), Log<String>(), ManualLatch())
    let tokens = [
      bus.observe(.number) { _ in
        try await other.waitUntilSettled()
        log.append("outer")
      },
      other.observe(.number) { _ in
        await mayLeave.wait()
        log.append("inner")
      },
    ]
    other.post(.number, 1)
    bus.post(.number, 1)
    await rest()
    #expect(log.entries == [])
    mayLeave.open()
    try await bus.waitUntilSettled()
    #expect(log.entries == ["inner", "outer"])
    withExtendedLifetime(tokens) {}
  }

  @Test("A call whose registration has ended is waited for")
  func cancelledDuringTheCall() async throws {
    let (bus, began, mayLeave, log) = (bus, ManualLatch(), ManualLatch(), Log<String>())
    let token = bus.observe(.number) { _ in
      began.open()
      await mayLeave.wait()
      log.append("handled")
    }
    bus.post(.number, 1)
    await began.wait()
    token.cancel()
    let waiting = Task {
      try await bus.waitUntilSettled()
      log.append("settled")
    }
    await rest()
    mayLeave.open()
    try await waiting.value
    #expect(log.entries == ["handled", "settled"])
  }

  @Test("Events for an actor that has died are settled")
  func deadActor() async throws {
    let holder = Holder(HeldActor())
    holder.value?.executor.open()
    await holder.value?.observeAlone(on: bus)
    holder.letGo()
    bus.post(.number, 1)
    try await bus.waitUntilSettled()
  }

  @Test("A signal and its read-only value wait for the events of the signal")
  func signals() async throws {
    let (signal, log) = (Signal<Int>(), Log<Int>())
    let token = signal.observe { number in
      await Task.yield()
      log.append(number)
    }
    signal.send(1)
    try await signal.waitUntilSettled()
    #expect(log.entries == [1])
    signal.send(2)
    try await signal.readOnly.waitUntilSettled()
    #expect(log.entries == [1, 2])
    bus.signal(.number).send(3)
    try await bus.signal(.number).waitUntilSettled()
    withExtendedLifetime(token) {}
  }

  @Test("Events in the buffer of a stream are not waited for")
  func streams() async throws {
    let stream = bus.events(.number)
    bus.post(.number, 1)
    try await bus.waitUntilSettled()
    withExtendedLifetime(stream) {}
  }

  @Test("Waiting ends with an error as soon as the task is cancelled")
  func cancelledTask() async {
    let (bus, mayLeave) = (bus, ManualLatch())
    let token = bus.observe(.number) { _ in await mayLeave.wait() }
    bus.post(.number, 1)
    for limit in [nil, Duration.seconds(600)] {
      let waiting = Task { try await bus.waitUntilSettled(within: limit) }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
    mayLeave.open()
    withExtendedLifetime(token) {}
  }

  @Test("All events of many threads are handled when a wait after the last post ends")
  func storm() async throws {
    let (bus, worker, heard) = (bus, HeldActor(), Counter())
    worker.executor.open()
    let tokens = await worker.observe(on: bus) { _ in heard.add() }
    for round in 1...rounds(200, debug: 15, sanitized: 10) {
      await onThreads(4) { thread in
        for number in 0..<5 {
          let receiver = Receiver.allCases[(thread + number) % Receiver.allCases.count]
          receiver.send(number, on: bus)
        }
      }
      try await bus.waitUntilSettled(within: .seconds(600))
      #expect(heard.value == 20 * round)
    }
    withExtendedLifetime(tokens) {}
  }
}

extension SettlingTests.Receiver {
  /// The name of the events for handlers of this kind.
  var name: EventName<Int> { EventName("sample.settling.\(self)") }

  /// Posts or enqueues an event for handlers of this kind.
  func send(_ number: Int, on bus: EventBus) {
    switch self {
    case .enqueued, .enqueuedOnActor: bus.enqueue(name, number)
    default: bus.post(name, number)
    }
  }
}

extension SettlingTests {
  @Test("When the time is up, the error names events, handlers and numbers")
  func error() async throws {
    let (clock, worker, mayLeave) = (ManualClock(), HeldActor(), ManualLatch())
    worker.executor.open()
    let (bus, began) = (bus, ManualLatch())
    let line: UInt = #line + 1
    let token = bus.observe(.number) { _ in
      began.open()
      await mayLeave.wait()
    }
    let (onActor, otherLine) = await worker.observeText(on: bus)
    worker.executor.hold()
    for number in 1...3 { bus.post(.number, number) }
    for _ in 0..<2 { bus.post(.text, "waits") }
    await began.wait()
    let waiting = Task { try await bus.waitUntilSettled(within: .seconds(5), clock: clock) }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(5))
    let error = await #expect(throws: EventBus.SettlingError.self) { try await waiting.value }
    let remaining = error?.remaining ?? []
    #expect(remaining.map(\.name) == ["sample.number", "sample.text"])
    #expect(remaining.map { $0.registeredAt?.line } == [line, otherLine])
    #expect(remaining.map(\.waitingCount) == [2, 2])
    #expect(remaining.map(\.runningCount) == [1, 0])
    #expect(error?.limit == .seconds(5))
    #expect(
      error?.description
        == "EventBus: \"tested\" did not settle within 5.0 seconds. Still busy: sample.number, handler"
        + " registered at EventBusTests/SettlingTests.swift:\(line): 2 waiting, 1 running;"
        + " sample.text, handler registered at EventBusTests/SettlingTests.swift:\(otherLine):"
        + " 2 waiting, 0 running. Let these handlers return, or pass a longer limit."
    )
    mayLeave.open()
    worker.executor.open()
    try await bus.waitUntilSettled()
    withExtendedLifetime((token, onActor)) {}
  }

  @Test("The error names events that were enqueued, and posts that are in progress")
  func otherErrors() async throws {
    let (bus, clock, worker) = (bus, ManualClock(), HeldActor())
    worker.executor.open()
    let (began, mayLeave) = (ManualLatch(), ManualLatch())
    let token = bus.observe(.number) { _ in
      began.open()
      mayLeave.block()
    }
    async let posting: Void = onThreads(1) { _ in bus.post(.number, 1) }
    await began.wait()
    await worker.enqueueTwice(.nothing, on: bus)
    let waiting = Task { try await bus.waitUntilSettled(within: .seconds(5), clock: clock) }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(5))
    let error = await #expect(throws: EventBus.SettlingError.self) { try await waiting.value }
    #expect(
      error?.remaining.map(\.description)
        == ["sample.nothing, enqueued: 2", "sample.number, posts in progress: 1"]
    )
    mayLeave.open()
    worker.executor.open()
    await posting
    try await bus.waitUntilSettled()
    withExtendedLifetime(token) {}
  }

  /// Waits until a limit has passed, and returns the error.
  private func errorAtLimit() async -> EventBus.SettlingError? {
    let clock = ManualClock()
    let waiting = Task { [bus] in try await bus.waitUntilSettled(within: .seconds(5), clock: clock)
    }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(5))
    return await #expect(throws: EventBus.SettlingError.self) { try await waiting.value }
  }

  @Test(
    "The error names a running handler whose registration has ended",
    arguments: Receiver.allCases
  )
  func endedInCall(receiver: Receiver) async throws {
    let (bus, worker) = (bus, HeldActor())
    worker.executor.open()
    let (began, mayLeave, endings) = (ManualLatch(), ManualLatch(), Log<Token>())
    for token in await worker.observe(
      on: bus,
      { _ in
        for token in endings.take() { token.cancel() }
        began.open()
        mayLeave.block()
      }
    ) {
      endings.append(token)
    }
    receiver.send(1, on: bus)
    await began.wait()
    #expect(await errorAtLimit()?.remaining.map(\.name) == [receiver.name.name])
    #expect(await errorAtLimit()?.remaining.map(\.runningCount) == [1])
    mayLeave.open()
    try await bus.waitUntilSettled()
  }

  @Test("The error names a registration with a single call, which ends before the call")
  func onceInCall() async throws {
    let (bus, began, mayLeave) = (bus, ManualLatch(), ManualLatch())
    let line: UInt = #line + 1
    let token = bus.observe(.number, once: true) { _ in
      began.open()
      await mayLeave.wait()
    }
    bus.post(.number, 1)
    await began.wait()
    let remaining = await errorAtLimit()?.remaining ?? []
    #expect(remaining.map { $0.registeredAt?.line } == [line])
    #expect(remaining.map(\.runningCount) == [1])
    mayLeave.open()
    try await bus.waitUntilSettled()
    withExtendedLifetime(token) {}
  }

  @Test("The error names an event that was discarded, while the turn for it is still to come")
  func discarded() async throws {
    let (bus, worker) = (bus, HeldActor())
    worker.executor.open()
    let (token, _) = await worker.observeText(on: bus)
    worker.executor.hold()
    bus.post(.text, "waits")
    token.cancel()
    let error = await errorAtLimit()
    #expect(error?.remaining.map(\.description) == ["sample.text, on its way"])
    worker.executor.open()
    try await bus.waitUntilSettled()
  }

  @Test(
    "The error of a wait during an endless exchange is never empty",
    arguments: Receiver.allCases,
    Receiver.allCases
  )
  func exchange(first: Receiver, second: Receiver) async throws {
    let (bus, worker, isOver) = (bus, HeldActor(), ManualLatch())
    worker.executor.open()
    let tokens = await worker.observe(on: bus) { number in
      if !isOver.isOpen { (number % 2 == 0 ? second : first).send(number + 1, on: bus) }
    }
    first.send(0, on: bus)
    let names = [first.name.name, second.name.name]
    for _ in 0..<rounds(50, debug: 6, sanitized: 5) {
      let error = await #expect(throws: EventBus.SettlingError.self) {
        try await bus.waitUntilSettled(within: .zero)
      }
      let remaining = error?.remaining ?? []
      #expect(!remaining.isEmpty)
      #expect(remaining.allSatisfy { names.contains($0.name) })
    }
    isOver.open()
    try await bus.waitUntilSettled()
    withExtendedLifetime(tokens) {}
  }

  @Test("A handler that waits for a task which waits for the bus gets an error at the limit")
  func ownTask() async throws {
    let (bus, clock, errors) = (bus, ManualClock(), Inbox<String>())
    let token = bus.observe(.number) { _ in
      let inner = Task { try await bus.waitUntilSettled(within: .seconds(5), clock: clock) }
      do { try await inner.value } catch { errors.append("\(type(of: error))") }
    }
    bus.post(.number, 1)
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(5))
    #expect(await errors.first(1) == ["SettlingError"])
    withExtendedLifetime(token) {}
  }
}

/// An actor whose jobs wait until its executor is opened.
private actor HeldActor {
  nonisolated let executor = HeldExecutor()
  private var heard = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
  }

  /// Enqueues an event of this actor.
  func enqueue(_ name: EventName<Int>, _ number: Int, on bus: EventBus) {
    bus.enqueue(name, number)
  }

  /// Enqueues two events of this actor, which then is busy.
  func enqueueTwice(_ name: EventName<Void>, on bus: EventBus) {
    executor.hold()
    for _ in 0..<2 { bus.enqueue(name) }
  }

  func observeText(on bus: EventBus) -> (Token, UInt) {
    let line: UInt = #line + 1
    let token = bus.observe(.text) { _ in self.heard += 1 }
    return (token, line)
  }

  /// Observes without keeping this actor alive.
  func observeAlone(on bus: EventBus) {
    bus.observe(.number, owner: self) { (worker: isolated HeldActor, _) in worker.heard += 1 }
  }

  /// Observes the events of each kind of receiver.
  func observe(on bus: EventBus, _ body: @escaping @Sendable (Int) -> Void) -> [Token] {
    SettlingTests.Receiver.allCases.map { receiver in
      switch receiver {
      case .onActor, .enqueuedOnActor:
        bus.observe(receiver.name) { number in
          self.heard += 1
          body(number)
        }
      case .isolatedOwner:
        bus.observe(receiver.name, owner: self) { (worker: isolated HeldActor, number) in
          worker.heard += 1
          body(number)
        }
      case .enqueued: bus.observe(receiver.name) { @Sendable number in body(number) }
      case .asynchronous:
        bus.observe(receiver.name) { @Sendable number in
          await Task.yield()
          body(number)
        }
      case .asynchronousOnActor:
        bus.observe(receiver.name) { number in
          self.heard += 1
          await Task.yield()
          body(number)
        }
      }
    }
  }
}
