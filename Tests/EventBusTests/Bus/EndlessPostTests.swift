import EventBus
import TestSupport
import Testing

extension EventNames {
  fileprivate static let ping = EventName<Int>("endless.ping")
  fileprivate static let pong = EventName<Int>("endless.pong")
  fileprivate static let third = EventName<String>("endless.third")
}

/// The ways in which handlers post inside each other.
enum NestedWay: CaseIterable, Sendable {
  case oneName, twoNames, threeNames, fiftyNames, signal, twoBuses, filter, property,
    sharedProperty, owner, once, sender,
    observeAll, mainActor, traced, replayed, thrown

  /// Posts events, each of them inside the former.
  ///
  /// - Parameters:
  ///   - hooks: The hooks of the buses.
  ///   - goOn: Receives the number of each level, and returns whether there is to be another one.
  func post(_ hooks: EventHooks, while goOn: @escaping @Sendable (Int) -> Bool) {
    let (bus, other) = (EventBus(hooks: hooks), EventBus(hooks: hooks))
    let bag = TokenBag()
    defer { bag.cancelAll() }
    /// Observes a name of one bus with a handler that posts another event.
    func pass(_ name: EventName<Int>, on bus: EventBus, to next: EventName<Int>, of other: EventBus)
    {
      bus.observe(name) { [unowned other] in if goOn($0) { other.post(next, $0 + 1) } }.store(
        in: bag
      )
    }
    switch self {
    case .oneName: pass(.ping, on: bus, to: .ping, of: bus)
    case .twoNames:
      pass(.ping, on: bus, to: .pong, of: bus)
      pass(.pong, on: bus, to: .ping, of: bus)
    case .threeNames:
      pass(.ping, on: bus, to: .pong, of: bus)
      bus.observe(.pong) { [unowned bus] in if goOn($0) { bus.post(.third, "\($0 + 1)") } }.store(
        in: bag
      )
      bus.observe(.third) { [unowned bus] in bus.post(.ping, Int($0) ?? 0) }.store(in: bag)
    case .fiftyNames:
      pass(.ping, on: bus, to: EventName("endless.0"), of: bus)
      for name in 0..<50 {
        let next = EventName<Int>("endless.\((name + 1) % 50)")
        pass(EventName("endless.\(name)"), on: bus, to: next, of: bus)
      }
    case .signal:
      let signal = Signal<Int>(label: "endless", hooks: hooks)
      signal.observe { [unowned signal] in if goOn($0) { signal.send($0 + 1) } }.store(in: bag)
      signal.send(1)
    case .twoBuses:
      pass(.ping, on: bus, to: .ping, of: other)
      pass(.ping, on: other, to: .ping, of: bus)
    case .filter:
      let filter: @Sendable (Int) -> Bool = { [unowned bus] in
        if goOn($0) { bus.post(.ping, $0 + 1) }
        return true
      }
      bus.observe(.ping, where: filter) { _ in }.store(in: bag)
    case .property:
      // Another property each time: one that is being reported keeps a change for later.
      bus.observe(.ping) { [unowned bus] level in
        guard goOn(level) else { return }
        let model = CountedModel()
        let token = model.$count.observe { [unowned bus] in bus.post(.ping, $0.new) }
        model.count = level + 1
        token.cancel()
      }
      .store(in: bag)
    case .sharedProperty:
      bus.observe(.ping) { [unowned bus] level in
        guard goOn(level) else { return }
        let property = SharedObserved(0)
        let token = property.observe { [unowned bus] in bus.post(.ping, $0.new) }
        property.value = level + 1
        token.cancel()
      }
      .store(in: bag)
    case .owner:
      bus.observe(.ping, owner: other) { [unowned bus] in if goOn($1) { bus.post(.ping, $1 + 1) } }
    case .once:
      for _ in 0..<2_000 {
        bus.observe(.ping, once: true) { [unowned bus] in if goOn($0) { bus.post(.ping, $0 + 1) } }
          .store(in: bag)
      }
    case .sender:
      let sender = SampleSender()
      bus.observe(.ping, from: sender) { [unowned bus] in
        if goOn($0) { bus.post(.ping, $0 + 1, from: sender) }
      }
      .store(in: bag)
      bus.post(.ping, 1, from: sender)
      return
    case .observeAll:
      bus.observeAll { [unowned bus] event in
        let level = event.payload as? Int ?? 0
        if goOn(level) { bus.post(EventName<Int>("endless.\(level % 100)"), level + 1) }
      }
      .store(in: bag)
    case .mainActor:
      MainActor.assumeIsolated {
        bus.observe(.ping) { @MainActor [unowned bus] in if goOn($0) { bus.post(.ping, $0 + 1) } }
          .store(in: bag)
        bus.post(.ping, 1)
      }
      return
    case .traced:
      bus.addHooks(EventHooks(onTrace: { _ in })).store(in: bag)
      pass(.ping, on: bus, to: .ping, of: bus)
    case .replayed:
      let name = EventName<Int>("endless.replayed", replay: 1)
      pass(name, on: bus, to: name, of: bus)
      bus.post(name, 1)
    case .thrown:
      bus.addHooks(EventHooks(onError: { _ in })).store(in: bag)
      bus.observe(.ping) { [unowned bus] in
        if goOn($0) { bus.post(.ping, $0 + 1) }
        throw SampleError(number: $0)
      }
      .store(in: bag)
    }
    bus.post(.ping, 1)
  }
}

