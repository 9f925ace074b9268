import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Owners that carry a lifetime")
struct LifetimeOwnerTests {
  @Test("Destroying the owner removes the registration immediately")
  func removedAtOnce() {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let tally = Tally()
    var owner: LivedOwner? = LivedOwner()
    if let owner {
      bus.observe(.number, owner: owner) { [probe = tally.probe()] _, _ in probe.touch() }
    }
    #expect(signal.observerCount == 1)
    #expect(tally.live == 1)
    owner = nil
    #expect(signal.observerCount == 0)
    #expect(tally.live == 0)
    withExtendedLifetime(owner) {}
  }

  @Test("An owner whose lifetime has ended registers nothing")
  func endedBefore() {
    let bus = EventBus()
    let tally = Tally()
    let owner = LivedOwner()
    owner.lifetime.end()
    let token = bus.observe(.number, owner: owner) { [probe = tally.probe()] _, _ in probe.touch() }
    #expect(!token.isActive)
    #expect(bus.post(.number, 1) == 0)
    #expect(bus.signal(.number).observerCount == 0)
    #expect(tally.live == 0)
  }

  @MainActor
  @Test("A main-actor object adopts a lifetime with one stored property, usable from any thread")
  func mainActorOwner() {
    let bus = EventBus()
    var screen: Screen? = Screen()
    if let screen {
      bus.observe(.number, owner: screen) { screen, value in screen.shown.append(value) }
      // Weak, as the thread may end after the screen.
      let hasEnded = blockedOnThread { [weak lifetime = screen.lifetime] in lifetime?.hasEnded }
      #expect(hasEnded == false)
    }
    #expect(bus.post(.number, 1) == 1)
    #expect(screen?.shown == [1])
    screen = nil
    #expect(bus.signal(.number).observerCount == 0)
  }

  @Test("Registrations that end with the lifetime are inactive when its first hook runs")
  func inactiveForHooks() {
    let (bus, owner, seen) = (EventBus(), LivedOwner(), Log<[Bool]>())
    let tokens = Log<Token>()
    owner.lifetime.onEnd { seen.append(tokens.entries.map(\.isActive)) }
    tokens.append(bus.observe(.number, owner: owner) { _, _ in })
    tokens.append(bus.observe(.number, owner: owner, once: true) { _, _ in })
    tokens.append(bus.observe(.number) { _ in }.attach(to: owner.lifetime))
    tokens.append(every(.seconds(1), owner: owner, clock: ManualClock()) { _, _ in })
    #expect(tokens.entries.map(\.isActive) == [true, true, true, true])
    owner.lifetime.end()
    #expect(seen.entries == [[false, false, false, false]])
  }
}
