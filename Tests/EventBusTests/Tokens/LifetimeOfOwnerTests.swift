import EventBus
import TestSupport
import Testing

@Suite("Lifetime of an object")
struct LifetimeOfOwnerTests {
  @Test("A stored lifetime ends when its owner is destroyed, on the thread that released it")
  func endsWithItsOwner() async {
    let threads = Log<ThreadID>()
    let owner = Holder(LivedOwner())
    owner.value?.lifetime.onEnd { threads.append(.current) }
    let letGo = Log<ThreadID>()
    await onThreads(1) { _ in
      letGo.append(.current)
      owner.letGo()
      #expect(threads.count == 1)
    }
    #expect(threads.entries == letGo.entries)
  }

  @Test("Registrations that end with their signal, bus or property leave the owner's lifetime")
  func registrationsLeave() {
    let owner = LivedOwner()
    for _ in 0..<10 {
      Signal<Int>().observe(owner: owner) { owner, value in owner.log.append(value) }
      EventBus().observe(.number, owner: owner) { owner, value in owner.log.append(value) }
      SharedObserved(0).observe(owner: owner) { owner, change in owner.log.append(change.new) }
    }
    #expect(owner.lifetime.members.count == 0)
    #expect(owner.log.count == 0)
  }

  @Test("A lifetime that outlives its owner ends with the last reference to it")
  func lifetimeOutlivesItsOwner() {
    let heard = Counter()
    let owner = Holder(LivedOwner())
    let lifetime = Holder(owner.value?.lifetime)
    lifetime.value?.onEnd { heard.add() }
    owner.letGo()
    #expect(heard.value == 0)
    lifetime.letGo()
    #expect(heard.value == 1)
  }

  /// Ends its lifetime while its fields are still there.
  private final class TwoPhases: LifetimeOwner, Sendable {
    let lifetime = Lifetime()
    let afterwards: AtDeinit
    let log: Log<String>

    init(_ log: Log<String>) {
      self.log = log
      afterwards = AtDeinit { log.append("fields go") }
    }

    deinit {
      lifetime.end()
      log.append("deinit goes on")
    }
  }

  @Test("Ended in a deinit, a lifetime ends before the fields; otherwise it ends with them")
  func twoPhases() {
    let log = Log<String>()
    let owner = Holder(TwoPhases(log))
    let wasNil = Log<Bool>()
    owner.value?.lifetime.onEnd { [weak object = owner.value] in
      log.append("hook")
      wasNil.append(object == nil)
    }
    owner.letGo()
    #expect(log.entries == ["hook", "deinit goes on", "fields go"])
    #expect(wasNil.entries == [true])
  }

  @Test("Registering and ending concurrently, thousands of times, runs each hook exactly once")
  func races() async {
    let rounds = size(2_000, full: 10_000)
    let lifetimes = (0..<rounds).map { _ in Lifetime() }
    let runs = (0..<rounds).map { _ in Counter() }
    let gate = StartGate(2)
    await onThreads(2) { thread in
      for (lifetime, run) in zip(lifetimes, runs) {
        gate.arriveAndWait()
        if thread == 0 { lifetime.end() } else { lifetime.onEnd { run.add() } }
      }
    }
    #expect(runs.allSatisfy { $0.value == 1 })
  }

  @Test("Hooks registered during the end run exactly once, the earlier ones in order")
  func manyRegister() async {
    for _ in 0..<50 {
      let lifetime = Lifetime()
      let log = Log<[Int]>()
      await onThreads(4) { thread in
        for number in 0..<25 { lifetime.onEnd { log.append([thread, number]) } }
        if thread == 3 { lifetime.end() }
      }
      #expect(log.count == 100)
      let inOrder = log.entries.filter { $0[0] == 3 }.map { $0[1] }
      #expect(inOrder == Array(0..<25))
    }
  }

  @Test("Cancelling a hook during the end runs it at most once and frees it once")
  func racingCancel() async {
    let rounds = 1_000
    let tally = Tally()
    let runs = (0..<rounds).map { _ in Counter() }
    let lifetimes = (0..<rounds).map { _ in Lifetime() }
    let tokens = zip(lifetimes, runs).map { lifetime, run in
      lifetime.onEnd { [probe = tally.probe()] in
        probe.touch()
        run.add()
      }
    }
    let gate = StartGate(2)
    await onThreads(2) { thread in
      for index in 0..<rounds {
        gate.arriveAndWait()
        if thread == 0 { lifetimes[index].end() } else { tokens[index].cancel() }
      }
    }
    #expect(runs.allSatisfy { $0.value <= 1 })
    #expect(tally.freed == rounds)
    #expect(tokens.allSatisfy { !$0.isActive })
  }
}
