import EventBus
import TestSupport
import Testing

@Suite("Observed properties")
struct ObservedTests {
  @Test("An observer gets the exact old and new values of every change")
  func oldAndNew() {
    let account = Account()
    let notes = Notes<String>()
    let token = account.$balance.observe { notes.append($0.text) }
    account.balance = 1
    account.balance += 2
    account.balance = 7
    #expect(notes.entries == ["0→1", "1→3", "3→7"])
    withExtendedLifetime(token) {}
  }

  @Test("Observers are called in registration order")
  func order() {
    let account = Account()
    let notes = Notes<Int>()
    let tokens = (0..<20).map { index in account.$balance.observe { _ in notes.append(index) } }
    account.balance = 1
    #expect(notes.entries == Array(0..<20))
    withExtendedLifetime(tokens) {}
  }

  @Test("A value equal to the current one is not reported if the type is Equatable")
  func equalValues() {
    let account = Account()
    let notes = Notes<String>()
    let token = account.$balance.observe { notes.append($0.text) }
    account.balance = 0
    account.balance = 1
    account.balance = 1
    #expect(notes.entries == ["0→1"])
    withExtendedLifetime(token) {}
  }

  @Test("Every set of a type that is not Equatable is reported")
  func incomparable() {
    struct Plain { let number: Int }
    final class Model { @Observed var plain = Plain(number: 0) }
    let model = Model()
    let notes = Notes<Int>()
    let token = model.$plain.observe { notes.append($0.new.number) }
    model.plain = Plain(number: 0)
    model.plain = Plain(number: 0)
    #expect(notes.entries == [0, 0])
    withExtendedLifetime(token) {}
  }

  @Test("A custom equality decides, and a value it considers equal is not stored")
  func ownEquality() {
    final class Model { @Observed(comparing: { abs($0 - $1) < 10 }) var number = 0 }
    let model = Model()
    let notes = Notes<String>()
    let token = model.$number.observe { notes.append($0.text) }
    model.number = 9
    #expect(model.number == 0)
    model.number = 12
    #expect(notes.entries == ["0→12"])
    withExtendedLifetime(token) {}
  }

  @Test("The initial option delivers the current value once, before any later change")
  func initial() {
    let account = Account()
    account.balance = 3
    let notes = Notes<String>()
    let token = account.$balance.observe(initial: true) { notes.append($0.text) }
    #expect(notes.entries == ["i3"])
    account.balance = 4
    #expect(notes.entries == ["i3", "3→4"])
    withExtendedLifetime(token) {}
  }

  @Test("The registration is complete when the initial value is delivered")
  func initialIsAfterRegistration() {
    let account = Account()
    let notes = Notes<String>()
    let token = account.$balance.observe(initial: true) { [unowned account] change in
      notes.append("begin \(change.text)")
      if change.kind == .initial { account.balance = 1 }
      notes.append("end \(change.text)")
    }
    #expect(notes.entries == ["begin i0", "end i0", "begin 0→1", "end 0→1"])
    withExtendedLifetime(token) {}
  }

  @Test("A registration ended inside its initial call stays ended")
  func cancelInsideInitial() {
    let (account, viewer) = (Account(), LivedViewer())
    let token = account.$balance.observe(owner: viewer, initial: true) { viewer, change in
      viewer.show(change)
      viewer.lifetime.end()
    }
    #expect(!token.isActive)
    account.balance = 1
    #expect(viewer.shown == ["i0"])
  }

  @Test("Prior observers are called before the value changes and again afterwards")
  func prior() {
    let account = Account()
    let notes = Notes<String>()
    let token = account.$balance.observe(prior: true) { [unowned account] change in
      notes.append("\(change.text) at \(account.balance)")
    }
    account.balance = 1
    #expect(notes.entries == ["p0→1 at 0", "0→1 at 1"])
    withExtendedLifetime(token) {}
  }

