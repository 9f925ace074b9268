import EventBus
import TestSupport
import Testing

/// The known defects of the platform's own notification center on Linux, one test each.
///
/// Every title states the behavior of the bus where that center fails.
@Suite("No defects of the platform's own notification center", .timeLimit(.minutes(5)))
struct PlatformDefectsTests {
  @Test("A stale token never removes another registration")
  func staleToken() {
    let bus = EventBus()
    var stale: [Token] = []
    for _ in 0..<100 {
      let token = bus.observe(.number) { _ in }
      token.cancel()
      stale.append(token)
    }
    let heard = Counter()
    let tokens = (0..<100).map { _ in bus.observe(.number) { _ in heard.add() } }
    for token in stale { token.cancel() }
    stale = []
    #expect(bus.post(.number, 1) == 100)
    #expect(heard.value == 100)
    withExtendedLifetime(tokens) {}
  }

  @Test("Delivery order is the registration order on every post")
  func deliveryOrder() {
    let bus = EventBus()
    let log = Log<Int>()
    let tokens = (0..<1_000).map { index in bus.observe(.number) { _ in log.append(index) } }
    bus.post(.number, 1)
    bus.post(.number, 2)
    #expect(log.entries == Array(0..<1_000) + Array(0..<1_000))
    withExtendedLifetime(tokens) {}
  }

  @Test("Observers removed during a post are not called")
  func removedDuringAPost() {
    let bus = EventBus()
    let victims = TokenBag()
    let first = bus.observe(.number) { _ in victims.cancelAll() }
    for _ in 0..<10 {
      bus.observe(.number) { _ in Issue.record("Was removed.") }.store(in: victims)
    }
    #expect(bus.post(.number, 1) == 1)
    withExtendedLifetime(first) {}
  }

  @Test("An observer of a dead object never receives events of a new object at its address")
  func sameAddress() {
    let bus = EventBus()
    let bag = TokenBag()
    let cameBack = SampleSender.replaceAtSameAddress { sender in
      bus.observe(.number, from: sender) { _ in Issue.record("A stranger was heard.") }
        .store(in: bag)
    } replace: { stranger in
      #expect(bus.post(.number, 1, from: stranger) == 0)
    }
    #expect(cameBack)
    bag.cancelAll()
  }

  @Test("Asynchronous handlers receive events in order, and none after cancellation")
  func asyncMessages() async {
    let bus = EventBus()
    let (inbox, mayStop) = (Inbox<Int>(), ManualLatch())
    let token = bus.observe(.number) { value in
      await Task.yield()
      inbox.append(value)
      if value == 199 { await mayStop.wait() }
    }
    for value in 0..<400 { bus.post(.number, value) }
    #expect(await inbox.first(200) == Array(0..<200))
    token.cancel()
    mayStop.open()
    await token.waitUntilFinished()
    #expect(inbox.entries.count == 200)
  }

  @Test("next() returns nil after cancellation")
  func nextAfterCancellation() async {
    let bus = EventBus()
    let waiting = Task {
      var events = bus.events(.number).makeAsyncIterator()
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }  // Reason: used in place.
      return await [events.next(), events.next()]
    }
    #expect(await waiting.value == [nil, nil])
  }

  @Test("Typed and untyped posts under one string are independent events")
  func typedAndUntyped() {
    let bus = EventBus()
    let typed = EventName<Int>("sample.one name for two")
    let untyped = EventName<Void>("sample.one name for two")
    let log = Log<String>()
    let tokens = [
      bus.observe(typed) { log.append("typed \($0)") },
      bus.observe(untyped) { log.append("untyped") },
    ]
    #expect(bus.post(typed, 1) == 1)
    #expect(bus.post(untyped) == 1)
    #expect(log.entries == ["typed 1", "untyped"])
    withExtendedLifetime(tokens) {}
  }

  @Test("Enqueued events are delivered first in first out")
  func queuedOrder() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let token = bus.observe(.number) { inbox.append($0) }
    for value in 0..<100 { bus.enqueue(.number, value) }
    #expect(await inbox.first(100) == Array(0..<100))
    withExtendedLifetime(token) {}
  }

  @Test("An event may be enqueued inside the delivery of an enqueued event")
  func enqueueInsideADelivery() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let token = bus.observe(.number) { [unowned bus] value in
      if value < 100 { bus.enqueue(.number, value + 1) }
      inbox.append(value)
    }
    bus.enqueue(.number, 0)
    #expect(await inbox.first(101) == Array(0...100))
    withExtendedLifetime(token) {}
  }

  // Closures are destroyed outside the lock, so that their captures may use the bus.
  @Test("Dropping a token whose closure owns a token or posts in a deinit is safe")
  func droppedClosures() {
    let bus = EventBus()
    let heard = Log<Int>()
    let listening = bus.observe(.number) { heard.append($0) }
    let inner = Holder(bus.observe(.text) { _ in })
    var outer: Token? = bus.observe(.text) { [token = inner.value] _ in
      withExtendedLifetime(token) {}
    }
    inner.letGo()
    #expect(bus.post(.text, "both") == 2)
    withExtendedLifetime(outer) {}
    outer = nil
    #expect(bus.post(.text, "neither") == 0)
    let end = Holder(AtDeinit { [unowned bus] in bus.post(.number, 7) })
    var posting: Token? = bus.observe(.text) { [end = end.value] _ in end?.touch() }
    end.letGo()
    withExtendedLifetime(posting) {}
    posting = nil
    #expect(heard.entries == [7])
    withExtendedLifetime((listening, outer, posting)) {}
  }

  /// An actor that only the handler written on it retains.
  private actor Temporary {
    func observe(_ bus: EventBus, _ inbox: Inbox<Int>) -> Token {
      bus.observe(.number) { value in
        self.preconditionIsolated()
        inbox.append(value)
      }
    }
  }

  @Test("An observer on a temporary actor is called")
  func temporaryQueue() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let token = await Temporary().observe(bus, inbox)
    bus.post(.number, 1)
    #expect(await inbox.first(1) == [1])
    withExtendedLifetime(token) {}
  }
}
