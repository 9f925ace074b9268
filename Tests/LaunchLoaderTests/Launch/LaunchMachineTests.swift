import LaunchLoader
import TestSupport
import Testing

/// Drives the rules of a loader through every sequence of calls of a certain length, without threads, and
/// compares each answer with a model that is as plain as can be.
@Suite("Launch machine")
struct LaunchMachineTests {
  private enum Call: CaseIterable {
    case registerInline, registerIsolated, registerAsynchronous, registerNamed
    case withdrawFirst, withdrawLast, claim, nextForCaller, nextForTask, beginFirst, endFirst,
      cancel, stop
  }

  @Test("Every sequence of a few calls is answered according to the contract")
  func everySequence() {
    var count = 0
    explore(Model(), depth: size(4, full: 6), count: &count)
    #expect(count > size(1_000, full: 10_000))
  }

  @Test(
    "A worker that is given up has the time at which it began, and its later end is ignored",
    arguments: [false, true]
  )
  func givenUp(byTheLaunch: Bool) {
    var machine = LaunchMachine()
    let item = LaunchItem(id: nil, LaunchWork(asynchronous: { _ in }))
    _ = machine.register(item)
    _ = machine.claim()
    guard case .run(_, let row) = machine.next(canWait: true) else {
      Issue.record("nothing to run")
      return
    }
    let begins = machine.begin(row, at: .seconds(2))
    #expect(begins)
    // The launch cancels what exceeds its limit, so the end may come before it is recorded that the limit was exceeded.
    let late = byTheLaunch ? machine.expire() : [machine.giveUp(row)].compactMap(\.self)
    #expect(late.count == 1 && late.first?.item === item && late.first?.start == .seconds(2))
    let ends = machine.claimEnd(row)
    #expect(!ends)
  }

  private func explore(_ model: Model, depth: Int, count: inout Int) {
    guard depth > 0 else { return }
    for call in Call.allCases {
      var next = model
      guard next.apply(call) else { continue }
      next.machine._checkInvariants()
      count += 1
      explore(next, depth: depth - 1, count: &count)
    }
  }

  private enum Status {
    case waiting, doomed, starting, running, ended, skipped, duplicate, withdrawn
  }
  private enum Stage { case collecting, launching, launched, stopped }

  private struct Work {
    let item: LaunchItem
    /// Its row, if the row withdraws it.
    var kept: Int?
    /// Its row, once it was handed out.
    var row: Int?
    var status: Status
    /// A Boolean value that indicates whether no work may begin during it.
    var isAlone = false
  }

  private struct Model {
    var machine = LaunchMachine.reading
    var stage = Stage.collecting
    var isStopping = false
    var isCancelled = false
    var isNameTaken = false
    var work: [Work] = []

    /// Makes the call on the machine and on the model.
    ///
    /// - Returns: Whether a loader would make the call.
    mutating func apply(_ call: Call) -> Bool {
      switch call {
      case .registerInline: register(nil, LaunchWork(synchronous: { _ in }))
      case .registerIsolated: register(nil, LaunchWork(synchronous: { @MainActor _ in }))
      case .registerAsynchronous: register(nil, LaunchWork(asynchronous: { _ in }))
      case .registerNamed: register("name", LaunchWork(synchronous: { _ in }))
      case .withdrawFirst: return withdraw(work.firstIndex { $0.kept != nil })
      case .withdrawLast: return withdraw(work.lastIndex { $0.kept != nil })
      case .claim:
        #expect(machine.isCollecting == (stage == .collecting))
        #expect(machine.claim() == (stage == .collecting))
        if stage == .collecting { stage = .launching }
      case .nextForCaller: return next(canWait: false) { $0.kind == .call }
      case .nextForTask: return next(canWait: true) { _ in true }
      case .beginFirst: return beginFirst()
      case .endFirst: return endFirst()
      case .cancel:
        machine.cancel()
        guard stage == .launching else { return true }
        isCancelled = true
        doom()
      case .stop: stop()
      }
      return true
    }

    private mutating func register(_ id: LaunchID?, _ work: LaunchWork) {
      let item = LaunchItem(id: id, work)
      let isTaken = id != nil && isNameTaken
      let isRefused = stage == .stopped || isStopping
      if id != nil, !isRefused { isNameTaken = true }
      let (row, runsNow) = machine.register(item)
      if let (refused, outcome) = machine.takeRefused().first {
        #expect(refused === item && row == nil && (isRefused || isTaken))
        #expect(outcome.description == (isRefused ? "refused" : "duplicate of name"))
        guard !isRefused && stage != .launched else { return }
        self.work.append(Work(item: item, status: .duplicate))
      } else if runsNow {
        #expect(!isRefused && !isTaken && stage == .launched)
        let status = item.kind == .call ? Status.running : .starting
        self.work.append(Work(item: item, row: row, status: status))
      } else {
        #expect(!isRefused && !isTaken && (stage == .collecting || stage == .launching))
        let status = isCancelled ? Status.doomed : .waiting
        self.work.append(Work(item: item, kept: row, status: status))
      }
    }

