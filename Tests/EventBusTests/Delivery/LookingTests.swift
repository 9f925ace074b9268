import EventBus
import TestSupport
import Testing

private let ownerCount = size(1_000, full: rounds(200_000, debug: 20_000, sanitized: 8_000))

/// Owners are held weakly, and to look at a weak reference is to own the object for a moment.
@Suite("Lookup of dead owners", .timeLimit(.minutes(10)))
struct LookingTests {
  /// An owner whose `deinit` says which thread ran it.
  @MainActor
  private final class Witness {
    nonisolated let home: ThreadID
    nonisolated let strangers: Counter
    var shown = 0

    init(_ strangers: Counter) {
      home = .current
      self.strangers = strangers
    }

    deinit { if ThreadID.current != home { strangers.add() } }
  }

  @MainActor
  @Test("Posts, registrations and snapshots elsewhere never run a main-actor owner's deinit")
  func storm() async {
    let bus = EventBus()
    let (strangers, mayStop) = (Counter(), ManualLatch())
    let signal = bus.signal(.number)
    async let others: Void = onThreads(3) { index in
      while !mayStop.isOpen {
        switch index {
        case 0: bus.post(.number, 1)
        case 1:
          let (owner, sender) = (PlainOwner(), SampleSender())
          bus.observe(.number, owner: owner) { _, _ in }
          bus.observe(.number, owner: owner, from: sender, priority: .high) { _, _ in }
          bus.observe(.number, from: sender) { _ in }.cancel()
        default:
          for seen in bus.snapshot().observations { withExtendedLifetime(seen) {} }
          withExtendedLifetime(signal.observerCount) {}
        }
        yieldThread()  // Reason: others overlap.
      }
    }
    let sender = SampleSender()
    for _ in 0..<ownerCount / 16 {
      bearAndBury(strangers) { number, witness in
        let token = observe(number, bus, witness, from: sender)
        withExtendedLifetime(token.isActive) {}
      }
      await Task.yield()  // Reason: others overlap.
    }
    mayStop.open()
    await others
    #expect(strangers.value == 0)
  }

  /// Creates sixteen owners and releases them one after the other, on one thread: the main actor may
  /// be on another one after every suspension.
  @MainActor
  private func bearAndBury(_ strangers: Counter, _ register: (Int, Witness) -> Void) {
    var witnesses: [Witness] = []
    for number in 0..<16 {
      witnesses.append(Witness(strangers))
      register(number, witnesses[number])
    }
    while !witnesses.isEmpty {
      yieldThread()  // Reason: others overlap.
      witnesses.removeLast()
    }
  }

  @MainActor
  private func observe(
    _ number: Int,
    _ bus: EventBus,
    _ witness: Witness,
    from sender: SampleSender
  ) -> Token {
    switch number % 4 {
    case 0: bus.observe(.number, owner: witness) { witness, _ in witness.shown += 1 }
    case 1:
      bus.observe(.number, owner: witness, where: { $0 > 0 }) { witness, _ in witness.shown += 1 }
    case 2:
      bus.observe(.number, owner: witness, from: sender) { witness, _ in witness.shown += 1 }
    default:
      bus.observe(.number, owner: witness, buffering: .bufferingNewest(1)) { witness, _ in
        await Task.yield()
        witness.shown += 1
      }
    }
  }

  @MainActor
  @Test("Changes and registrations elsewhere never run the deinit of a property's observer")
  func propertyStorm() async {
    let property = SharedObserved(0)
    let (strangers, mayStop) = (Counter(), ManualLatch())
    async let others: Void = onThreads(2) { index in
      let owner = PlainOwner()
      while !mayStop.isOpen {
        if index == 0 { property.value += 1 }
        property.observe(owner: owner, id: index) { _, _ in }
        property.unobserve(owner: owner)
        yieldThread()  // Reason: others overlap.
      }
    }
    for _ in 0..<ownerCount / 64 {
      bearAndBury(strangers) { number, witness in
        property.observe(owner: witness, id: number) { witness, _ in witness.shown += 1 }
      }
      await Task.yield()  // Reason: others overlap.
    }
    mayStop.open()
    await others
    #expect(strangers.value == 0)
  }

  @MainActor
  @Test("Dead owners of main-actor handlers are removed in that actor's turn after a registration")
  func nextTurn() async {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let tally = Tally()
    for number in 0..<1_000 {
      let panel = Panel()
      if number.isMultiple(of: 2) {
        bus.observe(.number, owner: panel) { [probe = tally.probe()] _, _ in probe.touch() }
      } else {
        bus.observe(.number, owner: panel) { [probe = tally.probe()] _, _ in
          await Task.yield()
          probe.touch()
        }
      }
    }
    let token = blockedOnThread { bus.observe(.number) { _ in } }
    await rest()
    #expect(signal.observerCount <= 8)
    #expect(tally.live <= 8)
    withExtendedLifetime(token) {}
  }

