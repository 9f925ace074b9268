import EventBus
import TestSupport
import Testing

/// All on the main actor, so that nothing is delivered before the test gives way.
@MainActor
@Suite("Coalescing of enqueued events", .timeLimit(.minutes(5)))
struct CoalescingTests {
  private let bus = EventBus()
  private let inbox = Inbox<String>()
  private let bag = TokenBag()

  private init() {
    let inbox = inbox
    bus.observeAll { @Sendable event in inbox.append("\(event.name) \(event.payload)") }
      .store(in: bag)
  }

  /// Returns the delivered events, without the common prefix of the names.
  private func delivered() async -> [String] {
    bus.enqueue(.text, "end")
    while inbox.entries.last != "sample.text end" {
      let count = inbox.entries.count
      if await inbox.first(count + 1).count == count { break }
    }
    return inbox.entries.dropLast().map { $0.split(separator: ".").last.map(String.init) ?? $0 }
  }

  @Test("Without coalescing every event is delivered")
  func none() async {
    for value in 1...3 { bus.enqueue(.number, value) }
    bus.enqueue(.number, 4, coalescing: .none)
    #expect(await delivered() == ["number 1", "number 2", "number 3", "number 4"])
  }

  @Test("Coalescing by name puts the newest event in the position of the first")
  func byName() async {
    bus.enqueue(.number, 1, coalescing: .name)
    bus.enqueue(.text, "a", coalescing: .name)
    bus.enqueue(.number, 2, coalescing: .name)
    bus.enqueue(.text, "b", coalescing: .name)
    bus.enqueue(.number, 3, coalescing: .name)
    #expect(await delivered() == ["number 3", "text b"])
  }

  @Test("Coalescing by name ignores the sender")
  func byNameWhoeverSends() async {
    let (one, other) = (SampleSender(), SampleSender())
    bus.enqueue(.number, 1, from: one, coalescing: .name)
    bus.enqueue(.number, 2, from: other, coalescing: .name)
    bus.enqueue(.number, 3, coalescing: .name)
    #expect(await delivered() == ["number 3"])
  }

  @Test("Coalescing by name keeps events with the same string and different payload types apart")
  func byNameAndType() async {
    bus.enqueue(EventName<Int>("sample.two types"), 1, coalescing: .name)
    bus.enqueue(EventName<Bool>("sample.two types"), true, coalescing: .name)
    #expect(await delivered() == ["two types 1", "two types true"])
  }

  @Test("Coalescing by sender replaces the sender's first event, whatever its name")
  func bySender() async {
    let (one, other) = (SampleSender(), SampleSender())
    bus.enqueue(.number, 1, from: one, coalescing: .sender)
    bus.enqueue(.number, 2, from: other, coalescing: .sender)
    bus.enqueue(.text, "a", from: one, coalescing: .sender)
    bus.enqueue(.number, 3, from: other, coalescing: .sender)
    #expect(await delivered() == ["text a", "number 3"])
  }

  @Test("Coalescing by name and sender requires both to match")
  func byNameAndSender() async {
    let (one, other) = (SampleSender(), SampleSender())
    bus.enqueue(.number, 1, from: one, coalescing: .nameAndSender)
    bus.enqueue(.number, 2, from: other, coalescing: .nameAndSender)
    bus.enqueue(.text, "a", from: one, coalescing: .nameAndSender)
    bus.enqueue(.number, 3, from: one, coalescing: .nameAndSender)
    bus.enqueue(.text, "b", from: other, coalescing: .nameAndSender)
    #expect(await delivered() == ["number 3", "number 2", "text a", "text b"])
  }

  @Test("The newest event keeps its own sender")
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

  @Test("No new object can have a dead sender's address while that sender's event waits")
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

  @Test("Coalescing by name and sender replaces every matching event that waits")
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

  @Test("Coalescing by sender replaces every matching event that waits")
  func everyMatchBySender() async {
    let (one, other) = (SampleSender(), SampleSender())
    for value in 1...3 {
      bus.enqueue(.text, "a\(value)", from: other)
      bus.enqueue(.number, value, from: one)
    }
    bus.enqueue(.text, "b", from: one, coalescing: .sender)
    #expect(await delivered() == ["text a1", "text b", "text a2", "text a3"])
  }

  @Test("Coalescing by name replaces every matching event that waits and frees it")
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

  @Test("Coalescing by sender keeps events without a sender apart")
  func withoutSender() async {
    bus.enqueue(.number, 1, coalescing: .sender)
    bus.enqueue(.text, "a", coalescing: .sender)
    #expect(await delivered() == ["number 1", "text a"])
  }

  @Test("Delivered events are never replaced")
  func afterDelivery() async {
    bus.enqueue(.number, 1, coalescing: .name)
    _ = await inbox.first(1)
    bus.enqueue(.number, 2, coalescing: .name)
    #expect(await delivered() == ["number 1", "number 2"])
  }

  @Test("Events enqueued during delivery do not replace the events being delivered")
  func duringDelivery() async {
    bus.observe(.number) { @Sendable [unowned bus] value in
      if value == 1 { bus.enqueue(.number, 2, coalescing: .name) }
    }.store(in: bag)
    bus.enqueue(.number, 1, coalescing: .name)
    _ = await inbox.first(2)
    #expect(await delivered() == ["number 1", "number 2"])
  }
}
