import EventBus
import TestSupport
import Testing

/// The crashes of key-value observing, one by one.
///
/// A wrong key path, or nil, needs no test: `account.$balanse` and `account.$balance.observe(nil,
/// …)` do not compile.
@Suite("The crashes of key-value observing are harmless")
struct KVOCrashTests {
  @Test("An observed object may die while observers are registered")
  func observedDiesFirst() {
    let (viewer, tally) = (Viewer(), Tally())
    var account: Account? = Account()
    let token = account?.$balance.observe(owner: viewer) { [probe = tally.probe()] viewer, change in
      probe.touch()
      viewer.show(change)
    }
    account?.balance = 1
    account = nil
    #expect(tally.live == 0)
    #expect(token?.isActive == false)
    token?.cancel()
    #expect(viewer.shown == ["0→1"])
    withExtendedLifetime(account) {}
  }

  @Test("An observed object may be released inside its own observer")
  func observedDiesInside() {
    let box = Notes<Account>()
    box.append(Account())
    let notes = Notes<String>()
    let tokens = (0..<2).map { _ in
      box.entries[0].$balance.observe { change in
        notes.append(change.text)
        box.entries = []
      }
    }
    box.entries[0].balance = 1
    #expect(notes.entries == ["0→1", "0→1"])
    #expect(tokens.allSatisfy { !$0.isActive })
  }

  @Test("An object that observes itself, even as its own owner, dies without a leak")
  func selfObservation() {
    final class Thermometer {
      @Observed var degrees = 0
      var warnings = 0
      let tally: Tally.Probe

      init(_ tally: Tally) {
        self.tally = tally.probe()
        $degrees.observe(owner: self) { thermometer, change in
          if change.new > 40 { thermometer.warnings += 1 }
        }
      }

      deinit { degrees = 50 }
    }
    let tally = Tally()
    var thermometer: Thermometer? = Thermometer(tally)
    thermometer?.degrees = 41
    #expect(thermometer?.warnings == 1)
    thermometer = nil
    #expect(tally.live == 0)
    withExtendedLifetime(thermometer) {}
  }

  @Test("A handler may remove itself, another observer, or all observers of its owner")
  func removedInside() {
    let (account, viewer, other) = (Account(), Viewer(), Viewer())
    account.$balance.observe(owner: viewer) { [unowned account] viewer, change in
      viewer.show(change)
      account.$balance.unobserve(owner: viewer)
      account.$balance.unobserve(owner: other)
    }
    account.$balance.observe(owner: viewer) { $0.show($1) }
    account.$balance.observe(owner: other) { $0.show($1) }
    account.balance = 1
    account.balance = 2
    #expect(viewer.shown == ["0→1"])
    #expect(other.shown.isEmpty)
    #expect(account.$balance.observerSlotCount <= 8)
  }

  @Test("Handlers may register and end other handlers repeatedly during a notification")
  func mutationDuringIteration() {
    let account = Account()
    let (tokens, counter) = (Notes<Token>(), Counter())
    func add() {
      tokens.append(
        account.$balance.observe { [unowned account] change in
          counter.add()
          guard tokens.entries.count < 200 else { return }
          tokens.append(account.$balance.observe { _ in counter.add() })
          if change.new.isMultiple(of: 3) { tokens.entries.removeFirst() }
        }
      )
    }
    for _ in 0..<10 { add() }
    for balance in 1...50 { account.balance = balance }
    #expect(counter.value > 1_000)
    let active = tokens.entries.count { $0.isActive }
    #expect(active == tokens.entries.count)
    account.balance = 51
    #expect(account.$balance.observerSlotCount <= max(8, 2 * active))
  }

  @Test("An observer may be freed on another thread while the property is set")
  func freedElsewhere() async {
    for _ in 0..<200 {
      let holder = Holder<LivedGuest>(LivedGuest())
      let tally = Tally()
      await onThreads(2) { index in
        if index == 0 { return holder.letGo() }
        let account = Account()
        if let guest = holder.value {
          account.$balance.observe(owner: guest) { [probe = tally.probe()] guest, _ in
            probe.touch()
            guest.calls.add()
          }
        }
        for balance in 1...50 { account.balance = balance }
      }
      #expect(tally.live == 0)
    }
  }

  @Test(
    "Tokens cancelled on other threads during a set free their handlers in the property's domain"
  )
  func cancelledElsewhere() async {
    /// Not synchronized: a handler that died elsewhere would be a race.
    final class Domain { var freed = 0 }
    final class Guard {
      let domain: Domain
      init(_ domain: Domain) { self.domain = domain }
      deinit { domain.freed += 1 }
    }
    let (inbox, haveEnded) = (Log<Token>(), [ManualLatch(), ManualLatch()])
    let count = size(500, full: 2_000)
    await onThreads(3) { index in
      if index > 0 {
        var next = index - 1
        while next < count {
          let tokens = inbox.entries
          while next < tokens.count {
            tokens[next].cancel()
            next += 2
          }
          yieldThread()  // Reason: others overlap.
        }
        return haveEnded[index - 1].open()
      }
      let (account, domain) = (Account(), Domain())
      for balance in 1...count {
        let guardian = Guard(domain)
        inbox.append(account.$balance.observe { _ in withExtendedLifetime(guardian) {} })
        account.balance = balance
      }
      for hasEnded in haveEnded { hasEnded.block() }
      account.balance = 0
      #expect(domain.freed == count)
      #expect(account.$balance.observerSlotCount <= 8)
    }
  }