    private mutating func withdraw(_ index: Int?) -> Bool {
      guard let index, let row = work[index].kept else { return false }
      let isPossible = work[index].status == .waiting || work[index].status == .starting
      let withdrawn = machine.withdraw(row)
      #expect((withdrawn === work[index].item) == isPossible)
      guard isPossible else { return true }
      work[index].status = .withdrawn
      if work[index].item.id != nil { isNameTaken = false }
      return true
    }

    private mutating func next(
      canWait: Bool,
      _ canRun: (LaunchItem) -> Bool
    ) -> Bool {
      guard stage == .launching else { return rest(canWait: canWait) }
      let isBusy = work.contains { $0.isAlone && ($0.status == .starting || $0.status == .running) }
      let expected = work.firstIndex {
        $0.status == .doomed
          || $0.status == .waiting && !isBusy && canRun($0.item)
      }
      switch machine.next(canWait: canWait) {
      case .run(let item, let row):
        guard let expected else {
          Issue.record("Nothing may run now.")
          return false
        }
        #expect(!isCancelled && item === work[expected].item)
        work[expected].status = item.kind == .call ? .running : .starting
        work[expected].row = row
        work[expected].isAlone = item.kind != .call && item.kind != .task
      case .settle(let item, let outcome):
        #expect(outcome.description == "skipped")
        guard let expected else {
          Issue.record("There is nothing to skip.")
          return false
        }
        #expect(isCancelled && item === work[expected].item)
        work[expected].status = .skipped
      case .wait:
        #expect(expected == nil)
        #expect(work.contains { [.waiting, .starting, .running].contains($0.status) })
      case .undo, .rest:
        Issue.record("The launch is not over, and nothing is undone.")
      case .over(let all, let problems, let verdict):
        #expect(!machine.hasNext && verdict == .fine && problems.isEmpty)
        let rows = all.filter { $0.outcome != nil }
        let reported = work.filter { $0.status != .withdrawn }
        #expect(
          !reported.contains { [.waiting, .doomed, .starting, .running].contains($0.status) }
        )
        #expect(
          rows.map { ObjectIdentifier($0.item) }
            == reported.map { ObjectIdentifier($0.item) }
        )
        let originals = zip(reported, rows).filter { $0.0.status != .duplicate }
        #expect(Set(originals.map(\.1.id)).count == originals.count)
        stage = .launched
        for index in work.indices where work[index].status != .withdrawn {
          work[index].status = .ended
        }
      }
      return true
    }

    /// There is no work to run, because no idle work exists; late work may be refused.
    private mutating func rest(canWait: Bool) -> Bool {
      guard stage == .launched else { return false }
      let expected = work.firstIndex { $0.status == .doomed }
      switch machine.next(canWait: canWait) {
      case .rest:
        #expect(expected == nil)
        return true
      case .settle(let item, let outcome):
        guard let expected, item === work[expected].item else { break }
        #expect(outcome.description == "refused")
        work[expected].status = .skipped
        return true
      default: break
      }
      Issue.record("Nobody waits after the launch.")
      return false
    }

    /// Work that has not begun is skipped at its next turn, in order.
    private mutating func doom() {
      for index in work.indices
      where work[index].status == .waiting || work[index].status == .starting {
        work[index].status = .doomed
      }
    }

    /// Lets the first worker that was handed out begin, whatever became of it.
    private mutating func beginFirst() -> Bool {
      let isOut = { (work: Work) in work.row != nil && work.item.kind != .call }
      guard
        let index = work.firstIndex(where: { isOut($0) && $0.status == .starting })
          ?? work.firstIndex(where: isOut),
        let row = work[index].row
      else { return false }
      let begins = machine.begin(row)
      #expect(begins == (work[index].status == .starting))
      if begins { work[index].status = .running }
      return true
    }

    private mutating func endFirst() -> Bool {
      guard let index = work.firstIndex(where: { $0.status == .running }),
        let row = work[index].row
      else { return false }
      machine.end(row, .finished, from: .zero)
      work[index].status = .ended
      return true
    }

    private mutating func stop() {
      let isFirst = stage != .stopped && !isStopping
      let (refused, endsAll) = machine.stop()
      #expect(endsAll == (isFirst && stage == .collecting))
      if isFirst && stage == .launched {
        #expect(machine.hasNext == work.contains { $0.status == .starting })
      }
      #expect(
        refused.map { ObjectIdentifier($0) }
          == (stage == .collecting ? work : []).filter { $0.status == .waiting }
          .map { ObjectIdentifier($0.item) }
      )
      switch stage {
      case .collecting:
        stage = .stopped
        for index in work.indices where work[index].status == .waiting {
          work[index].status = .ended
        }
      case .launching: isStopping = true
      case .launched:
        isStopping = true
        if !isFirst { break }
        doom()
      case .stopped: break
      }
    }
  }
}
