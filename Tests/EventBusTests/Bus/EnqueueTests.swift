import EventBus
import TestSupport
import Testing

@Suite("Enqueued events", .timeLimit(.minutes(5)))
struct EnqueueTests {
  @MainActor
  @Test(
    "Enqueued events are delivered in a later turn of the caller's isolation, first in first out"
  )
  func laterTurn() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    var shown: [Int] = []
    let tokens = [
      bus.observe(.number) { shown.append($0) },
      bus.observe(.number) { @Sendable value in
        MainActor.assertIsolated()
        inbox.append(value)
      },
    ]
    for value in 0..<100 { bus.enqueue(.number, value) }
    #expect(shown == [])
    #expect(await inbox.first(100) == Array(0..<100))
    #expect(shown == Array(0..<100))
    withExtendedLifetime(tokens) {}
  }

  @Test("Events of different names share one order and keep their sender and payload")
  func acrossNames() async {
    let bus = EventBus()
    let sender = SampleSender()
    let inbox = Inbox<String>()
    let tokens = [
      bus.observe(.number, from: sender) { inbox.append("number \($0)") },
      bus.observe(.text) { inbox.append($0) },
      bus.observe(.nothing) { inbox.append("nothing") },
    ]
    bus.enqueue(.number, 1, from: sender)
    bus.enqueue(.text, "text")
    bus.enqueue(.number, 2)
    bus.enqueue(.nothing)
    bus.enqueue(.number, 3, from: sender)
    #expect(await inbox.first(4) == ["number 1", "text", "nothing", "number 3"])
    withExtendedLifetime(tokens) {}
  }

  @Test("An event enqueued by a handler is delivered after the waiting ones, not inside the call")
  func enqueueAgain() async {
    let bus = EventBus()
    let inbox = Inbox<String>()
    let token = bus.observe(.number) { [unowned bus] value in
      inbox.append("begin \(value)")
      if value < 10 { bus.enqueue(.number, value * 10) }
      inbox.append("end \(value)")
    }
    let beginning = bus.observe(.nothing) { [unowned bus] in
      // Nothing is delivered before this returns, so both wait.
      for value in 1...2 { bus.enqueue(.number, value) }
    }
    bus.enqueue(.nothing)
    let expected = [1, 2, 10, 20].flatMap { ["begin \($0)", "end \($0)"] }
    #expect(await inbox.first(8) == expected)
    withExtendedLifetime((token, beginning)) {}
  }

  @Test("An observer registered between enqueueing and delivery receives the event")
  func registeredBeforeDelivery() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let tokens = Log<Token>()
    tokens.append(
      bus.observe(.nothing) { [unowned bus] in
        tokens.append(bus.observe(.number) { inbox.append($0) })
      }
    )
    bus.enqueue(.nothing)
    bus.enqueue(.number, 1)
    #expect(await inbox.first(1) == [1])
    withExtendedLifetime(tokens) {}
  }

  @Test("An enqueued event keeps its sender's identity after the sender has died")
  func identityStays() async {
    let bus = EventBus()
    let inbox = Inbox<ObjectIdentifier?>()
    let token = bus.observeAll { inbox.append($0.sender) }
    var sender: SampleSender? = SampleSender()
    let identity = sender.map { ObjectIdentifier($0) }
    bus.enqueue(.number, 1, from: sender)
    sender = nil
    #expect(await inbox.first(1) == [identity])
    withExtendedLifetime((token, sender)) {}
  }

  @MainActor
  @Test("A dying bus calls neither observers nor hooks for the events it discards")
  func busDiesQuietly() async {
    let told = Log<String>()
    var hooks = EventHooks()
    hooks.onError = { told.append("\($0)") }
    hooks.onUnhandled = { told.append("unhandled \($0.name)") }
    hooks.onTrace = { told.append("\($0)") }
    let name = EventName<AtDeinit>("sample.left in a queue")
    let isGone = ManualLatch()
    var bus: EventBus? = EventBus(hooks: hooks)
    let token = bus?.observe(name) { _ in told.append("called") }
    // The main actor is here: its turn cannot come before the bus has died.
    bus?.enqueue(name, AtDeinit { isGone.open() })
    bus = nil
    await isGone.wait()
    #expect(token?.isActive == false)
    #expect(told.entries == [])
    withExtendedLifetime(bus) {}
  }
}
