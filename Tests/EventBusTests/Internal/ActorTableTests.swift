import EventBus
import TestSupport
import Testing

@Suite("What belongs to actors")
struct ActorTableTests {
  private final class Desk: ActorMember {
    let actor: WeakActor

    init(_ actor: any Actor) { self.actor = WeakActor(actor) }

    func serves(_ actor: any Actor) -> Bool { self.actor.isSame(as: actor) }

    var isAbandoned: Bool { actor.isGone }
  }

  private actor Person {}

  @Test("An actor has one member, whoever asks and however often, also when threads ask at once")
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

  @Test("Members of dead actors are let go: at most twice the living remain, or eight")
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

  @Test("A new actor at the address of a dead one has a member of its own")
  func newAtOldAddress() {
    let table = ActorTable<Desk>()
    for _ in 0..<1_000 {
      let actor = Person()
      #expect(table.member(of: actor) { Desk(actor) }.actor.actor === actor)
    }
  }
}
