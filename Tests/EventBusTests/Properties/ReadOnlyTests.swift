import EventBus
import TestSupport
import Testing

/// A model whose properties only it can change, because it shares views alone.
private final class Ledger {
  @Observed private(set) var balance = 0
  @Observed private(set) var items = [1]
  private var limit: Token?

  func set(_ value: Int) { balance = value }

  func setLimit(_ limit: Int) {
    self.limit = _balance.validate { _, proposed in proposed <= limit }
  }

  func change() {
    _items.append(2)
  }

  func setSilently(_ value: Int) { _balance.withoutNotifying { $0 = value } }

  func report(from old: Int) { _balance.notifyChange(from: old) }
}

@Suite("Views of properties")
struct ReadOnlyTests {
  private let ledger = Ledger()
  private let viewer = Viewer()

  @Test("The type of a property acts on it, and the observers of its view are notified")
  func actsInside() {
    ledger.$balance.observe(owner: viewer) { $0.show($1) }
    ledger.setLimit(5)
    ledger.set(5)
    ledger.set(6)
    ledger.setSilently(2)
    ledger.report(from: 5)
    #expect(viewer.shown == ["0→5", "5→2"])
    #expect(ledger.$balance.value == 2)
  }

  @Test("A view and its property have the same registrations, in one order")
  func oneList() {
    let count = Observed(wrappedValue: 0)
    let view = count.readOnly
    let first = view.observe { viewer.shown.append("view \($0.text)") }
    let second = count.observe { viewer.shown.append("property \($0.text)") }
    let third = view.readOnly.observe(initial: true, prior: true) {
      viewer.shown.append("again \($0.text)")
    }
    count.wrappedValue = 1
    #expect(
      viewer.shown == ["again i0", "again p0→1", "view 0→1", "property 0→1", "again 0→1"]
    )
    #expect((view.value, count.value) == (1, 1))
    first.cancel()
    count.wrappedValue = 2
    #expect(viewer.shown.suffix(3) == ["again p1→2", "property 1→2", "again 1→2"])
    withExtendedLifetime((second, third)) {}
  }

  @Test("A registration through a view is replaced and ended through the property, and vice versa")
  func ownersAreShared() {
    let count = Observed(wrappedValue: 0)
    count.readOnly.observe(owner: viewer, id: 1) { viewer, _ in viewer.shown.append("view") }
    count.observe(owner: viewer, id: 1) { viewer, _ in viewer.shown.append("property") }
    count.wrappedValue = 1
    #expect(viewer.shown == ["property"])
    count.readOnly.unobserve(owner: viewer)
    count.wrappedValue = 2
    count.readOnly.observe(owner: viewer) { viewer, _ in viewer.shown.append("view") }
    count.unobserve(owner: viewer)
    count.wrappedValue = 3
    #expect(viewer.shown == ["property"])
  }

  @Test("A view reports the elements of collections, with and without owner")
  func elements() {
    let token = ledger.$items.observeElements { viewer.shown.append($0.text) }
    ledger.$items.observeElements(owner: viewer) { $0.shown.append("own \($1.text)") }
    ledger.change()
    #expect(viewer.shown == ["+1[2]", "own +1[2]"])
    withExtendedLifetime(token) {}
  }

  @Test("A view retains its property, but not the object that declares it")
  func retains() {
    let (log, token, view): (Log<String>, Token, Observed<Int>.ReadOnly) = {
      final class Model {
        @Observed var number = 1
        let atDeinit: AtDeinit
        init(_ log: Log<String>) { atDeinit = AtDeinit { log.append("dead") } }
      }
      let log = Log<String>()
      let model = Model(log)
      let token = model.$number.observe { _ in }
      model.number = 2
      return withExtendedLifetime(model) { (log, token, model.$number) }
    }()
    #expect(log.entries == ["dead"])
    #expect(view.value == 2)
    #expect(token.isActive)
  }

  @Test("A generic function observes a property, its view and, as a value, a computed value")
  func generic() {
    func show(_ property: some ObservedProperty<Int>) {
      property.observe(owner: viewer, initial: true) { $0.show($1) }
    }
    let count = Observed(wrappedValue: 1)
    show(count)
    show(count.readOnly)
    let values: [any ObservedValue<Int>] = [count, count.readOnly, Computed(count) { $0 * 10 }]
    #expect(values.map { $0.value } == [1, 1, 10])
    let tokens = values.map {
      $0.observe(initial: false, prior: false) { viewer.shown.append("any \($0.text)") }
    }
    count.wrappedValue = 2
    #expect(
      viewer.shown == ["i1", "i1", "1→2", "1→2", "any 1→2", "any 1→2", "any 10→20"]
    )
    withExtendedLifetime((tokens, values)) {}
  }
}

@Suite("Views as sources and paths")
struct ReadOnlyCompositionTests {
  private let viewer = Viewer()

