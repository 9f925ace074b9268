import EventBus
import TestSupport
import Testing

@Suite("Registrations for dead senders", .timeLimit(.minutes(5)))
struct DeadSenderTests {
  @Test("Later registrations remove registrations for dead senders and free their captures")
  func removedByLaterRegistrations() {
    let bus = EventBus()
    let tally = Tally()
    var tokens: [Token] = []
    var most = 0
    for _ in 0..<1_000 {
      let sender = SampleSender()
      tokens.append(
        bus.observe(.number, from: sender) { [probe = tally.probe()] _ in probe.touch() }
      )
      most = max(most, bus.signal(.number).observerCount)
      withExtendedLifetime(sender) {}
    }
    #expect(most <= 8)
    #expect(tally.live <= 8)
    #expect(tokens.count(where: \.isActive) == bus.signal(.number).observerCount)
  }

  @Test(
    "Registrations for dead senders never outnumber the living ones, from eight slots on",
    arguments: [1, 10, 100]
  )
  func bound(living: Int) {
    let bus = EventBus()
    let (heard, tally) = (Counter(), Tally())
    let senders = (0..<living).map { _ in SampleSender() }
    let tokens = senders.map { bus.observe(.number, from: $0) { _ in heard.add() } }
    var dead: [Token] = []
    for _ in 0..<size(700, full: 2_000) {
      let sender = SampleSender()
      dead.append(
        bus.observe(.number, from: sender) { [probe = tally.probe()] _ in probe.touch() }
      )
      withExtendedLifetime(sender) {}
    }
    #expect(bus.signal(.number).observerCount <= max(8, 2 * living + 2))
    #expect(tally.live == bus.signal(.number).observerCount - living)
    for sender in senders { #expect(bus.post(.number, 1, from: sender) == 1) }
    #expect(heard.value == living)
    withExtendedLifetime((tokens, dead)) {}
  }

  @Test("Only registrations for dead senders are removed; those for living or any senders stay")
  func theLivingStay() {
    let bus = EventBus()
    let log = Log<String>()
    let bag = TokenBag()
    let living = SampleSender()
    bus.observe(.number) { log.append("any \($0)") }.store(in: bag)
    bus.observe(.number, from: living) { log.append("first \($0)") }.store(in: bag)
    for _ in 0..<100 {
      let sender = SampleSender()
      bus.observe(.number, from: sender) { _ in log.append("dead") }.store(in: bag)
      withExtendedLifetime(sender) {}
    }
    bus.observe(.number, from: living) { log.append("last \($0)") }.store(in: bag)
    #expect(bag.count <= 3 + 8)
    #expect(bus.post(.number, 1, from: living) == 3)
    #expect(log.entries == ["any 1", "first 1", "last 1"])
    bag.cancelAll()
  }

  @Test("Registrations for dead senders are removed although their owner lives")
  func livingOwner() {
    let bus = EventBus()
    let (owner, heard) = (SampleSender(), Counter())
    var most = 0
    for _ in 0..<1_000 {
      let sender = SampleSender()
      bus.observe(.number, owner: owner, from: sender) { _, _ in heard.add() }
      most = max(most, bus.signal(.number).observerCount)
      #expect(bus.post(.number, 1, from: sender) == 1)
    }
    #expect(most <= 8)
    #expect(heard.value == 1_000)
    withExtendedLifetime(owner) {}
  }

  @Test("A capture released by the removal may register for another sender in its deinit")
  func reentrant() {
    let bus = EventBus()
    let bag = TokenBag()
    let other = SampleSender()
    let came = Counter()
    for _ in 0..<100 {
      let sender = SampleSender()
      let atDeinit = AtDeinit {
        came.add()
        bus.observe(.number, from: other) { _ in }.store(in: bag)
      }
      bus.observe(.number, from: sender) { _ in atDeinit.touch() }.store(in: bag)
      withExtendedLifetime(sender) {}
    }
    #expect(came.value > 50)
    #expect(bus.post(.number, 1, from: other) == came.value)
    bag.cancelAll()
  }

  @Test("Registering for a known sender does not slow down while dead senders are looked up")
  func manyForFewSenders() {
    let bus = EventBus()
    let bag = TokenBag()
    // Four fill the smallest index: one more would make it grow.
    let senders = (0..<4).map { _ in SampleSender() }
    let count = size(3_000, full: 100_000)
    for index in 0..<count {
      bus.observe(.number, from: senders[index % senders.count]) { _ in }.store(in: bag)
    }
    #expect(bus.signal(.number).observerCount == count)
    bag.cancelAll()
  }

  @Test("Registrations for living senders and for any sender survive the removal of dead ones")
  func manyOthers() {
    let bus = EventBus()
    let bag = TokenBag()
    let living = SampleSender()
    let count = size(1_500, full: 50_000)
    for _ in 0..<count {
      bus.observe(.number) { _ in }.store(in: bag)
      bus.observe(.number, from: living) { _ in }.store(in: bag)
    }
    for _ in 0..<count / 5 { bus.observe(.number, from: SampleSender()) { _ in }.cancel() }
    #expect(bus.signal(.number).observerCount == 2 * count)
    bag.cancelAll()
  }

  @Test(
    "A sender at the address of a dead one keeps its registrations when those of the other are removed"
  )
  func sameAddress() {
    let bus = EventBus()
    let bag = TokenBag()
    let heard = Log<String>()
    let isReplaced = SampleSender.replaceAtSameAddress {
      bus.observe(.number, from: $0) { heard.append("dead \($0)") }.store(in: bag)
    } replace: { sender in
      bus.observe(.number, from: sender) { heard.append("new \($0)") }.store(in: bag)
      #expect(bus.post(.number, 1, from: sender) == 1)
      // Each looks for dead senders.
      for _ in 0..<100 { bus.observe(.number, from: SampleSender()) { _ in }.store(in: bag) }
      #expect(bus.post(.number, 2, from: sender) == 1)
    }
    #expect(!isReplaced || heard.entries == ["new 1", "new 2"])
    bag.cancelAll()
  }

  @Test("The memory for many senders is returned after their registrations have ended")
  func shrinks() {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let senders = (0..<size(2_000, full: 100_000)).map { _ in SampleSender() }
    let tokens = senders.map { bus.observe(.number, from: $0) { _ in } }
    #expect(signal.observerCount == senders.count)
    for token in tokens { token.cancel() }
    // Checks that the capacity is in proportion to the senders.
    signal._checkInvariants()
    #expect(signal.observerCount == 0)
  }
}
