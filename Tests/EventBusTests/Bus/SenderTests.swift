import EventBus
import TestSupport
import Testing

@Suite("Observers of one sender")
struct SenderTests {
  @Test("An observer of one sender receives that sender's events and no others")
  func onlyThatSender() {
    let bus = EventBus()
    let (one, other) = (SampleSender(), SampleSender())
    let log = Log<Int>()
    let token = bus.observe(.number, from: one) { log.append($0) }
    #expect(bus.post(.number, 1, from: one) == 1)
    #expect(bus.post(.number, 2, from: other) == 0)
    #expect(bus.post(.number, 3, from: one) == 1)
    #expect(log.entries == [1, 3])
    withExtendedLifetime(token) {}
  }

  @Test("A post without a sender never reaches observers of a sender")
  func withoutSender() {
    let bus = EventBus()
    let sender = SampleSender()
    let token = bus.observe(.number, from: sender) { _ in Issue.record("Nobody sent it.") }
    #expect(bus.post(.number, 1) == 0)
    withExtendedLifetime((token, sender)) {}
  }

  @Test("An observer of any sender receives posts with and without a sender")
  func namedNobody() {
    let bus = EventBus()
    let (one, other) = (SampleSender(), SampleSender())
    let log = Log<Int>()
    let token = bus.observe(.number) { log.append($0) }
    bus.post(.number, 1, from: one)
    bus.post(.number, 2, from: other)
    bus.post(.number, 3)
    #expect(log.entries == [1, 2, 3])
    withExtendedLifetime(token) {}
  }

  @Test("Senders are matched by identity, not by equality")
  func byIdentity() {
    let bus = EventBus()
    let (one, other) = (EventName<Int>("sample.equal"), EventName<Int>("sample.equal"))
    #expect(one == other)
    let token = bus.observe(.number, from: one) { _ in }
    #expect(bus.post(.number, 1, from: one) == 1)
    #expect(bus.post(.number, 1, from: other) == 0)
    withExtendedLifetime(token) {}
  }

  @Test("Neither the observer nor the post retains the sender")
  func senderIsWeak() {
    let bus = EventBus()
    var sender: SampleSender? = SampleSender()
    weak let watched = sender
    let token = sender.map { bus.observe(.number, from: $0) { _ in } }
    if let sender { bus.post(.number, 1, from: sender) }
    sender = nil
    #expect(watched == nil)
    withExtendedLifetime((token, sender)) {}
  }

  @Test("A new object at the address of a dead sender never matches")
  func sameAddress() {
    let bus = EventBus()
    let bag = TokenBag()
    let cameBack = SampleSender.replaceAtSameAddress { sender in
      bus.observe(.number, from: sender) { _ in Issue.record("A stranger was heard.") }
        .store(in: bag)
    } replace: { stranger in
      #expect(bus.post(.number, 1, from: stranger) == 0)
      let token = bus.observe(.number, from: stranger) { _ in }
      #expect(bus.post(.number, 2, from: stranger) == 1)
      withExtendedLifetime(token) {}
    }
    #expect(cameBack)
    bag.cancelAll()
  }

