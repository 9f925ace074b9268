import EventBus
import Testing

@Suite("Delivery plan of a shared property's changes")
struct SharedChangesTests {
  /// The plan and the rounds it delivered.
  private final class Model {
    var changes = SharedChanges(0)
    var delivered: [Change<Int>] = []
    var merged = 0

    /// Sets a value.
    ///
    /// - Returns: Whether the thread has to deliver.
    func set(_ value: Int, by thread: UInt) -> Bool {
      let old = changes.value
      changes.value = value
      var displaced: Int?
      let mustDeliver = changes.record(from: old, by: thread, displaced: &displaced)
      changes._checkInvariants()
      if displaced != nil { merged += 1 }
      return mustDeliver
    }

    /// Takes one step.
    ///
    /// - Returns: `nil` after delivering a round; otherwise whether a task must be started.
    func step() -> Bool? {
      let (round, startsTask) = changes.next()
      changes._checkInvariants()
      guard let round else { return startsTask }
      delivered.append(round.change)
      return nil
    }

    /// Takes steps until the turn is over.
    ///
    /// - Returns: The number of delivered rounds, and whether a task must be started.
    func turn() -> Turn {
      let before = delivered.count
      while true {
        if let startsTask = step() { return Turn(delivered.count - before, startsTask) }
      }
    }

    /// Returns whether a task that begins now has work.
    func taskBegins(_ thread: UInt) -> Bool {
      defer { changes._checkInvariants() }
      return changes.taskBegins(on: thread)
    }

    var isUnbroken: Bool {
      delivered.first?.old == 0
        && zip(delivered, delivered.dropFirst()).allSatisfy { $0.new == $1.old }
    }
  }

  /// The work of a thread up to the moment it leaves.
  private struct Turn: Equatable {
    let rounds: Int
    let startsTask: Bool

    init(_ rounds: Int, _ startsTask: Bool) {
      self.rounds = rounds
      self.startsTask = startsTask
    }
  }

  @Test("A turn ends after 64 changes of other threads and leaves the rest to one task")
  func left() {
    for others in [63, 64, 65, 200] {
      let model = Model()
      _ = model.set(1, by: 1)
      for value in 0..<others { #expect(!model.set(value + 2, by: 2)) }
      let turn = model.turn()
      #expect(turn.rounds == 1 + min(others, 64))
      #expect(turn.startsTask == (others > 64))
      #expect(model.changes.waitingCount == max(0, others - 64))
    }
  }

  @Test("Changes set by a thread's own observers do not end its turn")
  func nested() {
    let model = Model()
    _ = model.set(1, by: 1)
    for value in 2...300 {
      #expect(model.step() == nil)
      #expect(!model.set(value, by: 1))
    }
    for value in 301...364 { _ = model.set(value, by: 2) }
    #expect(model.turn() == Turn(65, false))
    #expect(model.isUnbroken)
  }

  @Test("A task takes its turn if no setter came before, 64 changes at a time")
  func task() {
    let model = Model()
    _ = model.set(1, by: 1)
    for value in 2...200 { _ = model.set(value, by: 2) }
    #expect(model.turn() == Turn(65, true))
    #expect(model.taskBegins(2))
    #expect(!model.set(201, by: 3))
    #expect(model.turn() == Turn(64, true))
    #expect(model.taskBegins(3))
    #expect(model.turn() == Turn(64, true))
    #expect(model.taskBegins(3))
    #expect(model.turn() == Turn(8, false))
    #expect(!model.taskBegins(3))
    #expect(model.delivered.map(\.new) == Array(1...201))
  }

  @Test("The next setter takes over from a scheduled task, up to its own change and 64 more")
  func takenOver() {
    let model = Model()
    _ = model.set(1, by: 1)
    for value in 2...200 { _ = model.set(value, by: 2) }
    #expect(model.turn() == Turn(65, true))
    #expect(model.set(201, by: 3))
    #expect(!model.taskBegins(4))
    for value in 202...300 { #expect(!model.set(value, by: 2)) }
    #expect(model.turn() == Turn(136 + 64, true))
    #expect(model.taskBegins(4))
    #expect(model.turn() == Turn(35, false))
    #expect(model.delivered.map(\.new) == Array(1...300))
  }

  @Test("From the 1,001st on, waiting changes merge: first old, last new, each one counted")
  func merges() {
    for sets in [999, 1_000, 1_001, 5_000] {
      let model = Model()
      _ = model.set(1, by: 1)
      #expect(model.step() == nil)
      for value in 0..<sets { _ = model.set(value + 2, by: 2) }
      #expect(model.changes.waitingCount == min(sets, 1_000))
      #expect(model.merged == max(0, sets - 1_000))
      while model.changes.waitingCount > 0 {
        _ = model.turn()
        _ = model.taskBegins(9)
      }
      #expect(model.delivered.count + model.merged == 1 + sets)
      #expect(model.isUnbroken)
      #expect(model.delivered.last?.new == sets + 1)
    }
  }

  @Test("A round without a net change is delivered if an observer registered in its middle")
  func notSkipped() {
    var changes = SharedChanges(0)
    changes.note(from: 0, by: 1)
    var known = changes.register().number
    #expect(known == 1)
    let first = changes.next().round
    #expect(first.map { changes.isKnownInPart($0) } == true)
    _ = changes.next()
    changes.note(from: 0, by: 1)
    let second = changes.next().round
    #expect(second.map { changes.isKnownInPart($0) } == false)
    _ = changes.next()
    changes.note(from: 0, by: 1)
    known = changes.register().number
    #expect(known == 3)
    let third = changes.next().round
    #expect(third?.first == 3 && third?.number == 3)
    #expect(third.map { changes.isKnownInPart($0) } == true)
  }

  @Test("A change made outside any turn continues the chain of the change that caused it")
  func answering() {
    var changes = SharedChanges(0)
    let cause = SettingChain(changes: 7, bindings: 3)
    changes.note(from: 0, by: 1, answering: cause)
    func chain() -> SettingChain? { changes.next().round?.chain }
    #expect(chain() == SettingChain(changes: 8, bindings: 3))
    // The thread's own turn is further in.
    changes.note(from: 0, by: 1, answering: cause)
    #expect(chain() == SettingChain(changes: 9, bindings: 3))
  }

  @Test("Rounds caused by observers' own sets are counted from the change that led to them")
  func chain() {
    var changes = SharedChanges(0)
    func record(_ thread: UInt) { changes.note(from: 0, by: thread) }
    func length() -> UInt16? { changes.next().round?.chain.changes }
    record(1)
    #expect(length() == 1)
    record(1)
    record(2)
    #expect(length() == 2)
    record(1)
    #expect(length() == 1)
    #expect(length() == 3)
    #expect(length() == nil)
  }

  @Test("Merged chains have the greater of each number, and no number grows beyond what fits")
  func mergedChains() {
    let (one, other) = (
      SettingChain(changes: .max, bindings: 1), SettingChain(changes: 2, bindings: 5)
    )
    #expect(one.merged(with: other) == SettingChain(changes: .max, bindings: 5))
    #expect(one.next == one)
  }
}

extension SharedChanges {
  /// Records a change whose merging does not matter.
  fileprivate mutating func note(
    from old: Value,
    by thread: UInt,
    answering chain: SettingChain = SettingChain()
  ) {
    var displaced: Value?
    _ = record(from: old, by: thread, answering: chain, displaced: &displaced)
  }
}
