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

  @Test("Coalescing by name puts the newest event in the position of the first")
  func byName() async {
    bus.enqueue(.number, 1, coalescing: .name)
    bus.enqueue(.text, "a", coalescing: .name)
    bus.enqueue(.number, 2, coalescing: .name)
    bus.enqueue(.text, "b", coalescing: .name)
    bus.enqueue(.number, 3, coalescing: .name)
    #expect(await delivered() == ["number 3", "text b"])
  }

  @Test("Coalescing by name keeps events with the same string and different payload types apart")
  func byNameAndType() async {
    bus.enqueue(EventName<Int>("sample.two types"), 1, coalescing: .name)
    bus.enqueue(EventName<Bool>("sample.two types"), true, coalescing: .name)
    #expect(await delivered() == ["two types 1", "two types true"])
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

  @Test("Delivered events are never replaced")
  func afterDelivery() async {
    bus.enqueue(.number, 1, coalescing: .name)
    _ = await inbox.first(1)
    bus.enqueue(.number, 2, coalescing: .name)
    #expect(await delivered() == ["number 1", "number 2"])
  }
}