  @Test("A property and its views are one source of a computed value")
  func oneSource() {
    let count = Observed(wrappedValue: 1)
    var computations = 0
    let sum = Computed(count, count.readOnly, count.readOnly) { one, two, three in
      computations += 1
      return one + two + three
    }
    let token = sum.observe { viewer.show($0) }
    count.wrappedValue = 2
    count.wrappedValue = 3
    #expect(viewer.shown == ["3→6", "6→9"])
    #expect(computations == 3)
    withExtendedLifetime((token, sum)) {}
  }

  @Test("A diamond below views reports once, and the value is consistent in every observer")
  func diamond() {
    let count = Observed(wrappedValue: 1)
    let double = Computed(count.readOnly) { $0 * 2 }
    let sum = Computed(double, count.readOnly) { $0 + $1 }
    let tokens = [
      sum.observe { viewer.show($0) },
      count.readOnly.observe { _ in viewer.shown.append("reads \(sum.value)") },
      double.observe { viewer.show($0) },
    ]
    count.wrappedValue = 2
    #expect(viewer.shown == ["reads 6", "2→4", "3→6"])
    batch {
      count.wrappedValue = 5
      count.wrappedValue = 2
    }
    #expect(viewer.shown.count == 3)
    withExtendedLifetime((tokens, sum)) {}
  }

  @Test("A computed value retains the property behind a view")
  func computedRetains() {
    weak var property: Observed<Int>?
    let double: Computed<Int> = {
      let count = Observed(wrappedValue: 3)
      property = count
      return Computed(count.readOnly) { $0 * 2 }
    }()
    #expect(property != nil)
    #expect(double.value == 6)
  }

  private final class Node {
    @Observed var number: Int
    let count: Observed<Int>
    init(_ number: Int) { (self.number, count) = (number, Observed(wrappedValue: number)) }
  }

  @Test("A path leads to a projected value or to a standalone property, from either side")
  func paths() {
    let root = Observed(wrappedValue: Node(1))
    root.observe(\.$number, owner: viewer) { $0.show($1) }
    root.readOnly.observe(\.$number, owner: viewer, initial: true) { $0.show($1) }
    root.readOnly.observe(\.count.readOnly, owner: viewer) { $0.shown.append("c\($1.text)") }
    root.wrappedValue.number = 2
    root.wrappedValue.count.wrappedValue = 3
    root.wrappedValue = Node(4)
    #expect(viewer.shown == ["i1", "1→2", "1→2", "c1→3", "2→4", "2→4", "c3→4"])
    root.readOnly.unobserve(owner: viewer)
    root.wrappedValue.number = 5
    #expect(viewer.shown.count == 7)
  }
}

@Suite("Views of weak properties")
struct WeakReadOnlyTests {
  private final class Guest: LifetimeOwner, Sendable {
    let lifetime = Lifetime()
  }

  /// An object whose weak property only it can set.
  private final class Desk {
    @WeakObserved private var visitor: Guest?
    var view: WeakObserved<Guest>.ReadOnly { $visitor }

    func receive(_ guest: Guest?) { _visitor.wrappedValue = guest }
  }

  private static func text(_ change: Change<Guest?>) -> String {
    "\(change.kind) \(change.old == nil ? "-" : "guest")→\(change.new == nil ? "-" : "guest")"
  }

  @Test("A view of a weak property reports each object and its death")
  func reports() {
    let (desk, log, owner) = (Desk(), Log<String>(), PlainOwner())
    let token = desk.view.observe(initial: true) { log.append(Self.text($0)) }
    desk.view.observe(owner: owner, id: 1) { owner, _ in owner.log.append(1) }
    desk.view.observe(owner: owner, id: 1) { owner, _ in owner.log.append(2) }
    var guest: Guest? = Guest()
    desk.receive(guest)
    #expect(desk.view.value === guest)
    guest = nil
    #expect(desk.view.value == nil)
    #expect(log.entries == ["initial -→-", "set -→guest", "set -→-"])
    #expect(owner.log.entries == [2, 2])
    desk.view.unobserve(owner: owner)
    let other = Guest()
    desk.receive(other)
    #expect(owner.log.entries == [2, 2])
    #expect(desk.view.mergedCount == 0)
    withExtendedLifetime((token, other)) {}
  }

  @Test("A view retains its weak property, but not the object to which the property refers")
  func retains() {
    let (view, log) = ({ Desk().view }(), Log<String>())
    let token = view.observe { log.append(Self.text($0)) }
    #expect(token.isActive)
    let box = WeakObserved<Guest>()
    weak var guest: Guest?
    do {
      let some = Guest()
      guest = some
      box.wrappedValue = some
      #expect(box.readOnly.value === some)
    }
    #expect(guest == nil)
    #expect(box.value == nil)
  }
}
