import LaunchLoader
import TestSupport
import Testing

/// Drives the machine through random launches, without threads, as a loader would, and checks after each call what
/// must hold whatever happens.
@Suite("Random sequences of the launch machine")
struct LaunchMachineModelTests {
  @Test("Every launch ends, and no rule is broken on the way")
  func randomLaunches() {
    for seed in 1...size(300, full: 20_000) {
      var launch = RandomMachine(seed)
      launch.run()
    }
  }
}

private struct RandomMachine {
  /// Work and its outcome.
  private struct Work {
    let item: LaunchItem
    let after: [Int]
    let phase: LaunchPhase
    var begins = 0
    var outcome: String?
  }

  private let seed: Int
  private let policy: LaunchFailurePolicy
  private let width: Int
  private var numbers: SampleNumbers
  private var machine: LaunchMachine
  private var work: [Work] = []
  private var indices: [ObjectIdentifier: Int] = [:]
  /// The work that was handed out, whose row is ended by the driver or by an event.
  private var starting: [(index: Int, row: Int)] = []
  private var running: [(index: Int, row: Int)] = []
  /// The work whose value is stored, and whose end is not recorded yet.
  private var ending: [(index: Int, row: Int)] = []
  /// The work that has exceeded a limit, which is not recorded yet.
  private var late: [LaunchMachine.Row] = []
  private var rows: [Int] = []
  private var withdrawn: Set<Int> = []
  /// The finished work that can be undone or closed, in the order in which its values were stored.
  private var kept: [Int] = []
  private var isHalted = false
  private var isOver = false

  init(_ seed: Int) {
    self.seed = seed
    numbers = SampleNumbers(seed: seed)
    policy = [.continue, .stop, .rollback][numbers.next(below: 3)]
    width = 1 + numbers.next(below: 3)
    machine = LaunchMachine(onFailure: policy, width: width)
  }

  mutating func run() {
    for _ in 0..<1 + numbers.next(below: 8) { register() }
    let claimed = machine.claim()
    #expect(claimed, "seed \(seed)")
    takeRefused()
    for step in 0... {
      guard step < 10_000 else {
        Issue.record("seed \(seed) does not end")
        return
      }
      event()
      if take() { break }
      takeRefused()
    }
    close()
  }

  private mutating func register() {
    let index = work.count
    // Work that cannot be ordered would stop a launch whose policy is to stop.
    let after = (0..<numbers.next(below: 3)).map { _ in numbers.next(below: index + 1) }
      .filter { policy == .continue || !withdrawn.contains($0) }
    let phase: LaunchPhase = [.early, .standard, .standard, .late][numbers.next(below: 4)]
    let key = LaunchKey<Int>("\(index)")
    let isSynchronous = numbers.next(below: 2) == 0
    let close: @Sendable (Int) async throws -> Void = { _ in }
    let closes = numbers.next(below: 2) == 0 ? close : nil
    let made =
      isSynchronous
      ? LaunchWork(SynchronousClosure((), { _ in 1 }), making: key, close: closes)
      : LaunchWork(AsynchronousClosure((), { _ async in 1 }), making: key, close: closes)
    let names = after.filter { $0 != index }.map { LaunchID("\($0)") }
    let item = LaunchItem(id: key.name, after: names, phase: phase, made)
    indices[ObjectIdentifier(item)] = index
    work.append(Work(item: item, after: after.filter { $0 != index }, phase: phase))
    if let row = machine.register(item).row { rows.append(row) }
    takeRefused()
  }

  private mutating func takeRefused() {
    for (item, outcome) in machine.takeRefused() { end(item, outcome) }
  }

  private mutating func end(_ item: LaunchItem, _ outcome: LaunchOutcome) {
    guard let index = indices[ObjectIdentifier(item)] else { return }
    #expect(work[index].outcome == nil, "seed \(seed): \(index) ends twice")
    work[index].outcome = outcome.description
  }

  private mutating func event() {
    switch numbers.next(below: 12) {
    case 0 where work.count < 12: register()
    case 1 where numbers.next(below: 4) == 0:
      machine.cancel()
      isHalted = true
    case 2 where !rows.isEmpty:
      let row = rows[numbers.next(below: rows.count)]
      guard let item = machine.withdraw(row) else { break }
      starting.removeAll { $0.row == row }
      if let index = indices[ObjectIdentifier(item)] { withdrawn.insert(index) }
      end(item, .skipped(because: nil))
    case 3 where numbers.next(below: 6) == 0:
      for row in machine.expire() { leave(row) }
      isHalted = true
    case 4:
      if let (_, row) = (running + starting).first { giveUp(row) }
    default: finish()
    }
    machine._checkInvariants()
  }