  @Test("waitUntilFinished() after cancelling waits for a call running elsewhere")
  func waitUntilFinished() async {
    let (call, token) = (HeldCall(), Holder<Token>())
    async let setting: Void = onThreads(1) { _ in
      let account = Account()
      token.hold(account.$balance.observe { _ in call.run() })
      account.balance = 1
      account.balance = 2
    }
    await call.isEntered()
    await call.expectFence(token.value)
    await setting
    await token.value?.waitUntilFinished()
  }

  @Test("waitUntilFinished() waits for the report that may call the handler, beside other handlers")
  func fenceBesideABlockedHandler() async {
    let (isInside, mayLeave) = (ManualLatch(), ManualLatch())
    let (tokens, hasLeft) = (Log<Token>(), Counter())
    async let setting: Void = onThreads(1) { _ in
      let (account, viewer) = (Account(), Viewer())
      tokens.append(account.$names.observe(owner: viewer) { _, _ in })
      tokens.append(
        account.$names.observe { _ in
          isInside.open()
          mayLeave.block()
          hasLeft.add()
        }
      )
      tokens.append(account.$names.observeElements { _ in Issue.record("It has ended.") })
      account.names = ["Ada"]
    }
    await isInside.wait()
    for token in tokens.entries { token.cancel() }
    let opener = Task {
      await rest()
      mayLeave.open()
    }
    for token in tokens.entries {
      await token.waitUntilFinished()
      #expect(hasLeft.value == 1)
    }
    await opener.value
    await setting
    withExtendedLifetime(tokens) {}
  }

  @Test("No call runs after waitUntilFinished(), however closely it follows another handler's call")
  func fenceStorm() async {
    struct Watched: Sendable {
      let token: Token
      let isOver: Counter
    }
    let (inbox, late) = (Inbox<Watched>(), Counter())
    let rounds = size(300, full: 2_000)
    async let setting: Void = onThreads(1) { _ in
      let account = Account()
      let before = account.$balance.observe { _ in }
      for _ in 0..<rounds {
        let isOver = Counter()
        let token = account.$balance.observe { _ in
          for _ in 0..<10 where isOver.value > 0 { late.add() }
          yieldThread()
          for _ in 0..<10 where isOver.value > 0 { late.add() }
        }
        let after = account.$balance.observe { _ in }
        inbox.append(Watched(token: token, isOver: isOver))
        repeat { account.balance += 1 } while token.isActive
        for _ in 0..<10 { account.balance += 1 }
        withExtendedLifetime((before, after)) {}
      }
    }
    for round in 0..<rounds {
      let watched = await inbox.first(round + 1)[round]
      watched.token.cancel()
      await watched.token.waitUntilFinished()
      watched.isOver.add()
    }
    await setting
    #expect(late.value == 0)
  }

  @Test("Many short-lived owners beside a thousand lasting ones use bounded slots")
  func owners() {
    let account = Account()
    let stays = (0..<1_000).map { _ in PlainOwner() }
    for owner in stays {
      account.$balance.observe(owner: owner) { owner, _ in owner.log.append(1) }
    }
    var largest = 0
    // More than a thousand between two changes, which remove the dead ones as well.
    let count = size(6_000, full: 100_000)
    for round in 0..<count {
      account.$balance.observe(owner: PlainOwner()) { owner, _ in owner.log.append(1) }
      largest = max(largest, account.$balance.observerSlotCount)
      if round.isMultiple(of: count / 5) { account.balance += 1 }
    }
    #expect(largest <= 2_002)
    #expect(stays.allSatisfy { $0.log.count == 5 })
    account.balance += 1
    #expect(account.$balance.observerSlotCount <= 2_000)
  }

  @Test("When many owners die at once, a few later registrations free their slots")
  func massDeath() {
    let account = Account()
    var owners = (0..<2_000).map { _ in PlainOwner() }
    for owner in owners { account.$balance.observe(owner: owner) { _, _ in } }
    #expect(account.$balance.observerSlotCount == 2_000)
    owners.removeAll()
    let token = account.$balance.observe { _ in }
    #expect(account.$balance.observerSlotCount <= 8)
    withExtendedLifetime(token) {}
  }
}

/// An owner with a lifetime that any thread may release.
private final class LivedGuest: LifetimeOwner, Sendable {
  let lifetime = Lifetime()
  let calls = Counter()
}
