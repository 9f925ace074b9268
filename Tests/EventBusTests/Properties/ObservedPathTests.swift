import EventBus
import TestSupport
import Testing

@Suite("Paths, bindings and asynchronous values")
struct ObservedPathTests {
  private final class Player {
    @Observed var account = Account()
    @Observed var guest: Account?
  }

  @Test("A path reports changes of the inner property, and a replaced object as one change")
  func replaced() {
    let (player, viewer) = (Player(), Viewer())
    let first = player.account
    player.$account.observe(\.$balance, owner: viewer, initial: true) { $0.show($1) }
    first.balance = 1
    let second = Account()
    second.balance = 5
    player.account = second
    first.balance = 2
    second.balance = 6
    #expect(viewer.shown == ["i0", "0→1", "1→5", "5→6"])
  }

  @Test("Prior observers of a path are called for inner changes and for replacements")
  func prior() {
    let (player, viewer) = (Player(), Viewer())
    player.$account.observe(\.$balance, owner: viewer, prior: true) { $0.show($1) }
    player.account.balance = 1
    player.account = Account()
    #expect(viewer.shown == ["p0→1", "0→1", "p1→0", "1→0"])
  }

  @Test("A path through an optional object reports nil while there is no object")
  func optional() {
    let (player, viewer) = (Player(), Viewer())
    player.$guest.observe(\.$balance, owner: viewer, initial: true) { viewer, change in
      viewer.shown.append("\(change.old ?? -1)→\(change.new ?? -1)")
    }
    let guest = Account()
    player.guest = guest
    guest.balance = 3
    player.guest = nil
    guest.balance = 4
    player.guest = nil
    #expect(viewer.shown == ["-1→-1", "-1→0", "0→3", "3→-1"])
  }

  @Test("Cancelling, the owner's end and the property's end each end both registrations of a path")
  func ends() {
    let (player, tally) = (Player(), Tally())
    var viewer: Viewer? = Viewer()
    let notes = Notes<String>()
    let inner = player.account
    var token: Token?
    if let viewer {
      token = player.$account.observe(\.$balance, owner: viewer) { viewer, change in
        viewer.show(change)
        notes.append(change.text)
      }
      player.$account.observe(\.$balance, owner: viewer) { [probe = tally.probe()] _, change in
        probe.touch()
        notes.append("other \(change.text)")
      }
    }
    token?.cancel()
    inner.balance = 1
    #expect(notes.entries == ["other 0→1"])
    viewer = nil
    inner.balance = 2
    player.account = Account()
    #expect(notes.entries == ["other 0→1"])
    #expect(tally.live == 0)
    withExtendedLifetime(viewer) {}

    var other: Player? = Player()
    let third = Viewer()
    let kept = other?.account
    other?.$account.observe(\.$balance, owner: third) { $0.show($1) }
    other = nil
    kept?.balance = 9
    #expect(third.shown.isEmpty)
    withExtendedLifetime(other) {}
  }

  @Test("A path that leads back to the property itself works")
  func selfLoop() {
    final class Node { @Observed var next: Node? }
    let (node, other, viewer) = (Node(), Node(), Viewer())
    node.next = node
    let token = node.$next.observe(\.$next, owner: viewer) { viewer, change in
      viewer.shown.append(change.new.map { $0 != nil } == true ? "there" : "gone")
    }
    node.next = other
    other.next = node
    token.cancel()
    other.next = nil
    node.next = nil
    #expect(viewer.shown.last == "there")
    #expect(node.$next.observerSlotCount <= 8)
  }

  @Test("A binding sets at once and after every change, until its target dies")
  func bind() {
    final class Label { var text = "" }
    final class Model { @Observed var title = "a" }
    let (model, label) = (Model(), Label())
    let token = model.$title.bind(to: label, \.text)
    #expect(label.text == "a")
    model.title = "b"
    #expect(label.text == "b")
    token.cancel()
    model.title = "c"
    #expect(label.text == "b")
    var other: Label? = Label()
    if let other { model.$title.bind(to: other, \.text) }
    other = nil
    model.title = "d"
    withExtendedLifetime(other) {}
  }

  @Test("The value sequence starts with the current value and ends with the property")
  func values() async {
    var account: Account? = Account()
    account?.balance = 1
    let values = account.map { $0.$balance.values() }
    account?.balance = 2
    account?.balance = 3
    account = nil
    var seen: [Int] = []
    if let values { for await value in values { seen.append(value) } }
    #expect(seen == [1, 2, 3])
    withExtendedLifetime(account) {}
  }

  @Test("The value sequence ends with the lifetime, after the values stored by then")
  func valuesUntil() async {
    let (account, lifetime) = (Account(), Lifetime())
    let values = account.$balance.values(until: lifetime)
    account.balance = 1
    lifetime.end()
    account.balance = 2
    var seen: [Int] = []
    for await value in values { seen.append(value) }
    #expect(seen == [0, 1])
    for await _ in account.$balance.values(until: .ended) { seen.append(-1) }
    #expect(seen == [0, 1, -1])
  }

  @Test("The value sequence buffers as many values as its policy allows")
  func valuesBuffering() async {
    let (account, lifetime) = (Account(), Lifetime())
    let newest = account.$balance.values(buffering: .bufferingNewest(1), until: lifetime)
    let oldest = account.$balance.values(buffering: .bufferingOldest(2), until: lifetime)
    for balance in 1...5 { account.balance = balance }
    lifetime.end()
    var seen: [Int] = []
    for await value in newest { seen.append(value) }
    for await value in oldest { seen.append(value) }
    #expect(seen == [5, 0, 1])
  }

  @Test("The value sequence may be consumed in another task and ends with its cancellation")
  @MainActor
  func valuesElsewhere() async {
    @MainActor final class Model { @Observed var number = 0 }
    let model = Model()
    let inbox = Inbox<Int>()
    let values = model.$number.values()
    let task = Task.detached {
      for await value in values { inbox.append(value) }
      return true
    }
    _ = await inbox.first(1)
    model.number = 1
    #expect(await inbox.first(2) == [0, 1])
    task.cancel()
    #expect(await task.value)
  }
}