  private mutating func giveUp(_ row: Int) {
    if let row = machine.giveUp(row) { leave(row) }
  }

  private mutating func leave(_ row: LaunchMachine.Row) {
    starting.removeAll { $0.row == row.number }
    running.removeAll { $0.row == row.number }
    late.append(row)
  }

  /// Records that work has exceeded a limit, perhaps after it has returned.
  private mutating func abandon(_ row: LaunchMachine.Row) {
    if numbers.next(below: 2) == 0 {
      let claims = machine.claimEnd(row.number)
      #expect(!claims, "seed \(seed)")
    }
    end(row.item, .timedOut)
    machine.end(row.number, .timedOut, from: .zero)
    if policy != .continue { isHalted = true }
  }

  private mutating func finish() {
    if !late.isEmpty, numbers.next(below: 2) == 0 {
      abandon(late.remove(at: numbers.next(below: late.count)))
    } else if !starting.isEmpty, numbers.next(below: 2) == 0 {
      let (index, row) = starting.remove(at: numbers.next(below: starting.count))
      if machine.begin(row, at: .zero) {
        begin(index)
        running.append((index, row))
      } else {
        #expect(isHalted, "seed \(seed): \(index) may not begin, and nothing has prevented it")
      }
    } else if !ending.isEmpty, running.isEmpty || numbers.next(below: 4) == 0 {
      let (index, row) = ending.remove(at: numbers.next(below: ending.count))
      conclude(index, row, .finished)
    } else if !running.isEmpty {
      let (index, row) = running.remove(at: numbers.next(below: running.count))
      let claims = machine.claimEnd(row)
      #expect(claims, "seed \(seed)")
      if numbers.next(below: 5) == 0 { return conclude(index, row, .failed(Broken())) }
      store(index, row)
      ending.append((index, row))
    }
  }

  private mutating func store(_ index: Int, _ row: Int) {
    machine.keepValue(of: row)
    if work[index].item.isClosable { kept.append(index) }
  }

  private mutating func conclude(_ index: Int, _ row: Int, _ outcome: LaunchOutcome) {
    end(work[index].item, outcome)
    machine.end(row, outcome, from: .zero)
    if outcome.isFailure && policy != .continue { isHalted = true }
  }

  private mutating func begin(_ index: Int) {
    work[index].begins += 1
    #expect(work[index].begins == 1 && work[index].outcome == nil, "seed \(seed): \(index)")
    #expect(!isHalted, "seed \(seed): \(index) begins after the end of the launch")
    #expect(
      work[index].after.allSatisfy { work[$0].outcome == "finished" },
      "seed \(seed): \(index) begins before what it needs"
    )
  }

  private var busyCount: Int { starting.count + running.count + ending.count + late.count }

  /// Takes a step of the driver.
  ///
  /// - Returns: `true` if the launch is over.
  private mutating func take() -> Bool {
    let step = machine.next(canWait: true)
    machine._checkInvariants()
    switch step {
    case .run(let item, let row):
      guard let index = indices[ObjectIdentifier(item)] else { break }
      if item.kind == .call {
        begin(index)
        let fails = numbers.next(below: 5) == 0
        if !fails { store(index, row) }
        conclude(index, row, fails ? .failed(Broken()) : .finished)
      } else {
        starting.append((index, row))
        #expect(busyCount <= width, "seed \(seed): too many tasks")
      }
    case .settle(let item, let outcome):
      starting.removeAll { work[$0.index].item === item }
      end(item, outcome)
    case .undo(let item, let row):
      #expect(policy == .rollback && busyCount == 0, "seed \(seed)")
      #expect(kept.popLast() == indices[ObjectIdentifier(item)], "seed \(seed): wrong order")
      machine.undone(row, .undone)
    case .wait:
      #expect(busyCount > 0, "seed \(seed): waits for nothing")
    case .over:
      #expect(busyCount == 0, "seed \(seed): over too early")
      #expect(work.allSatisfy { $0.outcome != nil }, "seed \(seed): work without an outcome")
      return true
    case .rest: Issue.record("seed \(seed): the launch is not over")
    }
    return false
  }

  /// Closes what was not undone, in the reverse order of completion.
  private mutating func close() {
    while let item = machine.nextToClose() {
      #expect(kept.popLast() == indices[ObjectIdentifier(item)], "seed \(seed): wrong order")
    }
    #expect(kept.isEmpty, "seed \(seed): values are not closed")
  }
}