  @Test("A post from the sender's deinit reaches observers of any sender, not those of this sender")
  func fromDeinit() {
    let bus = EventBus()
    let log = Log<Int>()
    let bag = TokenBag()
    bus.observe(.number) { log.append($0) }.store(in: bag)
    var leaver: SampleLeaver? = SampleLeaver { #expect(bus.post(.number, 7, from: $0) == 1) }
    if let leaver {
      bus.observe(.number, from: leaver) { _ in Issue.record("Its weak reference is nil.") }
        .store(in: bag)
    }
    leaver = nil
    #expect(log.entries == [7])
    withExtendedLifetime((leaver, bag)) {}
  }

  @Test("Observers of one sender and of any sender share one order")
  func oneOrder() {
    let bus = EventBus()
    let sender = SampleSender()
    let log = Log<String>()
    let bag = TokenBag()
    func add(_ label: String, _ priority: Priority, named: Bool) {
      bus.observe(.number, from: named ? sender : nil, priority: priority) { _ in
        log.append(label)
      }.store(in: bag)
    }
    add("low 1", .low, named: true)
    add("normal 1", .normal, named: false)
    add("normal 2", .normal, named: true)
    add("high 1", .high, named: true)
    add("normal 3", .normal, named: false)
    add("high 2", .high, named: false)
    add("low 2", .low, named: false)
    add("normal 4", .normal, named: true)
    #expect(bus.post(.number, 1, from: sender) == 8)
    let inOrder = ["high 1", "high 2", "normal 1", "normal 2", "normal 3", "normal 4"]
    #expect(log.entries == inOrder + ["low 1", "low 2"])
    bag.cancelAll()
  }

  @Test("An observer added during a post of its sender is called only by nested and later posts")
  func addedDuringThePost() {
    let bus = EventBus()
    let sender = SampleSender()
    let log = Log<Int>()
    let bag = TokenBag()
    bus.observe(.number, from: sender, once: true) { [unowned bus] _ in
      bus.observe(.number, from: sender) { log.append($0) }.store(in: bag)
      bus.post(.number, 2, from: sender)
    }.store(in: bag)
    bus.post(.number, 1, from: sender)
    #expect(log.entries == [2])
    bag.cancelAll()
  }

  @Test("A post of another sender does not use up the one call")
  func once() {
    let bus = EventBus()
    let (one, other) = (SampleSender(), SampleSender())
    let log = Log<Int>()
    let token = bus.observe(.number, from: one, once: true) { log.append($0) }
    bus.post(.number, 1, from: other)
    #expect(token.isActive)
    bus.post(.number, 2, from: one)
    bus.post(.number, 3, from: one)
    #expect(log.entries == [2])
  }

  @Test("An owner may observe a sender and may be the sender itself")
  func withOwner() {
    let bus = EventBus()
    let owner = LivedOwner()
    let sender = SampleSender()
    bus.observe(.number, owner: owner, from: sender) { owner, value in owner.log.append(value) }
    bus.observe(.number, owner: owner, from: owner) { owner, value in owner.log.append(-value) }
    bus.post(.number, 1, from: sender)
    bus.post(.number, 2, from: owner)
    bus.post(.number, 3)
    #expect(owner.log.entries == [1, -2])
  }

  @Test("A signal supports senders")
  func signal() {
    let signal = Signal<Int>()
    let (one, other) = (SampleSender(), SampleSender())
    let log = Log<Int>()
    let token = signal.observe(from: one) { log.append($0) }
    #expect(signal.send(1, from: one) == 1)
    #expect(signal.send(2, from: other) == 0)
    #expect(signal.send(3) == 0)
    #expect(log.entries == [1])
    withExtendedLifetime(token) {}
  }

  @Test("With ten thousand senders of one observer each, a post checks the matching one")
  func tenThousandSenders() {
    let bus = EventBus()
    let senders = (0..<10_000).map { _ in SampleSender() }
    let (asked, heard) = (Counter(), Log<Int>())
    let tokens = senders.enumerated().map { index, sender in
      bus.observe(.number, from: sender, where: { _ in asked.add() > 0 }) { _ in
        heard.append(index)
      }
    }
    for index in [0, 4_711, 9_999] {
      #expect(bus.post(.number, 1, from: senders[index]) == 1)
    }
    #expect(bus.post(.number, 1) == 0)
    #expect(bus.post(.number, 1, from: SampleSender()) == 0)
    #expect(asked.value == 3)
    #expect(heard.entries == [0, 4_711, 9_999])
    #expect(bus.signal(.number).observerCount == 10_000)
    for token in tokens { token.cancel() }
    #expect(bus.signal(.number).observerCount == 0)
  }
}
