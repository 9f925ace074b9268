import EventBus
import TestSupport
import Testing

@Suite("Names with many observers")
struct ManyObserversTests {
  private struct Told: Equatable, Sendable {
    let name: String
    let count: Int
  }

  /// A bus whose threshold is three observers, and the calls of its hook.
  private func watchedBus() -> (bus: EventBus, told: Log<Told>) {
    let told = Log<Told>()
    var hooks = EventHooks()
    hooks.manyObserversThreshold = 3
    hooks.onManyObservers = { told.append(Told(name: $0, count: $1)) }
    return (EventBus(hooks: hooks), told)
  }

  @Test("The hook is called once per name, when its observers first exceed the threshold")
  func onceAName() {
    let (bus, told) = watchedBus()
    var tokens = (0..<3).map { _ in bus.observe(.number) { _ in } }
    #expect(told.entries == [])
    for _ in 0..<10 { tokens.append(bus.observe(.number) { _ in }) }
    #expect(told.entries == [Told(name: "sample.number", count: 4)])
    tokens = []
    tokens += (0..<10).map { _ in bus.observe(.number) { _ in } }
    #expect(told.count == 1)
    tokens += (0..<4).map { _ in bus.observe(.text) { _ in } }
    #expect(told.entries.last == Told(name: "sample.text", count: 4))
    #expect(told.count == 2)
    withExtendedLifetime(tokens) {}
  }

  @Test("Registrations inside a hook call no hook; the next one outside reports the name")
  func insideAHook() {
    let told = Log<Told>()
    let tokens = TokenBag()
    let bus = Holder<EventBus>(nil)
    var hooks = EventHooks()
    hooks.manyObserversThreshold = 3
    hooks.onManyObservers = { told.append(Told(name: $0, count: $1)) }
    hooks.onUnhandled = { _ in
      for _ in 0..<4 { bus.value?.observe(.text) { _ in }.store(in: tokens) }
    }
    let watched = EventBus(hooks: hooks)
    bus.hold(watched)
    watched.post(.number, 1)
    #expect(told.entries == [])
    watched.observe(.text) { _ in }.store(in: tokens)
    #expect(told.entries == [Told(name: "sample.text", count: 5)])
    bus.hold(nil)
  }

  @Test("Observers of all kinds count together")
  func allKinds() {
    let (bus, told) = watchedBus()
    let (owner, sender) = (LivedOwner(), SampleSender())
    let tokens = [
      bus.observe(.number) { _ in },
      bus.observe(.number, owner: owner) { _, _ in },
      bus.observe(.number, from: sender, priority: .low) { _ in },
      bus.observe(.number, once: true) { _ in await Task.yield() },
    ]
    #expect(told.entries == [Told(name: "sample.number", count: 4)])
    withExtendedLifetime((tokens, owner)) {}
  }

  @Test("Short-lived observers never exceed the threshold")
  func comeAndGo() {
    let (bus, told) = watchedBus()
    for _ in 0..<100 { withExtendedLifetime(bus.observe(.number) { _ in }) {} }
    #expect(told.entries == [])
  }

  @Test("The hook may use the bus, including observing that name")
  func hookUsesTheBus() {
    let (bus, told) = (Holder<EventBus>(), Log<Int>())
    let tokens = TokenBag()
    var hooks = EventHooks()
    hooks.manyObserversThreshold = 1
    hooks.onManyObservers = { _, count in
      told.append(count)
      bus.value?.observe(.number) { _ in }.store(in: tokens)
    }
    bus.hold(EventBus(hooks: hooks))
    for _ in 0..<2 { bus.value?.observe(.number) { _ in }.store(in: tokens) }
    #expect(told.entries == [2])
    #expect(bus.value?.post(.number, 1) == 3)
    tokens.cancelAll()
    bus.letGo()
  }
}
