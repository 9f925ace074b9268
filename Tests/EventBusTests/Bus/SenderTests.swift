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
    #expect(bus.post(.number, 3) == 0)
    #expect(bus.post(.number, 4, from: one) == 1)
    #expect(log.entries == [1, 4])
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

  @Test("With thousands of senders of one observer each, a post checks the matching one")
  func thousandsOfSenders() {
    let (bus, count) = (EventBus(), size(2_000, full: 10_000))
    let senders = (0..<count).map { _ in SampleSender() }
    let (asked, heard) = (Counter(), Log<Int>())
    let tokens = senders.enumerated().map { index, sender in
      bus.observe(.number, from: sender, where: { _ in asked.add() > 0 }) { _ in
        heard.append(index)
      }
    }
    for index in [0, 711, count - 1] {
      #expect(bus.post(.number, 1, from: senders[index]) == 1)
    }
    #expect(bus.post(.number, 1) == 0)
    #expect(bus.post(.number, 1, from: SampleSender()) == 0)
    #expect(asked.value == 3)
    #expect(heard.entries == [0, 711, count - 1])
    #expect(bus.signal(.number).observerCount == count)
    for token in tokens { token.cancel() }
    #expect(bus.signal(.number).observerCount == 0)
  }
}