private final class CountedModel {
  @Observed var count = 0
}

@Suite("Events that cause each other without end", .timeLimit(.minutes(5)))
@MainActor
struct EndlessPostTests {
  private let messages = Log<String>()
  private var hooks: EventHooks { EventHooks(onMessage: { [messages] in messages.append($0) }) }

  @Test(
    "Posts that nest very deeply are reported once, before the stack is exhausted",
    arguments: NestedWay.allCases
  )
  func nested(_ way: NestedWay) {
    for round in 1...size(1, full: 2) {
      let (levels, after) = (Counter(), Counter())
      way.post(hooks) { [messages] _ in
        levels.add()
        if messages.count == round { after.add() }
        // The message came too late, or others follow it.
        return after.value < 20 && levels.value < 2_000
      }
      #expect(messages.count == round, "\(messages.entries)")
      #expect(levels.value > 300, "after \(levels.value) levels")
      // With many names, large frames and small stacks some levels are not counted; with single calls, those that follow
      // the nested ones are.
      if way != .fiftyNames, way != .once { #expect(levels.value < 1_200, "after \(levels.value)") }
      #expect(messages.entries.last?.contains("other posts on this thread") == true)
      #expect(messages.entries.last?.contains("endless") == true)
    }
  }

  @Test("Posts that nest less deeply are not reported", arguments: NestedWay.allCases)
  func lessDeep(_ way: NestedWay) {
    for _ in 0..<2 { way.post(hooks) { $0 < 300 } }
    #expect(messages.entries == [])
  }

  @Test("Many posts of one level are not reported, whatever the depth of the caller")
  func wide() {
    let bus = EventBus(hooks: hooks)
    let inner = bus.observe(.pong) { _ in }
    let outer = bus.observe(.ping) { [unowned bus] in
      for _ in 0..<2_000 { bus.post(.pong, $0) }
    }
    /// Posts deep inside other calls.
    func descend(_ depth: Int) -> Int {
      if depth == 0 { return bus.post(.ping, 1) }
      return descend(depth - 1) + 0 * depth
    }
    let around = bus.observe(.third) { [unowned bus] _ in
      for _ in 0..<100 { bus.post(.ping, descend(200)) }
    }
    bus.post(.third, "")
    #expect(messages.entries == [])
    withExtendedLifetime((inner, outer, around)) {}
  }

  enum QueuedWay: CaseIterable, Sendable {
    case enqueued, enqueuedOnMain, enqueuedWithSender, posted, mainActor, actor, asynchronous,
      asynchronousOnMain, mixed

    @Sendable
    func start(_ bus: EventBus, _ turns: Int, _ worker: QueuedWorker, _ sender: SampleSender)
      -> [Token]
    {
      switch self {
      case .enqueued:
        [
          bus.observe(.ping) { [unowned bus] in if $0 < turns { bus.enqueue(.pong, $0 + 1) } },
          bus.observe(.pong) { [unowned bus] in if $0 < turns { bus.enqueue(.ping, $0 + 1) } },
        ]
      case .enqueuedOnMain:
        [
          bus.observe(.ping) { @MainActor [unowned bus] in
            if $0 < turns { bus.enqueue(.pong, $0 + 1) }
          },
          bus.observe(.pong) { @MainActor [unowned bus] in
            if $0 < turns { bus.enqueue(.ping, $0 + 1) }
          },
        ]
      case .enqueuedWithSender:
        [
          bus.observe(.ping) { [unowned bus] in
            if $0 < turns { bus.enqueue(.ping, $0 + 1, from: sender, coalescing: .name) }
          }
        ]
      case .posted:
        [bus.observe(.ping) { @MainActor [unowned bus] in if $0 < turns { repost($0 + 1, bus) } }]
      case .mainActor:
        [
          bus.observe(.ping) { @MainActor [unowned bus] in if $0 < turns { bus.post(.pong, $0 + 1) }
          },
          bus.observe(.pong) { @SampleActor [unowned bus] in
            if $0 < turns { bus.post(.ping, $0 + 1) }
          },
        ]
      case .actor:
        [
          bus.observe(.ping, owner: worker) { [unowned bus] _, number in
            if number < turns { bus.post(.pong, number + 1) }
          },
          bus.observe(.pong) { @SampleActor [unowned bus] in
            if $0 < turns { bus.post(.ping, $0 + 1) }
          },
        ]
      case .asynchronous:
        [
          bus.observe(.ping) { [unowned bus] number async in
            if number < turns { bus.post(.pong, number + 1) }
          },
          bus.observe(.pong) { [unowned bus] number async in
            await Task.yield()
            if number < turns { bus.post(.ping, number + 1) }
          },
        ]
      case .asynchronousOnMain:
        [
          bus.observe(.ping) { @MainActor [unowned bus] number async in
            if number < turns { bus.post(.ping, number + 1) }
          }
        ]
      case .mixed:
        [
          bus.observe(.ping) { [unowned bus] number async in
            if number < turns { bus.enqueue(.pong, number + 1) }
          },
          bus.observe(.pong) { [unowned bus] in if $0 < turns { bus.post(.third, "\($0)") } },
          bus.observe(.third) { @MainActor [unowned bus] in
            if let number = Int($0) { bus.post(.ping, number + 1) }
          },
        ]
      }
    }
  }

  @Test(
    "A chain of a hundred thousand turns of queues is reported once",
    arguments: isFullSize ? QueuedWay.allCases : [.posted]
  )
  func queued(_ way: QueuedWay) async throws {
    let bus = EventBus(hooks: hooks)
    let (worker, sender) = (QueuedWorker(), SampleSender())
    let tokens = way.start(bus, 100_500, worker, sender)
    bus.enqueue(.ping, 1)
    try await bus.waitUntilSettled()
    #expect(messages.count == 1, "\(messages.entries.prefix(3))")
    #expect(messages.entries.first?.contains("in 100000 turns") == true)
    #expect(messages.entries.first?.contains("\"endless.") == true)
    withExtendedLifetime((tokens, worker, sender)) {}
  }

  @Test("As many events that do not cause each other are not reported")
  func unrelated() async throws {
    let bus = EventBus(hooks: hooks)
    // Each event causes one other event, while the next ones arrive.
    let first = bus.observe(.ping) { [unowned bus] in bus.enqueue(.pong, $0) }
    let second = bus.observe(.pong) { @SampleActor _ in }
    for round in 0..<41 {
      for number in 0..<2_500 { bus.enqueue(.ping, round + number) }
      try await bus.waitUntilSettled()
    }
    #expect(messages.entries == [])
    withExtendedLifetime((first, second)) {}
  }

  @Test(
    "Asynchronous handlers that wait for each other's posts are reported once, at a thousand",
    arguments: isFullSize ? [0, 1, 2] : [2]
  )
  func waiting(interceptors: Int) async {
    let bus = EventBus(hooks: hooks)
    let installed = (0..<interceptors).map { _ in
      bus.addHooks(EventHooks(interceptor: PassingInterceptor()))
    }
    let tokens = (0..<1_100).map { number in
      bus.observe(EventName<Int>("endless.\(number)")) { [unowned bus] in
        // Several posts at the depth that is reported.
        for _ in 0..<(number == 998 || number == 999 ? 2 : 1) {
          await bus.postAndWait(EventName<Int>("endless.\(number + 1)"), $0 + 1)
        }
      }
    }
    await bus.postAndWait(EventName<Int>("endless.0"), 1)
    #expect(messages.count == 1, "\(messages.entries)")
    #expect(messages.entries.first?.contains("1000 handlers") == true)
    #expect(messages.entries.first?.contains("\"endless.") == true)
    withExtendedLifetime((tokens, installed)) {}
  }
}

/// Posts without an isolation that the compiler knows, so that the event waits for the actor.
private func repost(_ number: Int, _ bus: EventBus) { bus.post(.ping, number) }

/// An actor that observes events itself.
actor QueuedWorker {}
