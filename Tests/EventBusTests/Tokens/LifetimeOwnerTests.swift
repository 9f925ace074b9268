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

  @Test("Ending the lifetime removes the registration even if the owner lives on")
  func removedByEnd() {
    let bus = EventBus()
    let owner = LivedOwner()
    let token = bus.observe(.number, owner: owner) { owner, value in owner.log.append(value) }
    bus.post(.number, 1)
    owner.lifetime.end()
    #expect(bus.signal(.number).observerCount == 0)
    #expect(!token.isActive)
    #expect(bus.post(.number, 2) == 0)
    #expect(owner.log.entries == [1])
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

  @Test("A post made while the owner's end hooks run does not reach the owner")
  func notReachedFromAnEndHook() {
    let bus = EventBus()
    let counts = Log<Int>()
    var owner: LivedOwner? = LivedOwner()
    if let owner {
      bus.observe(.number, owner: owner) { _, _ in Issue.record("The owner is being torn down.") }
      owner.lifetime.onEnd { counts.append(bus.post(.number, 1)) }
    }
    owner = nil
    #expect(counts.entries == [0])
    withExtendedLifetime(owner) {}
  }

  @Test("No registration of the owner is active when the first end hook runs")
  func inactiveAtOnce() {
    let bus = EventBus()
    let owner = LivedOwner()
    let (tokens, seen) = (Log<Token>(), Log<Bool>())
    owner.lifetime.onEnd { for token in tokens.entries { seen.append(token.isActive) } }
    tokens.append(bus.observe(.number, owner: owner) { _, _ in })
    tokens.append(bus.observe(.number, owner: owner, once: true) { _, _ in })
    #expect(tokens.entries.allSatisfy { $0.isActive })
    owner.lifetime.end()
    #expect(seen.entries == [false, false])
  }

  @Test("An owner that ends its own lifetime inside its handler is not called again")
  func endsInsideItsHandler() {
    let bus = EventBus()
    let owner = LivedOwner()
    bus.observe(.number, owner: owner) { owner, value in
      owner.log.append(value)
      owner.lifetime.end()
    }
    #expect(bus.post(.number, 1) == 1)
    #expect(bus.post(.number, 2) == 0)
    #expect(owner.log.entries == [1])
  }

  @Test("The lifetime does not retain a registration that was cancelled early")
  func cancelledEarly() {
    let bus = EventBus()
    let tally = Tally()
    let owner = LivedOwner()
    let tokens = WeakList<Token>()
    for _ in 0..<1_000 {
      let token = bus.observe(.number, owner: owner) { [probe = tally.probe()] _, _ in
        probe.touch()
      }
      tokens.append(token)
      token.cancel()
    }
    #expect(tally.live == 0)
    #expect(tokens.liveCount <= 8)
    withExtendedLifetime(owner) {}
  }

  @MainActor
  @Test("A main-actor object adopts a lifetime with one stored property, usable from any thread")
  func mainActorOwner() {
    let bus = EventBus()
    var screen: Screen? = Screen()
    if let screen {
      bus.observe(.number, owner: screen) { screen, value in screen.shown.append(value) }
      let hasEnded = blockedOnThread { [lifetime = screen.lifetime] in lifetime.hasEnded }
      #expect(!hasEnded)
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
