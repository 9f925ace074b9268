import EventBus
import TestSupport
import Testing

@Suite("Asynchronous handlers with an owner", .timeLimit(.minutes(5)))
struct AsyncOwnerTests {
  /// Observes for itself.
  private actor Collector {
    private(set) var collected: [Int] = []

    func add(_ value: Int) async {
      await Task.yield()
      collected.append(value)
    }
  }

  @Test("An asynchronous handler receives its owner and does not retain it")
  func ownerIsWeak() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let holder = Holder(PlainOwner())
    let owners = WeakList<PlainOwner>()
    let tokens = Holder<Token>()
    if let owner = holder.value {
      owners.append(owner)
      tokens.hold(
        bus.observe(.number, owner: owner) { owner, value in
          await Task.yield()
          withExtendedLifetime(owner) { inbox.append(value) }
        }
      )
    }
    bus.post(.number, 1)
    #expect(await inbox.first(1) == [1])
    holder.letGo()
    // The task may be on its way out of the call.
    for _ in 0..<10_000 {
      guard owners.liveCount > 0 else { break }
      await Task.yield()
    }
    #expect(owners.liveCount == 0)
  }

  @Test("The owner lives until its call returns, and queued events then find it dead")
  func strongDuringTheCall() async {
    let bus = EventBus()
    let (began, mayLeave, owners) = (Inbox<Int>(), ManualLatch(), WeakList<PlainOwner>())
    let holder = Holder(PlainOwner())
    let tokens = Holder<Token>()
    if let owner = holder.value {
      owners.append(owner)
      tokens.hold(
        bus.observe(.number, owner: owner) { owner, value in
          began.append(value)
          await mayLeave.wait()
          #expect(owners.liveCount == 1)
          owner.log.append(value)
        }
      )
    }
    bus.post(.number, 1)
    bus.post(.number, 2)
    _ = await began.first(1)
    holder.letGo()
    #expect(owners.liveCount == 1)
    mayLeave.open()
    await tokens.value?.waitUntilFinished()
    #expect(began.entries == [1])
    #expect(owners.liveCount == 0)
    #expect(bus.signal(.number).observerCount == 0)
  }

  @Test("Ending the owner's lifetime drops calls that have not begun")
  func lifetimeEnds() async {
    let bus = EventBus()
    let (began, mayLeave) = (Inbox<Int>(), ManualLatch())
    let owner = LivedOwner()
    let token = bus.observe(.number, owner: owner) { _, value in
      began.append(value)
      await mayLeave.wait()
    }
    bus.post(.number, 1)
    bus.post(.number, 2)
    _ = await began.first(1)
    owner.lifetime.end()
    #expect(!token.isActive)
    mayLeave.open()
    await token.waitUntilFinished()
    #expect(began.entries == [1])
  }

  @Test("An actor that observes for itself receives itself, in its own isolation")
  func actorOwner() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let collector = Collector()
    bus.observe(.number, owner: collector) { (actor: isolated Collector, value) in
      actor.preconditionIsolated()
      await actor.add(value)
      inbox.append(value)
    }
    for value in 0..<10 { bus.post(.number, value) }
    _ = await inbox.first(10)
    #expect(await collector.collected == Array(0..<10))
  }
}
