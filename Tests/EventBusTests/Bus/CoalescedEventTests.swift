import EventBus
import TestSupport
import Testing

/// All on the main actor, so that nothing is delivered before the test gives way.
@MainActor
@Suite("Coalescing of many enqueued events", .timeLimit(.minutes(5)))
struct CoalescedEventTests {
  private static let object = EventName<AtDeinit>("coalesced.object")
  private static let other = EventName<Int>("coalesced.other")

  private let bus = EventBus()
  private let bag = TokenBag()

  /// Enqueues numbers; all calls are at one source site.
  private func enqueue(_ values: Range<Int>, _ name: EventName<Int> = .number) {
    for value in values { bus.enqueue(name, value) }
  }

  /// Returns the names and payloads of the events delivered in a number of turns.
  private func delivered(turns: Int = 1) async -> [String] {
    var shown: [String] = []
    let token = bus.observeAll { event in
      shown.append("\(event.name.split(separator: ".").last ?? "") \(event.payload)")
    }
    for _ in 0..<turns {
      let isOver = ManualLatch()
      bus.observe(.nothing, once: true) { isOver.open() }.store(in: bag)
      bus.enqueue(.nothing)
      await isOver.wait()
    }
    withExtendedLifetime(token) {}
    return shown.filter { $0 != "nothing ()" }
  }

  @Test("Coalescing by name replaces all events of the name at the position of the first")
  func byName() async {
    bus.enqueue(.text, "first")
    enqueue(0..<600)
    bus.enqueue(.text, "second")
    enqueue(600..<610)
    enqueue(0..<2, Self.other)
    bus.enqueue(.number, 1_000, coalescing: .name)
    enqueue(2_000..<2_002)
    let expected = ["text first", "number 1000", "text second", "other 0", "other 1"]
    #expect(await delivered() == expected + ["number 2000", "number 2001"])
  }

  @Test("Later events from the same place follow an event that replaces the last ones")
  func replacedAtEnd() async {
    for value in 0..<6 { bus.enqueue(.number, value, coalescing: value == 3 ? .name : .none) }
    #expect(await delivered() == ["number 3", "number 4", "number 5"])
  }

  @Test("The events being delivered are not replaced")
  func duringDelivery() async {
    bus.observe(.number) { [bus] value in
      if value == 1 { bus.enqueue(.number, 10, coalescing: .name) }
    }
    .store(in: bag)
    enqueue(0..<4)
    #expect(await delivered(turns: 2) == [0, 1, 2, 3, 10].map { "number \($0)" })
  }

  @Test("The payloads of replaced events are freed at once, with no lock held")
  func freed() async {
    let calls = Counter()
    bus.observe(Self.object) { object in
      object.touch()
      calls.add()
    }
    .store(in: bag)
    for value in 0..<600 {
      let payload = AtDeinit { [bus] in
        MainActor.assumeIsolated { bus.enqueue(.number, value) }
      }
      bus.enqueue(Self.object, payload)
    }
    bus.enqueue(
      Self.object,
      AtDeinit { [bus] in
        MainActor.assumeIsolated { bus.enqueue(.text, "freed") }
      },
      coalescing: .name
    )
    // A lock would stop the first of them for ever.
    bus.enqueue(.text, "between")
    let shown = await delivered(turns: 2).filter { !$0.hasPrefix("object") }
    #expect(shown == (0..<600).map { "number \($0)" } + ["text between", "text freed"])
    #expect(calls.value == 1)
  }

  private struct Event {
    let name: EventName<Int>
    let sender: SampleSender?
    let value: Int
  }

  @Test("Events are replaced in the same way as in a model, by any option and any sender")
  func model() async {
    for seed in 1...size(10, full: 20) { await compare(seed) }
  }

  private func compare(_ seed: Int) async {
    var numbers = SampleNumbers(seed: seed)
    let senders = [nil, nil, nil, SampleSender(), SampleSender()]
    let options: [Coalescing] = [.name, .nameAndSender]
    let names: [EventName<Int>] = [.number, Self.other]
    var model: [Event] = []
    for value in 0..<200 {
      let event = Event(
        name: names[numbers.next(below: 2)],
        sender: senders[numbers.next(below: senders.count)],
        value: value
      )
      let isSingle = numbers.next(below: 20) > 0
      let option = isSingle ? Coalescing.none : options[numbers.next(below: options.count)]
      bus.enqueue(event.name, value, from: event.sender, coalescing: option)
      func isReplaced(_ waiting: Event) -> Bool {
        let isSameName = waiting.name.name == event.name.name
        let isSameSender = waiting.sender === event.sender
        return switch option {
        case .none: false
        case .name: isSameName
        case .nameAndSender: isSameName && isSameSender
        }
      }
      let place = model.firstIndex(where: isReplaced) ?? model.count
      model.removeAll(where: isReplaced)
      model.insert(event, at: place)
    }
    let expected = model.map { event in
      "\(event.name.name.split(separator: ".").last ?? "") \(event.value)"
    }
    #expect(await delivered() == expected, "seed \(seed)")
  }
}
