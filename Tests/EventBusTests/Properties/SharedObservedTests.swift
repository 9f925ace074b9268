import EventBus
import TestSupport
import Testing

@Suite("Shared observed properties")
struct SharedObservedTests {
  /// A value without an equality.
  private struct Opaque: Sendable {
    let number: Int
  }

  @Test("Every set of a different value reports old and new and is readable by then")
  func sets() {
    let property = SharedObserved(1)
    let (changes, read) = (Log<Change<Int>>(), Log<Int>())
    let token = property.observe { [unowned property] change in
      changes.append(change)
      read.append(property.value)
    }
    property.value = 2
    property.value = 2
    property.value = 5
    #expect(changes.entries.map(\.old) == [1, 2])
    #expect(changes.entries.map(\.new) == [2, 5])
    #expect(changes.entries.map(\.kind) == [.set, .set])
    #expect(read.entries == [2, 5])
    token.cancel()
    property.value = 6
    #expect(changes.count == 2)
    #expect(property.value == 6)
  }

  @Test("A predicate decides instead of the equality, and a value it considers equal is not stored")
  func ownEquality() {
    let property = SharedObserved(0, comparing: { abs($0 - $1) < 10 })
    let changes = Log<Change<Int>>()
    let token = property.observe { changes.append($0) }
    property.value = 9
    #expect(property.value == 0)
    property.value = 12
    #expect(changes.entries.map(\.old) == [0] && changes.entries.map(\.new) == [12])
    token.cancel()
  }

  @Test("Without an equality every set is reported")
  func withoutEquality() {
    let property = SharedObserved(Opaque(number: 1))
    let heard = Counter()
    let token = property.observe { _ in heard.add() }
    property.value = Opaque(number: 1)
    property.value = Opaque(number: 1)
    #expect(heard.value == 2)
    withExtendedLifetime(token) {}
  }

  @Test("The initial value comes once, during the registration, before any later change")
  func initial() {
    let property = SharedObserved(3)
    let changes = Log<Change<Int>>()
    let token = property.observe(initial: true) { changes.append($0) }
    #expect(changes.count == 1)
    property.value = 4
    #expect(changes.entries.map(\.kind) == [.initial, .set])
    #expect(changes.entries.map(\.old) == [3, 3])
    #expect(changes.entries.map(\.new) == [3, 4])
    withExtendedLifetime(token) {}
  }

  @Test("A shared property's registration ended inside its initial call stays ended")
  func endedInsideInitial() {
    let (property, owner, lived) = (SharedObserved(1), PlainOwner(), LivedOwner())
    property.observe(owner: owner, initial: true) { owner, change in
      owner.log.append(change.new)
      property.unobserve(owner: owner)
      property.value = 2
    }
    property.observe(owner: lived, initial: true) { owner, change in
      owner.log.append(change.new)
      owner.lifetime.end()
      property.value = 3
    }
    property.value = 4
    #expect(owner.log.entries == [1])
    #expect(lived.log.entries == [2])
  }