  /// Keeps observers that live on it.
  private actor Keeper {
    final class Part: Sendable {}

    func observe(_ bus: EventBus, _ tally: Tally, from sender: SampleSender? = nil) {
      bus.observe(.number, owner: Part(), from: sender) {
        [probe = tally.probe()] _, _ in
        self.preconditionIsolated()
        probe.touch()
      }
    }
  }

  @Test("Dead owners of handlers on many actors are removed in those actors' next turns")
  func manyActors() async {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let tally = Tally()
    let keepers = (0..<200).map { _ in Keeper() }
    for keeper in keepers {
      for _ in 0..<5 { await keeper.observe(bus, tally) }
    }
    for _ in 0..<100 where signal.observerCount > 8 {
      bus.observe(.number) { _ in }.cancel()
      await rest()
    }
    #expect(signal.observerCount <= 8)
    #expect(tally.live <= 8)
    withExtendedLifetime(keepers) {}
  }

  /// Observes for itself.
  private actor Listener {
    var heard = 0
  }

  @Test("Dead actors that observed for themselves are removed by the next registration")
  func deadActors() {
    let bus = EventBus()
    for _ in 0..<1_000 {
      bus.observe(.number, owner: Listener()) { (listener: isolated Listener, value) in
        listener.heard += value
      }
    }
    #expect(bus.signal(.number).observerCount <= 8)
  }

  /// An actor on its own executor.
  private actor Depot {
    nonisolated let executor = HeldExecutor()
    private var heard = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
    }

    func watch(_ bus: EventBus, _ owners: [Tenant]) {
      for owner in owners { bus.observe(.number, owner: owner) { _, _ in self.heard += 1 } }
    }
  }

  /// An owner that lives.
  private final class Tenant: Sendable {}

  @Test("Actors whose observers' owners all live schedule no turns for each other")
  func quietActors() async {
    let bus = EventBus()
    let (depots, tenants) = ([Depot(), Depot()], (0..<12).map { _ in Tenant() })
    for depot in depots { depot.executor.open() }
    await depots[0].watch(bus, Array(tenants[..<6]))
    await depots[1].watch(bus, Array(tenants[6...]))
    // The turns that the registrations asked for have an end.
    var heldCounts = [1]
    for _ in 0..<20 where heldCounts != [0, 0] {
      for depot in depots {
        depot.executor.open()
        await until(depot.executor.heldCount == 0)
        depot.executor.hold()
      }
      await rest()
      heldCounts = depots.map(\.executor.heldCount)
    }
    #expect(heldCounts == [0, 0])
    for depot in depots { depot.executor.open() }
    withExtendedLifetime(tenants) {}
  }

  @MainActor
  @Test("A snapshot shows a main-actor handler's owner as alive until its death is noticed")
  func asLastNoticed() {
    let bus = EventBus()
    let panel = Holder(Panel())
    let token = panel.value.map { bus.observe(.number, owner: $0) { _, _ in } }
    panel.letGo()
    #expect(bus.snapshot().observations.map(\.isAlive) == [true])
    #expect(token?.isActive == true)
    bus.post(.number, 1)
    #expect(bus.snapshot().observations.isEmpty)
    #expect(token?.isActive == false)
  }

  @Test("A registration whose owner a post finds dead is inactive during that post")
  func inactiveDuringThePost() {
    let bus = EventBus()
    let dead = bus.observe(.number, owner: PlainOwner()) { _, _ in Issue.record("Dead.") }
    let seen = Log<Bool>()
    let token = bus.observe(.number) { _ in seen.append(dead.isActive) }
    #expect(bus.post(.number, 1) == 1)
    #expect(seen.entries == [false])
    withExtendedLifetime(token) {}
  }

  @MainActor
  @Test("Short-lived registrations leave a busy actor nothing to look up")
  func busyActor() async {
    let bus = EventBus()
    let (tally, tokens) = (Tally(), WeakList<Token>())
    let panels = (0..<20).map { _ in Panel() }
    var kept: [Token] = []
    for number in 0..<size(2_000, full: 10_000) {
      let token = bus.observe(.number, owner: panels[number % 20]) {
        [probe = tally.probe()] _, _ in probe.touch()
      }
      if number.isMultiple(of: 100) { tokens.append(token) }
      kept.append(token)
      if kept.count > 20 { kept.removeFirst().cancel() }
    }
    #expect(tally.live == 20)
    #expect(tokens.liveCount <= 1)
    #expect(bus.snapshot().waitingCount == 0)
    withExtendedLifetime(panels) {}
  }
}
