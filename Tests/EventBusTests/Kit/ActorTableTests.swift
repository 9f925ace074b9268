import EventBus
import TestSupport
import Testing

@Suite("Per-actor table")
struct ActorTableTests {
  private final class Desk: ActorMember {
    let actor: WeakActor

    init(_ actor: any Actor) { self.actor = WeakActor(actor) }

    func serves(_ actor: any Actor) -> Bool { self.actor.isSame(as: actor) }

    var isAbandoned: Bool { actor.isGone }
  }

  private actor Person {}

  @Test("An actor has exactly one entry, even if several threads look it up at once")
  func oneEach() async {
    let table = ActorTable<Desk>()
    let actors = (0..<50).map { _ in Person() }
    let found = Log<[ObjectIdentifier]>()
    await onThreads(4) { _ in
      found.append(
        actors.map { actor in ObjectIdentifier(table.member(of: actor) { Desk(actor) }) }
      )
    }
    #expect(Set(found.entries).count == 1)
    #expect(table.count == 50)
    #expect(table.member(of: Person()) == nil)
  }

  @Test("The main actor has one entry, which counts like the others")
  func mainActor() async {
    let table = ActorTable<Desk>()
    #expect(table.member(of: MainActor.shared) == nil && table.count == 0)
    let found = Log<ObjectIdentifier>()
    await onThreads(4) { _ in
      for _ in 0..<100 {
        found.append(ObjectIdentifier(table.member(of: MainActor.shared) { Desk(MainActor.shared) }))
      }
    }
    #expect(Set(found.entries).count == 1)
    _ = table.member(of: Person()) { Desk(Person()) }
    #expect(table.count == 2 && table.member(of: MainActor.shared) != nil)
  }

  @Test("Entries of dead actors are removed: at most twice the living, or eight, remain")
  func bounded() {
    let table = ActorTable<Desk>()
    let living = (0..<10).map { _ in Person() }
    for actor in living { _ = table.member(of: actor) { Desk(actor) } }
    for _ in 0..<1_000 {
      let actor = Person()
      _ = table.member(of: actor) { Desk(actor) }
      #expect(table.count <= 20)
    }
    for actor in living { #expect(table.member(of: actor) != nil) }
  }

  @Test("A new actor at a dead actor's address has its own entry")
  func newAtOldAddress() {
    let table = ActorTable<Desk>()
    for _ in 0..<1_000 {
      let actor = Person()
      #expect(table.member(of: actor) { Desk(actor) }.actor.actor === actor)
    }
  }
}
