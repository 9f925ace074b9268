import EventBus
import TestSupport
import Testing

@Suite("Enqueued events", .timeLimit(.minutes(5)))
struct EnqueueTests {
  /// Enqueues for itself and returns the events that had arrived before it suspended.
  private actor Place {
    private(set) var heard: [Int] = []

    func observe(_ bus: EventBus, _ inbox: Inbox<Int>) {
      bus.observe(.number, owner: self) { (place: isolated Place, value) in
        place.heard.append(value)
        inbox.append(value)
      }
    }

    func enqueue(_ values: [Int], on bus: EventBus) -> [Int] {
      for value in values { bus.enqueue(.number, value) }
      return heard
    }
  }

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

  @Test("Enqueued events are delivered first in first out on any actor")
  func onAnActor() async {
    let bus = EventBus()
    let (place, inbox) = (Place(), Inbox<Int>())
    await place.observe(bus, inbox)
    #expect(await place.enqueue([1, 2, 3], on: bus) == [])
    #expect(await inbox.first(3) == [1, 2, 3])
    #expect(await place.heard == [1, 2, 3])
  }

  @Test("Events enqueued without an isolation are delivered from a task, in order per bus")
  func withoutIsolation() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let token = bus.observe(.number) { inbox.append($0) }
    let thread = Log<ThreadID>()
    await onThreads(1) { _ in
      thread.append(.current)
      for value in 0..<1_000 { bus.enqueue(.number, value) }
    }
    #expect(await inbox.first(1_000) == Array(0..<1_000))
    withExtendedLifetime(token) {}
  }

  @Test("Events enqueued by several threads arrive once each, in each thread's order")
  func severalThreads() async {
    let (threads, count) = (3, 500)
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let token = bus.observe(.number) { inbox.append($0) }
    await onThreads(threads) { thread in
      for value in 0..<count { bus.enqueue(.number, value * threads + thread) }
    }
    let heard = await inbox.first(threads * count)
    for thread in 0..<threads {
      #expect(heard.filter { $0 % threads == thread } == (0..<count).map { $0 * threads + thread })
    }
    #expect(inbox.entries.count == threads * count)
    withExtendedLifetime(token) {}
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
    let (inbox, mayGo) = (Inbox<Int>(), ManualLatch())
    let tokens = Log<Token>()
    tokens.append(
      bus.observe(.nothing) { [unowned bus] in
        tokens.append(bus.observe(.number) { inbox.append($0) })
      }
    )
    bus.enqueue(.nothing)
    bus.enqueue(.number, 1)
    mayGo.open()
    #expect(await inbox.first(1) == [1])
    withExtendedLifetime(tokens) {}
  }

  @Test("An enqueued event does not retain its sender, and a sender may enqueue in its deinit")
  func senderIsNotKept() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let bag = TokenBag()
    bus.observe(.number) { inbox.append($0) }.store(in: bag)
    bus.observe(.nothing) { [unowned bus] in
      // No other event is delivered before this returns, so no delivery needs the sender meanwhile.
      var leaver: SampleLeaver? = SampleLeaver { [unowned bus] sender in
        bus.enqueue(.number, 2, from: sender)
      }
      weak let watched = leaver
      if let leaver {
        bus.enqueue(.number, 1, from: leaver)
        bus.observe(.number, from: leaver) { #expect($0 == 1) }.store(in: bag)
      }
      leaver = nil
      #expect(watched == nil)
      withExtendedLifetime(leaver) {}
    }
    .store(in: bag)
    bus.enqueue(.nothing)
    #expect(await inbox.first(2) == [1, 2])
    withExtendedLifetime(bag) {}
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

  @Test("A dying bus delivers no waiting events and releases them")
  func busDies() async {
    let name = EventName<Tally.Probe>("sample.probe in a queue")
    let tally = Tally()
    var bus: EventBus? = EventBus()
    let token = bus?.observe(name) { _ in }
    bus?.enqueue(name, tally.probe())
    bus = nil
    await until(tally.live == 0)
    #expect(tally.live == 0)
    withExtendedLifetime((bus, token)) {}
  }

  @MainActor
  @Test("Enqueueing breaks a cycle of posts")
  func cycle() async {
    let (bus, inbox) = (EventBus(), Inbox<Int>())
    // The cycle never ends by itself: it may still turn when the bus goes away.
    let token = bus.observe(.number) { [weak bus] value in
      inbox.append(value)
      bus?.enqueue(.number, value + 1)
    }
    bus.post(.number, 0)
    #expect(await inbox.first(200) == Array(0..<200))
    token.cancel()
  }

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