  @Test("A batch does not defer the reports of a shared property")
  func batches() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let token = property.observe { log.append($0.text) }
    batch {
      property.value = 1
      #expect(log.entries == ["0→1"])
      property.update { $0 += 1 }
      #expect(log.entries == ["0→1", "1→2"])
      property.value = 0
    }
    #expect(log.entries == ["0→1", "1→2", "2→0"])
    withExtendedLifetime(token) {}
  }

  @Test("An update returns its closure's result and reports the stored value even if it throws")
  func updates() {
    let property = SharedObserved([1])
    let changes = Log<Change<[Int]>>()
    let token = property.observe { changes.append($0) }
    let count = property.update { list in
      list.append(2)
      return list.count
    }
    #expect(count == 2)
    #expect(throws: SampleError.self) {
      try property.update { list in
        list.append(3)
        throw SampleError()
      }
    }
    property.update { _ in }
    #expect(changes.entries.map(\.new) == [[1, 2], [1, 2, 3]])
    #expect(property.value == [1, 2, 3])
    withExtendedLifetime(token) {}
  }

  @Test("Without observers, an update mutates the value in place")
  func inPlace() {
    let property = SharedObserved(Array(0..<1_000))
    property.update { $0.reserveCapacity(2_000) }
    func address() -> UInt {
      property.update { list in
        list.append(1)
        let address = unsafe list.withUnsafeBufferPointer {  // Reason: only a number leaves.
          UInt(bitPattern: $0.baseAddress)
        }
        return address
      }
    }
    let first = address()
    #expect(address() == first)
  }

  @Test("Elements that an observed update removes are destroyed after it, and may use the property")
  func removal() {
    let property = SharedObserved<[AtDeinit]>([])
    let counts = Log<Int>()
    property.value = [AtDeinit { [unowned property] in counts.append(property.value.count) }]
    let token = property.observe { _ in }
    property.update { $0.removeAll() }
    #expect(counts.entries == [0])
    property.value = [AtDeinit { [unowned property] in counts.append(property.value.count) }]
    #expect(throws: SampleError.self) {
      try property.update { list in
        list = []
        throw SampleError()
      }
    }
    #expect(counts.entries == [0, 0])
    withExtendedLifetime(token) {}
  }

  @Test("Changes made by observers follow the change that caused them, in one chain for all")
  func nested() {
    let property = SharedObserved(0)
    let changes = Log<Change<Int>>()
    let tokens = [
      property.observe { [unowned property] change in
        if change.new < 5 { property.value = change.new + 1 }
      },
      property.observe { changes.append($0) },
    ]
    property.value = 1
    #expect(changes.entries.map(\.old) == [0, 1, 2, 3, 4])
    #expect(changes.entries.map(\.new) == [1, 2, 3, 4, 5])
    withExtendedLifetime(tokens) {}
  }

  @Test("An observer added by a handler gets later changes, one cancelled by a handler none")
  func changedOnTheWay() {
    let property = SharedObserved(0)
    let (added, late) = (Log<Token>(), Log<Int>())
    let later = Holder<Token>()
    let first = property.observe { [unowned property] change in
      if change.new == 1 { added.append(property.observe { late.append($0.new) }) }
      later.value?.cancel()
    }
    later.hold(property.observe { _ in Issue.record("It was cancelled.") })
    property.value = 1
    #expect(late.entries.isEmpty)
    property.value = 2
    #expect(late.entries == [2])
    withExtendedLifetime(first) {}
  }

  @Test("A registration replaces the one with the same owner and id, and no other")
  func names() {
    let property = SharedObserved(0)
    let (mine, other) = (PlainOwner(), PlainOwner())
    let heard = Log<String>()
    let first = property.observe(owner: mine, id: "view") { _, _ in heard.append("first") }
    property.observe(owner: mine, id: 7) { _, _ in heard.append("seven") }
    property.observe(owner: mine) { _, _ in heard.append("nameless") }
    property.observe(owner: other, id: "view") { _, _ in heard.append("other") }
    property.observe(owner: mine, id: "view") { _, _ in heard.append("second") }
    #expect(!first.isActive)
    property.value = 1
    #expect(heard.entries == ["seven", "nameless", "other", "second"])
    withExtendedLifetime((mine, other)) {}
  }

  @Test("Unobserving an owner ends all registrations of that owner and no others")
  func unobserve() {
    let property = SharedObserved(0)
    let (mine, other) = (PlainOwner(), PlainOwner())
    for owner in [mine, mine, other] {
      property.observe(owner: owner) { owner, change in owner.log.append(change.new) }
    }
    property.unobserve(owner: mine)
    property.value = 1
    #expect(mine.log.entries.isEmpty)
    #expect(other.log.entries == [1])
  }

  @MainActor
  @Test("Actor-isolated handlers run on their actor, in order, starting with the initial value")
  func onMainActor() async {
    let property = SharedObserved(0)
    let inbox = Inbox<Int>()
    let screen = Screen()
    property.observe(owner: screen, initial: true) { screen, change in
      screen.shown.append(change.new)
      inbox.append(change.new)
    }
    await onThreads(1) { _ in
      for value in 1...100 { property.value = value }
    }
    _ = await inbox.first(101)
    #expect(screen.shown == Array(0...100))
  }

  @Test("An actor observes for itself without being retained")
  func actorOwner() async {
    let property = SharedObserved(0)
    let inbox = Inbox<Int>()
    var meter: Meter? = Meter(inbox)
    weak let kept = meter
    if let meter {
      property.observe(owner: meter) { meter, change in meter.note(change.new) }
    }
    property.value = 1
    #expect(await inbox.first(1) == [1])
    meter = nil
    await until(kept == nil)
    property.value = 2
    #expect(inbox.entries == [1])
    withExtendedLifetime(meter) {}
  }

  @Test("The value is released with the property, although tokens remain")
  func valueDiesWithTheProperty() {
    let (released, owner) = (Counter(), PlainOwner())
    var property: SharedObserved<AtDeinit>? = SharedObserved(AtDeinit { released.add() })
    let tokens = [property?.observe { _ in }, property?.observe(owner: owner) { _, _ in }]
    var values: (any AsyncSequence<AtDeinit, Never>)? = property?.values()
    property?.value = AtDeinit { released.add() }
    property = nil
    // The sequence has not been read: it keeps both values.
    #expect(released.value == 0)
    withExtendedLifetime(values) {}
    values = nil
    #expect(released.value == 2)
    #expect(tokens.allSatisfy { $0?.isActive == false })
    withExtendedLifetime((property, tokens)) {}
  }

  @Test("A change that waits for an actor is discarded when the property is released")
  @MainActor
  func waitingChangeOfAReleasedProperty() async {
    let (heard, other, last) = (Log<Int>(), SharedObserved(0), Inbox<Int>())
    var property: SharedObserved<Int>? = SharedObserved(0)
    let token = property?.observe { change in
      MainActor.preconditionIsolated()
      heard.append(change.new)
    }
    property?.value = 1
    property = nil
    // A later change of another property, on the same actor.
    let mark = other.observe { change in
      MainActor.preconditionIsolated()
      last.append(change.new)
    }
    other.value = 1
    #expect(await last.first(1) == [1])
    #expect(heard.entries == [])
    #expect(token?.isActive == false)
    withExtendedLifetime((property, mark)) {}
  }

  @Test("A value that holds a token of its own property is released with the property")
  func valueWithItsToken() {
    final class Node: Sendable {
      let token = Holder<Token>()
      let atDeinit: AtDeinit

      init(_ atDeinit: AtDeinit) { self.atDeinit = atDeinit }
    }
    let released = Counter()
    var property: SharedObserved<Node>? = SharedObserved(Node(AtDeinit { released.add() }))
    if let property { property.value.token.hold(property.observe { _ in }) }
    #expect(released.value == 0)
    property = nil
    #expect(released.value == 1)
    withExtendedLifetime(property) {}
  }

  @Test("A replaced value is released outside the lock and may use the property in its deinit")
  func displaced() {
    let holder = Holder<SharedObserved<AtDeinit>>()
    let ended = Counter()
    let first = AtDeinit { [holder] in
      ended.add()
      holder.value?.value.touch()
    }
    holder.hold(SharedObserved(first))
    _ = consume first
    holder.value?.value = AtDeinit {}
    #expect(ended.value == 1)
    let token = holder.value?.observe { _ in }
    holder.value?.value = AtDeinit { [holder] in holder.value?.value.touch() }
    holder.value?.value = AtDeinit {}
    token?.cancel()
    holder.letGo()
  }

  @Test("A value replaced by an equal one in an update is released outside the lock")
  func equalUpdate() {
    let holder = Holder<SharedObserved<Equal>>()
    let ended = Counter()
    holder.hold(SharedObserved(Equal(1) { _ = holder.value?.value }))
    let token = holder.value?.observe { _ in Issue.record("The values are equal.") }
    let next = Equal(1) { ended.add() }
    holder.value?.update { $0 = next }
    holder.value?.value = Equal(1) { _ = holder.value?.value }
    #expect(ended.value == 0)
    token?.cancel()
    holder.letGo()
  }

  /// A value that reports its deinit, equal to every other one with the same number.
  private final class Equal: Equatable, Sendable {
    let number: Int
    let atDeinit: @Sendable () -> Void

    init(_ number: Int, atDeinit: @escaping @Sendable () -> Void) {
      self.number = number
      self.atDeinit = atDeinit
    }

    deinit { atDeinit() }

    static func == (left: Equal, right: Equal) -> Bool { left.number == right.number }
  }

  @Test("Inside an update, observers may be unobserved, cancelled, paused and resumed")
  func endingInUpdate() {
    let property = SharedObserved(0)
    let (owner, heard) = (PlainOwner(), Log<Int>())
    property.observe(owner: owner) { owner, change in owner.log.append(change.new) }
    let cancelled = property.observe { _ in Issue.record("It was cancelled.") }
    let paused = property.observe { heard.append($0.new) }
    property.update { value in
      value = 1
      property.unobserve(owner: owner)
      cancelled.cancel()
      paused.pause().cancel()
    }
    #expect(owner.log.entries.isEmpty)
    #expect(heard.entries == [1])
    withExtendedLifetime(paused) {}
  }
}

private actor Meter {
  private let inbox: Inbox<Int>

  init(_ inbox: Inbox<Int>) { self.inbox = inbox }

  func note(_ value: Int) { inbox.append(value) }
}
