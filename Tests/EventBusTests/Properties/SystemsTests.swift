import EventBus
import TestSupport
import Testing

/// The systems the project grew out of, as far as they observe properties: each shown working.
@Suite("Established systems: observing properties")
struct SystemsTests {
  @Test(
    "KVO: initial, old, new, prior; context; manual and automatic; several keys affecting one; to-many"
  )
  func keyValueObserving() {
    final class Person {
      @Observed var first = "Ada"
      @Observed var last = "Byron"
      @Observed(notifies: .manually) var visits = 0
      @Observed var friends: [String] = []
      lazy var full = Computed($first, $last) { "\($0) \($1)" }

      func visit() {
        let old = visits
        visits += 1
        if visits.isMultiple(of: 2) { _visits.notifyChange(from: old) }
      }
    }
    let (person, notes) = (Person(), Notes<String>())
    let tokens = [
      // The closure itself is the context that distinguishes registrations.
      person.$first.observe(options: [.initial, .prior]) { notes.append("first \($0.text)") },
      person.$visits.observe { notes.append("visits \($0.text)") },
      person.full.observe { notes.append("full \($0.text)") },
      person.$friends.observe { notes.append("friends \($0.old.count)→\($0.new.count)") },
    ]
    person.first = "Augusta"
    person.visit()
    person.visit()
    person.friends.append("Charles")
    batch {
      person.first = "Ada"
      person.last = "Lovelace"
    }
    #expect(
      notes.entries == [
        "first iAda", "first pAda→Augusta", "first Ada→Augusta",
        "full Ada Byron→Augusta Byron", "visits 1→2", "friends 0→1",
        "first pAugusta→Ada", "first Augusta→Ada", "full Augusta Byron→Ada Lovelace",
      ]
    )
    withExtendedLifetime((tokens, person)) {}
  }

  @Test("FBKVOController: no duplicates, automatic removal, unobserve one, one object's, all")
  func controller() {
    let (account, other, viewer) = (Account(), Account(), Viewer())
    for _ in 0..<3 { account.$balance.observe(owner: viewer, id: "balance") { $0.show($1) } }
    account.balance = 1
    #expect(viewer.shown == ["0→1"])
    let bag = TokenBag()
    let one = account.$balance.observe { _ in viewer.shown.append("one") }
    other.$balance.observe { _ in viewer.shown.append("other") }.store(in: bag)
    account.$names.observe { _ in viewer.shown.append("names") }.store(in: bag)
    one.cancel()
    account.$balance.unobserve(owner: viewer)
    account.balance = 2
    #expect(viewer.shown == ["0→1"])
    account.names = ["a"]
    bag.cancelAll()
    account.names = ["b"]
    other.balance = 1
    #expect(viewer.shown == ["0→1", "names"])
  }

  @Test("Simulated weak property that becomes nil with its object")
  func simulatedWeakProperty() {
    final class Guest: LifetimeOwner, Sendable { let lifetime = Lifetime() }
    let desk = WeakObserved<Guest>()
    let log = Log<Bool>()
    let token = desk.observe { log.append($0.new != nil) }
    var guest: Guest? = Guest()
    desk.wrappedValue = guest
    guest = nil
    #expect(desk.wrappedValue == nil)
    #expect(log.entries == [true, false])
    withExtendedLifetime((token, guest)) {}
  }

  @Test("A self-made KVO with automatic removal, block based")
  func selfMade() {
    let (account, tally) = (Account(), Tally())
    var viewer: LivedViewer? = LivedViewer()
    let lifetimes = Notes<Token>()
    if let viewer {
      for _ in 0..<2 {
        lifetimes.append(
          account.$balance.observe(owner: viewer) { [probe = tally.probe()] viewer, change in
            probe.touch()
            viewer.show(change)
          }
        )
      }
    }
    account.balance = 1
    #expect(viewer?.shown == ["0→1", "0→1"])
    viewer = nil
    #expect(lifetimes.entries.allSatisfy { !$0.isActive })
    account.balance = 2
    #expect(tally.live == 0)
    withExtendedLifetime(viewer) {}
  }

  @Test("Managing property observers without a deinit: observe with an owner, everywhere")
  func withoutDeinit() {
    let (account, calls) = (Account(), Counter())
    let total = Computed(account.$balance) { $0 * 2 }
    var viewer: Viewer? = Viewer()
    if let viewer {
      account.$balance.observe(owner: viewer) { _, _ in calls.add() }
      total.observe(owner: viewer) { _, _ in calls.add() }
    }
    account.balance = 1
    #expect(calls.value == 2)
    viewer = nil
    account.balance = 2
    #expect(calls.value == 2)
    withExtendedLifetime((viewer, total)) {}
  }
}
