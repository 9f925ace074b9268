import EventBus
import TestSupport
import Testing

@Suite("Observers with an owner")
struct OwnerTests {
  @Test("The handler receives the owner, and the token may be dropped")
  func ownerIsPassedIn() {
    let bus = EventBus()
    let (plain, lived) = (PlainOwner(), LivedOwner())
    bus.observe(.number, owner: plain) { owner, value in
      #expect(owner === plain)
      owner.log.append(value)
    }
    bus.observe(.number, owner: lived) { owner, value in owner.log.append(value) }
    #expect(bus.post(.number, 1) == 2)
    #expect(plain.log.entries == [1])
    #expect(lived.log.entries == [1])
  }

  @Test("A registration does not retain its owner and is inactive once the owner is dead")
  func ownerIsWeak() {
    check(PlainOwner())
    check(LivedOwner())

    func check<Owner: AnyObject & Sendable>(_ make: @autoclosure () -> Owner) {
      let bus = EventBus()
      var owner: Owner? = make()
      weak let watched = owner
      let token = owner.map { bus.observe(.number, owner: $0) { _, _ in Issue.record("Dead.") } }
      owner = nil
      #expect(watched == nil)
      #expect(bus.post(.number, 1) == 0)
      #expect(token?.isActive == false)
      withExtendedLifetime(owner) {}
    }
  }

  @Test("The owner lives until its handler returns, even if all other references are released")
  func ownerIsStrongDuringTheCall() {
    check(PlainOwner())
    check(LivedOwner())

    func check<Owner: AnyObject & Sendable>(_ make: @autoclosure () -> Owner) {
      let bus = EventBus()
      let holder = Holder(make())
      let wasAlive = Log<Bool>()
      if let owner = holder.value {
        bus.observe(.number, owner: owner) { [weak watched = owner] owner, _ in
          holder.letGo()
          wasAlive.append(watched === owner)
        }
      }
      #expect(bus.post(.number, 1) == 1)
      #expect(wasAlive.entries == [true])
      #expect(bus.post(.number, 2) == 0)
    }
  }

  @Test("One owner may register twice, and each registration ends separately")
  func sameOwnerTwice() {
    let bus = EventBus()
    let owner = LivedOwner()
    let first = bus.observe(.number, owner: owner) { owner, value in owner.log.append(value) }
    let second = bus.observe(.number, owner: owner) { owner, value in owner.log.append(-value) }
    #expect(first != second)
    #expect(bus.post(.number, 1) == 2)
    first.cancel()
    #expect(bus.post(.number, 2) == 1)
    #expect(second.isActive)
    #expect(owner.log.entries == [1, -1, -2])
  }

  @Test("Owner and bus may refer to each other without a retain cycle")
  func noCycle() {
    let tally = Tally()
    do {
      let bus = EventBus()
      let owner = LivedOwner()
      let probe = tally.probe()
      bus.observe(.number, owner: owner) { [weak bus] owner, _ in
        probe.touch()
        bus?.post(.nothing)
        withExtendedLifetime(owner) {}
      }
      bus.post(.number, 1)
      #expect(tally.live == 1)
    }
    #expect(tally.live == 0)
  }
}
