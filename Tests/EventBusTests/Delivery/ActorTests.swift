import EventBus
import TestSupport
import Testing

@Suite("Actor-isolated handlers", .timeLimit(.minutes(5)))
struct ActorTests {
  /// Observes for itself in both ways that are open to an actor.
  private actor Collector {
    private let bus: EventBus
    private var collected: [Int] = []
    private var tokens: [Token] = []

    init(_ bus: EventBus) { self.bus = bus }

    /// Observes with a handler that uses the actor, which isolates it there and retains the actor.
    func observeWithSelf(then body: @escaping @Sendable () -> Void = {}) {
      tokens.append(
        bus.observe(.number) { value in
          self.preconditionIsolated()
          self.collected.append(value)
          body()
        }
      )
    }

    /// Observes with a handler that receives the actor and does not retain it.
    func observeAsOwner(then body: @escaping @Sendable () -> Void = {}) {
      bus.observe(.number, owner: self) { (actor: isolated Collector, value) in
        actor.preconditionIsolated()
        actor.collected.append(value)
        body()
      }
    }

    /// Posts from the actor and returns the events that had arrived when the post returned.
    func post(_ value: Int) -> (reached: Int, collected: [Int]) {
      (bus.post(.number, value), collected)
    }

    /// Returns the events that arrived while other threads posted and the actor was held.
    func collectedBehind(_ posts: @escaping @Sendable () -> Void) -> (before: [Int], after: [Int]) {
      blockedOnThread(posts)
      let before = collected
      bus.post(.nothing)
      return (before, collected)
    }

    var contents: [Int] { collected }
    func stop() { tokens = [] }
  }

  @Test("A post from a handler's own actor calls the handler synchronously")
  func atOnce() async {
    let bus = EventBus()
    let collector = Collector(bus)
    await collector.observeWithSelf()
    await collector.observeAsOwner()
    let result = await collector.post(1)
    #expect(result.reached == 2)
    #expect(result.collected == [1, 1])
    await collector.stop()
  }

  @Test("Events queued for an actor are delivered in post order before the actor's own post")
  func nothingOvertakes() async {
    let bus = EventBus()
    let collector = Collector(bus)
    await collector.observeAsOwner()
    let result = await collector.collectedBehind {
      for value in 0..<100 { bus.post(.number, value) }
    }
    #expect(result.before == [])
    #expect(result.after == Array(0..<100))
  }

  @Test("An actor that observes as its own owner is not retained by the registration")
  func ownerFormDoesNotKeepTheActor() async {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let collector = Holder(Collector(bus))
    await collector.value?.observeAsOwner()
    let actors = WeakList<Collector>()
    if let collector = collector.value { actors.append(collector) }
    #expect(actors.liveCount == 1)
    collector.letGo()
    #expect(actors.liveCount == 0)
    bus.observe(.number, owner: PlainOwner()) { _, _ in }
    #expect(signal.observerCount <= 8)
  }

  @Test("A post that finds a dead actor removes its registration")
  func deadActor() async {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let collector = Holder(Collector(bus))
    await collector.value?.observeAsOwner { Issue.record("The actor is dead.") }
    collector.letGo()
    await onThreads(1) { _ in bus.post(.number, 1) }
    // The registration may go with the post or, where the owner is looked for on its actor, after it.
    await rest()
    #expect(signal.observerCount == 0)
    await onThreads(1) { _ in #expect(bus.post(.number, 2) == 0) }
  }

  @Test("Each actor has its own queue: a busy actor does not delay another")
  func independentActors() async {
    let bus = EventBus()
    let executor = HeldExecutor()
    let (busy, free) = (HeldActor(executor), Collector(bus))
    let (arrived, arrivedAtBusy) = (ManualLatch(), ManualLatch())
    bus.observe(.number, owner: busy) { (_: isolated HeldActor, _) in arrivedAtBusy.open() }
    await free.observeAsOwner(then: arrived.open)
    bus.post(.number, 1)
    await arrived.wait()
    #expect(!arrivedAtBusy.isOpen)
    executor.open()
    await arrivedAtBusy.wait()
    #expect(await free.contents == [1])
  }

  @SampleActor
  @Test("A handler isolated to a global actor runs there, synchronously for a post from that actor")
  func globalActor() async {
    let bus = EventBus()
    let latch = ManualLatch()
    let log = Log<Int>()
    let token = bus.observe(.number) { value in
      SampleActor.assertIsolated()
      log.append(value)
      if value == 2 { latch.open() }
    }
    #expect(bus.post(.number, 1) == 1)
    #expect(log.entries == [1])
    await onThreads(1) { _ in bus.post(.number, 2) }
    await latch.wait()
    #expect(log.entries == [1, 2])
    withExtendedLifetime(token) {}
  }
}
