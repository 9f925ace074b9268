import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Owners of timers", .timeLimit(.minutes(5)))
struct TimerOwnerTests {
  private let clock = ManualClock()

  @Test("The handler of a timer receives the owner, and the token may be dropped")
  func ownerIsPassed() async {
    let owner = PlainOwner()
    every(.seconds(1), owner: owner, clock: clock) { owner, tick in owner.log.append(tick.index) }
    await clock.advance(by: .seconds(3))
    #expect(owner.log.entries == [0, 1, 2])
  }

  @Test(
    "A timer does not retain its owner; at the tick after its death it ends and frees the handler"
  )
  func ownerDies() async {
    let (owners, tally, ticks) = (WeakList<PlainOwner>(), Tally(), Counter())
    let holder = Holder(PlainOwner())
    let tokens = Holder<Token>()
    if let owner = holder.value {
      owners.append(owner)
      tokens.hold(
        every(.seconds(1), owner: owner, clock: clock) { [probe = tally.probe()] _, _ in
          probe.touch()
          ticks.add()
        }
      )
    }
    await clock.advance(by: .seconds(2))
    #expect(owners.liveCount == 1)
    holder.letGo()
    #expect(owners.liveCount == 0)
    #expect(tally.live == 1)
    #expect(tokens.value?.isActive == true)
    await clock.advance(by: .seconds(1))
    #expect(ticks.value == 2)
    #expect(tally.live == 0)
    #expect(tokens.value?.isActive == false)
    #expect(clock.sleeperCount == 0)
  }

  @Test("With a lifetime the timer ends at once, including its handler and sleeper")
  func lifetimeEnds() async {
    let tally = Tally()
    let holder = Holder(LivedOwner())
    let tokens = Holder<Token>()
    if let owner = holder.value {
      tokens.hold(
        every(.seconds(1), owner: owner, clock: clock) { [probe = tally.probe()] owner, tick in
          probe.touch()
          owner.log.append(tick.index)
        }
      )
    }
    await clock.advance(by: .seconds(1))
    #expect(tally.live == 1)
    holder.letGo()
    #expect(tally.live == 0)
    #expect(tokens.value?.isActive == false)
    await clock.waitUntilSettled()
    #expect(clock.sleeperCount == 0)
  }

  @Test("An owner whose lifetime has ended starts no timer")
  func endedBefore() async {
    let tally = Tally()
    let owner = LivedOwner()
    owner.lifetime.end()
    let token = every(.seconds(1), owner: owner, clock: clock) { [probe = tally.probe()] _, _ in
      probe.touch()
    }
    #expect(!token.isActive)
    #expect(tally.live == 0)
    await clock.waitUntilSettled()
    #expect(clock.sleeperCount == 0)
  }

  @Test("A timer cancelled early has left its owner's lifetime")
  func leavesTheLifetime() async {
    let owner = LivedOwner()
    for _ in 0..<100 { every(.seconds(1), owner: owner, clock: clock) { _, _ in }.cancel() }
    #expect(owner.lifetime.members.count == 0)
  }

  @Test("During a tick the owner is alive; if it dies there, the timer ends afterwards")
  func diesDuringATick() async {
    let (owners, tally) = (WeakList<LivedOwner>(), Tally())
    let (began, mayLeave) = (Inbox<Int>(), ManualLatch())
    let holder = Holder(LivedOwner())
    let tokens = Holder<Token>()
    if let owner = holder.value {
      owners.append(owner)
      tokens.hold(
        every(.seconds(1), owner: owner, clock: clock) { [probe = tally.probe()] owner, tick in
          probe.touch()
          began.append(tick.index)
          await mayLeave.wait()
          #expect(!owner.lifetime.hasEnded)
        }
      )
    }
    await clock.waitForSleepers(atLeast: 1)
    clock.jump(by: .seconds(1))
    _ = await began.first(1)
    holder.letGo()
    #expect((owners.liveCount, tally.live) == (1, 1))
    mayLeave.open()
    await clock.waitUntilSettled()
    #expect((owners.liveCount, tally.live) == (0, 0))
    #expect(tokens.value?.isActive == false)
    #expect(clock.sleeperCount == 0)
  }
}
