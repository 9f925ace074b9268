import EventBus
import TestSupport
import Testing

/// Owners without a lifetime die unnoticed, and their leftovers are bounded.
@Suite("Registrations of dead owners")
struct SweepTests {
  /// Returns the bound: after any registration there are at most max(8, 2 × living) of them.
  private func bound(living: Int) -> Int { max(8, 2 * living) }

  @Test("Any post to the name removes the dead owners it visits")
  func postRemovesTheDead() {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let tally = Tally()
    var owners = (0..<7).map { _ in PlainOwner() }
    for owner in owners {
      bus.observe(.number, owner: owner) { [probe = tally.probe()] _, _ in probe.touch() }
    }
    owners.removeLast(4)
    #expect(bus.post(.number, 1) == 3)
    #expect(signal.observerCount == 3)
    #expect(tally.live == 3)
    owners.removeAll()
    #expect(bus.post(.number, 1) == 0)
    #expect(signal.observerCount == 0)
    #expect(tally.live == 0)
  }

  @Test("A post removes dead owners even across several priorities and actors")
  func postRemovesTheDeadEverywhere() {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let log = Log<Int>()
    let token = bus.observe(.number, priority: .high) { log.append($0) }
    do {
      let owner = PlainOwner()
      bus.observe(.number, owner: owner, priority: .low) { _, _ in Issue.record("Dead.") }
      bus.observe(.number, owner: owner, once: true) { _, _ in Issue.record("Dead.") }
    }
    #expect(signal.observerCount == 3)
    #expect(bus.post(.number, 1) == 1)
    #expect(signal.observerCount == 1)
    withExtendedLifetime(token) {}
  }

  @Test("The bound holds after the next registration, whichever owners died")
  func deathsInAnyPlace() {
    for count in [8, 9, 10, 15, 16, 23, 24, 50, 100, 1_000] {
      for seed in 1...size(count < 1_000 ? 2 : 1, full: 8) { deathsInAnyPlace(count, seed) }
    }
  }

  private func deathsInAnyPlace(_ count: Int, _ seed: Int) {
    var numbers = SampleNumbers(seed: seed)
    for pattern in Pattern.allCases {
      let bus = EventBus()
      let signal = bus.signal(.number)
      var owners: [PlainOwner?] = (0..<count).map { _ in PlainOwner() }
      for owner in owners.compactMap(\.self) { bus.observe(.number, owner: owner) { _, _ in } }
      let living = numbers.next(below: count / 2)
      for index in pattern.dying(count - living, of: count, &numbers) { owners[index] = nil }
      let last = PlainOwner()
      bus.observe(.number, owner: last) { _, _ in }
      #expect(
        signal.observerCount <= bound(living: living + 1),
        "\(pattern), \(living) of \(count), seed \(seed)"
      )
      withExtendedLifetime((owners, last)) {}
    }
  }

  @Test("The bound holds after a registration of any kind", arguments: RegistrationKind.allCases)
  func anyKindOfRegistration(kind: RegistrationKind) {
    let bus = EventBus()
    let signal = bus.signal(.number)
    var owners = (0..<100).map { _ in PlainOwner() }
    for owner in owners { bus.observe(.number, owner: owner) { _, _ in } }
    owners.removeAll()
    let lived = LivedOwner()
    var token: Token?
    switch kind {
    case .token: token = bus.observe(.number) { _ in }
    case .once: token = bus.observe(.number, once: true) { _ in }
    case .priority: token = bus.observe(.number, priority: .high) { _ in }
    case .lifetimeOwner: bus.observe(.number, owner: lived) { _, _ in }
    }
    #expect(signal.observerCount <= bound(living: 1))
    withExtendedLifetime((token, lived, owners)) {}
  }

  @Test(
    "Dead owners that observed living senders are bounded, for one sender or many",
    arguments: [1, 100]
  )
  func namedALivingSender(senders: Int) {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let tally = Tally()
    let senders = (0..<senders).map { _ in SampleSender() }
    var most = 0
    for index in 0..<size(2_000, full: 100_000) {
      bus.observe(.number, owner: PlainOwner(), from: senders[index % senders.count]) {
        [probe = tally.probe()] _, _ in probe.touch()
      }
      most = max(most, signal.observerCount)
    }
    #expect(most <= bound(living: 1))
    for sender in senders { #expect(bus.post(.number, 1, from: sender) == 0) }
    #expect(signal.observerCount == 0)
    #expect(tally.live == 0)
  }

  @Test("Owners of one living sender that died together are removed by any next registration")
  func namedALivingSenderAndDiedTogether() {
    let bus = EventBus()
    let sender = SampleSender()
    var owners = (0..<size(2_000, full: 10_000)).map { _ in PlainOwner() }
    for owner in owners { bus.observe(.number, owner: owner, from: sender) { _, _ in } }
    owners.removeAll()
    let token = bus.observe(.number) { _ in }
    #expect(bus.signal(.number).observerCount <= bound(living: 1))
    withExtendedLifetime((owners, token, sender)) {}
  }

  @Test("An owner that dies before its shared lifetime is removed like any other")
  func lifetimeOutlivesItsOwner() {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let tally = Tally()
    var lifetimes: [Lifetime] = []
    for _ in 0..<7 {
      let owner = LivedOwner()
      lifetimes.append(owner.lifetime)
      bus.observe(.number, owner: owner) { [probe = tally.probe()] _, _ in probe.touch() }
    }
    #expect(bus.post(.number, 1) == 0)
    #expect(signal.observerCount == 0)
    #expect(tally.live == 0)
    for _ in 0..<1_000 {
      let owner = LivedOwner()
      lifetimes.append(owner.lifetime)
      bus.observe(.number, owner: owner) { [probe = tally.probe()] _, _ in probe.touch() }
      #expect(signal.observerCount <= bound(living: 1))
    }
    #expect(lifetimes.allSatisfy { !$0.hasEnded })
  }

  enum RegistrationKind: CaseIterable {
    case token, once, priority, lifetimeOwner
  }

  private enum Pattern: CaseIterable {
    case first, last, scattered

    func dying(_ count: Int, of total: Int, _ numbers: inout SampleNumbers) -> [Int] {
      switch self {
      case .first: return Array(0..<count)
      case .last: return Array((total - count)..<total)
      case .scattered:
        var places = Array(0..<total)
        for index in places.indices.reversed() {
          places.swapAt(index, numbers.next(below: index + 1))
        }
        return Array(places.prefix(count))
      }
    }
  }
}
