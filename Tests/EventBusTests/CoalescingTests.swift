import EventBus
import TestSupport
import Testing

/// All on the main actor, so that nothing is delivered before the test gives way.
@MainActor
@Suite("Coalescing", .timeLimit(.minutes(5)))
struct CoalescingTests {
  private let bus = EventBus()
  private let inbox = Inbox<String>()
  private let bag = TokenBag()

  private init() {
    let inbox = inbox
    bus.observeAll { @Sendable event in inbox.append("\(event.name) \(event.payload)") }
      .store(in: bag)
  }

  /// What was delivered, without the names' common beginning.
  private func delivered() async -> [String] {
    bus.enqueue(.text, "end")
    while inbox.entries.last != "sample.text end" {
      let count = inbox.entries.count
      if await inbox.first(count + 1).count == count { break }
    }
    return inbox.entries.dropLast().map { $0.split(separator: ".").last.map(String.init) ?? $0 }
  }

  @Test("Without it every event is delivered")
  func none() async {
    for value in 1...3 { bus.enqueue(.number, value) }
    bus.enqueue(.number, 4, coalescing: .none)
    #expect(await delivered() == ["number 1", "number 2", "number 3", "number 4"])
  }

  @Test("By name, the newest event takes the first one's place")
  func byName() async {
    bus.enqueue(.number, 1, coalescing: .name)
    bus.enqueue(.text, "a", coalescing: .name)
    bus.enqueue(.number, 2, coalescing: .name)
    bus.enqueue(.text, "b", coalescing: .name)
    bus.enqueue(.number, 3, coalescing: .name)
    #expect(await delivered() == ["number 3", "text b"])
  }

  @Test("By name, it does not matter who sends")
  func byNameWhoeverSends() async {
    let (one, other) = (SampleSender(), SampleSender())
    bus.enqueue(.number, 1, from: one, coalescing: .name)
    bus.enqueue(.number, 2, from: other, coalescing: .name)
    bus.enqueue(.number, 3, coalescing: .name)
    #expect(await delivered() == ["number 3"])
  }

  @Test("By name, the same string with another payload type is another event")
  func byNameAndType() async {
    bus.enqueue(EventName<Int>("sample.two types"), 1, coalescing: .name)
    bus.enqueue(EventName<Bool>("sample.two types"), true, coalescing: .name)
    #expect(await delivered() == ["two types 1", "two types true"])
  }

  @Test("By sender, the newest of one sender takes the first one's place, whatever the name")
  func bySender() async {
    let (one, other) = (SampleSender(), SampleSender())
    bus.enqueue(.number, 1, from: one, coalescing: .sender)
    bus.enqueue(.number, 2, from: other, coalescing: .sender)
    bus.enqueue(.text, "a", from: one, coalescing: .sender)
    bus.enqueue(.number, 3, from: other, coalescing: .sender)
    #expect(await delivered() == ["text a", "number 3"])
  }

  @Test("By name and sender, both must be the same")
  func byNameAndSender() async {
    let (one, other) = (SampleSender(), SampleSender())
    bus.enqueue(.number, 1, from: one, coalescing: .nameAndSender)
    bus.enqueue(.number, 2, from: other, coalescing: .nameAndSender)
    bus.enqueue(.text, "a", from: one, coalescing: .nameAndSender)
    bus.enqueue(.number, 3, from: one, coalescing: .nameAndSender)
    bus.enqueue(.text, "b", from: other, coalescing: .nameAndSender)
    #expect(await delivered() == ["number 3", "number 2", "text a", "text b"])
  }

  @Test("The newest event brings its own sender")
  func newestSender() async {
    let (one, other) = (SampleSender(), SampleSender())
    let heard = Log<String>()
    bus.observe(.number, from: one) { @Sendable value in heard.append("one \(value)") }
      .store(in: bag)
    bus.observe(.number, from: other) { @Sendable value in heard.append("other \(value)") }
      .store(in: bag)
    bus.enqueue(.number, 1, from: one, coalescing: .name)
    bus.enqueue(.number, 2, from: other, coalescing: .name)
    _ = await delivered()
    #expect(heard.entries == ["other 2"])
  }

  @Test("No new object is taken for a dead sender: none has its address while the event waits")
  func sameAddress() async {
    var count = 0
    let cameBack = SampleSender.replaceAtSameAddress { sender in
      count += 1
      bus.enqueue(.number, 0, from: sender, coalescing: .sender)
    } replace: { stranger in
      count += 1
      bus.enqueue(.number, 1, from: stranger, coalescing: .sender)
    }
    #expect(!cameBack)
    #expect(await delivered().count == count)
  }

  @Test("By name and sender, every waiting event that matches gives way to the newest")
  func everyMatchByNameAndSender() async {
    let (one, other) = (SampleSender(), SampleSender())
    for value in 1...3 {
      bus.enqueue(.number, value, from: one)
      bus.enqueue(.text, "a\(value)", from: other)
    }
    bus.enqueue(.number, 4, from: other)
    bus.enqueue(.number, 5, from: one, coalescing: .nameAndSender)
    #expect(
      await delivered() == ["number 5", "text a1", "text a2", "text a3", "number 4"]
    )
  }

  @Test("By sender, every waiting event that matches gives way to the newest")
  func everyMatchBySender() async {
    let (one, other) = (SampleSender(), SampleSender())
    for value in 1...3 {
      bus.enqueue(.text, "a\(value)", from: other)
      bus.enqueue(.number, value, from: one)
    }
    bus.enqueue(.text, "b", from: one, coalescing: .sender)
    #expect(await delivered() == ["text a1", "text b", "text a2", "text a3"])
  }

  @Test("By name, every waiting event that matches gives way to the newest, and is freed")
  func everyMatchByName() async {
    let name = EventName<Tally.Probe>("sample.coalesced probe")
    let tally = Tally()
    for value in 1...3 {
      bus.enqueue(name, tally.probe())
      bus.enqueue(.number, value)
    }
    bus.enqueue(name, tally.probe(), coalescing: .name)
    #expect(tally.live == 1)
    bus.enqueue(.number, 4, coalescing: .name)
    #expect(await delivered().count == 2)
  }

  @Test("By sender, events without a sender are not taken for one another")
  func withoutSender() async {
    bus.enqueue(.number, 1, coalescing: .sender)
    bus.enqueue(.text, "a", coalescing: .sender)
    #expect(await delivered() == ["number 1", "text a"])
  }

  @Test("What was delivered is no longer there to be replaced")
  func afterDelivery() async {
    bus.enqueue(.number, 1, coalescing: .name)
    _ = await inbox.first(1)
    bus.enqueue(.number, 2, coalescing: .name)
    #expect(await delivered() == ["number 1", "number 2"])
  }

  @Test("What is enqueued while the queue is delivered does not replace what is being delivered")
  func duringDelivery() async {
    bus.observe(.number) { @Sendable [unowned bus] value in
      if value == 1 { bus.enqueue(.number, 2, coalescing: .name) }
    }.store(in: bag)
    bus.enqueue(.number, 1, coalescing: .name)
    _ = await inbox.first(2)
    #expect(await delivered() == ["number 1", "number 2"])
  }
}