  @Test("All prior observers are called before any other, in any registration order")
  func priorComesFirst() {
    let account = Account()
    let notes = Notes<String>()
    let tokens = [
      account.$balance.observe { notes.append("a \($0.text)") },
      account.$balance.observe(initial: true, prior: true) { notes.append("b \($0.text)") },
    ]
    account.balance = 1
    #expect(notes.entries == ["b i0", "b p0→1", "a 0→1", "b 0→1"])
    withExtendedLifetime(tokens) {}
  }

  @Test("A set inside a prior observer runs at once, and the chain stays unbroken")
  func setInsidePrior() {
    let account = Account()
    let notes = Notes<String>()
    let token = account.$balance.observe(prior: true) { [unowned account] change in
      notes.append(change.text)
      if change.kind == .prior, change.new == 1 { account.balance = 5 }
    }
    account.balance = 1
    #expect(account.balance == 1)
    #expect(notes.entries == ["p0→1", "p0→5", "0→5", "5→1"])
    withExtendedLifetime(token) {}
  }

  @Test("An owner whose lifetime has ended registers nothing with a property")
  func endedLifetime() {
    let (account, viewer, tally) = (Account(), LivedViewer(), Tally())
    viewer.lifetime.end()
    let token = account.$balance.observe(owner: viewer, initial: true) {
      [probe = tally.probe()] viewer, change in
      probe.touch()
      viewer.show(change)
    }
    account.balance = 1
    #expect(!token.isActive)
    #expect(viewer.shown.isEmpty)
    #expect(tally.live == 0)
  }

  @Test("With an id, an owner's second registration replaces the first")
  func ids() {
    let (account, viewer, other) = (Account(), Viewer(), Viewer())
    let first = account.$balance.observe(owner: viewer, id: "a") { viewer, _ in
      viewer.shown.append("first")
    }
    account.$balance.observe(owner: other, id: "a") { $0.show($1) }
    account.$balance.observe(owner: viewer, id: "b") { viewer, _ in viewer.shown.append("b") }
    let second = account.$balance.observe(owner: viewer, id: "a") { $0.show($1) }
    #expect(!first.isActive)
    #expect(second.isActive)
    account.balance = 1
    #expect(viewer.shown == ["b", "0→1"])
    #expect(other.shown == ["0→1"])
    first.cancel()
    account.balance = 2
    #expect(viewer.shown == ["b", "0→1", "b", "1→2"])
  }

  @Test("Unobserving an owner ends all its registrations and releases their handlers at once")
  func unobserve() {
    let (account, viewer, other, tally) = (Account(), Viewer(), Viewer(), Tally())
    let tokens = (0..<3).map { _ in
      account.$balance.observe(owner: viewer) { [probe = tally.probe()] _, _ in probe.touch() }
    }
    account.$balance.observe(owner: other) { $0.show($1) }
    account.$balance.unobserve(owner: viewer)
    #expect(tokens.allSatisfy { !$0.isActive })
    #expect(tally.live == 0)
    account.balance = 1
    #expect(other.shown == ["0→1"])
    Account().$balance.unobserve(owner: viewer)
  }

  @Test("Plain closures of the main actor can observe a main-actor property")
  @MainActor
  func mainActor() {
    @MainActor final class Model { @Observed var number = 0 }
    let (model, screen) = (Model(), Screen())
    model.$number.observe(owner: screen) { screen, change in screen.shown.append(change.new) }
    model.number = 4
    #expect(screen.shown == [4])
  }

  @Test("A property of an actor can be observed inside that actor")
  func actor() async {
    actor Store {
      @Observed var number = 0
      private var shown: [String] = []
      func run() -> [String] {
        let notes = Notes<String>()
        let token = $number.observe { notes.append($0.text) }
        number = 3
        token.cancel()
        number = 4
        return notes.entries
      }
    }
    #expect(await Store().run() == ["0→3"])
  }
}
