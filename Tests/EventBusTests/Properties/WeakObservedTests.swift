import EventBus
import TestSupport
import Testing

@Suite("Weak observed properties")
struct WeakObservedTests {
  private final class Guest: LifetimeOwner, Sendable {
    let lifetime = Lifetime()
    let name: String
    init(_ name: String) { self.name = name }
  }

  private final class Desk: Sendable {
    let box = WeakObserved<Guest>()
    var guest: Guest? {
      get { box.wrappedValue }
      set { box.wrappedValue = newValue }
    }
  }

  /// Takes no turn until its executor is opened: events queued for it retain their payloads.
  private actor Clerk {
    nonisolated let executor = HeldExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
    }
  }

  private static func text(_ change: Change<Guest?>) -> String {
    "\(change.kind) \(change.old?.name ?? "-")→\(change.new?.name ?? "-")"
  }

  @Test("A weak property does not retain its object, becomes nil when it dies, and reports that")
  func dies() {
    let (desk, log) = (Desk(), Log<String>())
    let token = desk.box.observe { log.append(Self.text($0)) }
    var guest: Guest? = Guest("Ann")
    desk.guest = guest
    #expect(desk.guest === guest)
    guest = nil
    #expect(desk.guest == nil)
    #expect(log.entries == ["set -→Ann", "set -→-"])
    withExtendedLifetime((token, guest)) {}
  }

  @Test("Ending the object's lifetime clears the property, and the report still holds the object")
  func endedByHand() {
    let (desk, log) = (Desk(), Log<String>())
    let token = desk.box.observe { log.append(Self.text($0)) }
    let guest = Guest("Ann")
    desk.guest = guest
    guest.lifetime.end()
    #expect(desk.guest == nil)
    desk.guest = guest
    #expect(desk.guest == nil)
    #expect(
      log.entries == ["set -→Ann", "set Ann→-", "set -→Ann", "set Ann→-"]
    )
    withExtendedLifetime(token) {}
  }

  @Test("A binding sets a weak property at once, after every change and at the object's end")
  @MainActor
  func binding() async {
    final class Badge { weak var guest: Guest? }
    let (desk, badge) = (Desk(), Badge())
    var guests: [Guest?] = [Guest("Ann"), Guest("Ben")]
    desk.guest = guests[0]
    let token = desk.box.bind(to: badge, \.guest)
    #expect(badge.guest === guests[0])
    desk.guest = guests[1]
    await until(badge.guest === guests[1])
    guests[1] = nil
    #expect(desk.guest == nil)
    await rest()
    #expect(badge.guest == nil)
    token.cancel()
    desk.guest = guests[0]
    await rest()
    #expect(badge.guest == nil)
    let binding = desk.box.readOnly.bind(to: badge, \.guest)
    #expect(badge.guest === guests[0] && binding.isActive)
  }

  @Test(
    "The sequence has the current object, later ones, and `nil` for its end, and retains what it buffers"
  )
  func sequence() async {
    let desk = Desk()
    var guest: Guest? = Guest("Ann")
    desk.guest = guest
    let lifetime = Lifetime()
    let values = desk.box.values(until: lifetime)
    guest = Guest("Ben")
    // Only the buffer keeps it alive.
    #expect(desk.guest?.name == "Ann")
    desk.guest = guest
    guest = nil
    #expect(desk.guest?.name == "Ben")
    var names: [String] = []
    for await guest in values {
      names.append(guest?.name ?? "-")
      if names.count == 2 { desk.guest = nil }
      if names.count == 3 { lifetime.end() }
    }
    #expect(names == ["Ann", "Ben", "-"])
  }

  @Test("The death of a replaced object is not reported")
  func replaced() {
    let (desk, log) = (Desk(), Log<String>())
    var first: Guest? = Guest("Ann")
    let second = Guest("Ben")
    desk.guest = first
    let token = desk.box.observe(initial: true) { log.append(Self.text($0)) }
    desk.guest = second
    desk.guest = second
    first = nil
    #expect(desk.guest === second)
    #expect(log.entries == ["initial Ann→Ann", "set Ann→Ben"])
    withExtendedLifetime((token, first)) {}
  }

  @Test("Setting the property back and forth leaves no hooks behind")
  func hooks() {
    let desk = Desk()
    let (first, second) = (Guest("Ann"), Guest("Ben"))
    for _ in 0..<1_000 {
      desk.guest = first
      desk.guest = second
    }
    #expect(first.lifetime.members.count == 0)
    #expect(second.lifetime.members.count == 1)
    desk.guest = nil
    #expect(second.lifetime.members.count == 0)
  }

  /// An object with a shared lifetime, which does not end with the object.
  private final class Visitor: LifetimeOwner, Sendable {
    let lifetime: Lifetime

    init(_ lifetime: Lifetime) { self.lifetime = lifetime }
  }

  @Test("An object at a dead object's address is a new object, even if the lifetime lives on")
  func reusedAddress() {
    let (visitor, shared) = (WeakObserved<Visitor>(), Lifetime())
    var wasReused = false
    for _ in 0..<1_000 where !wasReused {
      var first: Visitor? = Visitor(shared)
      let address = first.map { ObjectIdentifier($0) }
      visitor.wrappedValue = first
      first = nil
      let second = Visitor(shared)
      wasReused = ObjectIdentifier(second) == address
      let token = visitor.observe { _ in }
      visitor.wrappedValue = second
      #expect(visitor.wrappedValue === second)
      withExtendedLifetime((first, second, token)) {}
    }
    #expect(wasReused)
  }

  @Test("The property may die before its object")
  func propertyDies() {
    var desk: Desk? = Desk()
    var guest: Guest? = Guest("Ann")
    desk?.guest = guest
    let token = desk?.box.observe { _ in Issue.record("The property is dead.") }
    desk = nil
    #expect(token?.isActive == false)
    #expect(guest?.lifetime.members.count == 0)
    guest = nil
    withExtendedLifetime((desk, guest)) {}
  }

  @Test("The end of a dead object's lifetime does not clear an object at the same address")
  func reusedMemory() {
    let desk = Desk()
    let clerk = Clerk()
    clerk.executor.hold()
    let token = desk.box.observe(owner: clerk) { clerk, _ in clerk.assertIsolated() }
    var reused = 0
    for _ in 0..<100 {
      var former: Guest? = Guest("Ann")
      let lifetime = former?.lifetime
      let address = former.map { ObjectIdentifier($0) }
      desk.guest = former
      former = nil
      let guest = Guest("Bob")
      if ObjectIdentifier(guest) == address { reused += 1 }
      desk.guest = guest
      lifetime?.end()
      #expect(desk.guest === guest)
    }
    #expect(reused > 0)
    token.cancel()
    clerk.executor.open()
  }

  @Test("Objects that die on other threads while the property is set leave it nil")
  func races() async {
    let desk = Desk()
    let deaths = Counter()
    let token = desk.box.observe { _ in deaths.add() }
    await onThreads(4) { index in
      for round in 0..<size(500, full: 2_000) { desk.guest = Guest("\(index) \(round)") }
    }
    #expect(desk.guest == nil)
    withExtendedLifetime(token) {}
  }
}
