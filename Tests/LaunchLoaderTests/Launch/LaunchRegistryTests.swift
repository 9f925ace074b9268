import LaunchLoader
import TestSupport
import Testing

/// Drives the rule of a loader through every sequence of calls of a certain length, without threads, and
/// compares each answer with a model that is as plain as can be.
@Suite("Launch registry")
struct LaunchRegistryTests {
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

  @Test("A worker abandoned before its task is known is reported with the time at which it began")
  func abandonedBeforeItsTaskIsKnown() throws {
    var registry = LaunchRegistry()
    let registration = LaunchItem(id: nil, .asynchronous { _ in })
    _ = registry.register(registration)
    _ = registry.claim(LaunchOptions())
    guard case .run(_, let row) = registry.next(canWait: true) else {
      Issue.record("nothing to run")
      return
    }
    let begins = registry.begin(row, at: .seconds(2))
    #expect(begins)
    let expired = registry.expire()
    let late = try #require(expired.late.first)
    #expect(late.registration === registration)
    #expect(late.start == .seconds(2))
    #expect(late.task == nil)
  }

  private func explore(_ model: Model, depth: Int, count: inout Int) {
    guard depth > 0 else { return }
    for call in Call.allCases {
      var next = model
      guard next.apply(call) else { continue }
      next.registry._checkInvariants()
      count += 1
      explore(next, depth: depth - 1, count: &count)
    }
  }

  private enum Status {
    case waiting, doomed, starting, running, ended, skipped, duplicate, withdrawn
  }
  private enum Stage { case collecting, launching, launched, stopped }

  private struct Work {
    let registration: LaunchItem
    /// Its row, if the row withdraws it.
    var kept: Int?
    /// Its row, once it was handed out.
    var row: Int?
    var status: Status
    /// A Boolean value that indicates whether no work may begin during it.
    var isAlone = false
  }

  private struct Model {
    var registry = LaunchRegistry()
    var stage = Stage.collecting
    var isStopping = false
    var isCancelled = false
    var isWaiting = false
    var isNameTaken = false
    var work: [Work] = []

    /// Makes the call on the registry and on the model.
    ///
    /// - Returns: Whether a loader would make the call.
    mutating func apply(_ call: Call) -> Bool {
      switch call {
      case .registerInline: register(nil, .synchronous(LaunchCall { _ in }))
      case .registerIsolated: register(nil, .synchronous(LaunchCall { @MainActor _ in }))
      case .registerAsynchronous: register(nil, .asynchronous { _ in })
      case .registerNamed: register("name", .synchronous(LaunchCall { _ in }))
      case .withdrawFirst: return withdraw(work.firstIndex { $0.kept != nil })
      case .withdrawLast: return withdraw(work.lastIndex { $0.kept != nil })
      case .claim:
        #expect(registry.isCollecting == (stage == .collecting))
        #expect(registry.claim(LaunchOptions()) == (stage == .collecting))
        if stage == .collecting { stage = .launching }
      case .nextForCaller: return next(canWait: false) { $0.isInline }
      case .nextForTask: return next(canWait: true) { _ in true }
      case .beginFirst: return beginFirst()
      case .endFirst: return endFirst()
      case .cancel:
        #expect(
          wakes(registry.cancel().wake) == takeWaiting(if: stage == .launching && !isCancelled)
        )
        guard stage == .launching else { return true }
        isCancelled = true
        doom()
      case .stop: stop()
      }
      return true
    }

    private mutating func register(_ id: LaunchID?, _ kind: LaunchWork) {
      let registration = LaunchItem(id: id, kind)
      let isTaken = id != nil && isNameTaken
      let isRefused = stage == .stopped || isStopping
      if id != nil, !isRefused { isNameTaken = true }
      switch registry.register(registration) {
      case .dismissed(let outcome, let original):
        #expect(isRefused || isTaken)
        #expect(outcome.description == (isRefused ? "refused" : "duplicate of name"))
        #expect(original == (isRefused ? nil : registration.site))
        guard !isRefused && stage != .launched else { return }
        work.append(Work(registration: registration, status: .duplicate))
      case .runsNow(_, let row):
        #expect(!isRefused && !isTaken && stage == .launched)
        #expect((row == nil) == (id == nil && registration.isInline))
        guard let row else { return }
        let status = registration.isInline ? Status.running : .starting
        work.append(Work(registration: registration, row: row, status: status))
      case .kept(let row, let wake):
        #expect(!isRefused && !isTaken && (stage == .collecting || stage == .launching))
        #expect(wakes(wake) == takeWaiting(if: true))
        let status = isCancelled ? Status.doomed : .waiting
        work.append(Work(registration: registration, kept: row, status: status))
      }
    }

    private mutating func withdraw(_ index: Int?) -> Bool {
      guard let index, let row = work[index].kept else { return false }
      let isPossible = work[index].status == .waiting || work[index].status == .starting
      let withdrawn = registry.withdraw(row)
      #expect((withdrawn?.registration === work[index].registration) == isPossible)
      if let withdrawn { #expect(wakes(withdrawn.effects.wake) == takeWaiting(if: true)) }
      guard isPossible else { return true }
      work[index].status = .withdrawn
      if work[index].registration.id != nil { isNameTaken = false }
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
          || $0.status == .waiting && !isBusy && canRun($0.registration)
      }
      switch registry.next(canWait: canWait) {
      case .run(let registration, let row):
        guard let expected else {
          Issue.record("Nothing may run now.")
          return false
        }
        #expect(!isCancelled && registration === work[expected].registration)
        work[expected].status = registration.isInline ? .running : .starting
        work[expected].row = row
        work[expected].isAlone = registration.home != nil
      case .skip(let registration, let outcome):
        #expect(outcome.description == "skipped")
        guard let expected else {
          Issue.record("There is nothing to skip.")
          return false
        }
        #expect(isCancelled && registration === work[expected].registration)
        work[expected].status = .skipped
      case .wait:
        #expect(expected == nil)
        #expect(work.contains { [.waiting, .starting, .running].contains($0.status) })
        isWaiting = true
      case .undo, .rest:
        Issue.record("The launch is not over, and nothing is undone.")
      case .over(let all, let problems, let verdict, let goesOn):
        #expect(!goesOn && verdict == .fine && problems.isEmpty)
        let rows = all.filter { $0.outcome != nil }
        let reported = work.filter { $0.status != .withdrawn }
        #expect(
          !reported.contains { [.waiting, .doomed, .starting, .running].contains($0.status) }
        )
        #expect(
          rows.map { ObjectIdentifier($0.registration) }
            == reported.map { ObjectIdentifier($0.registration) }
        )
        let originals = zip(reported, rows).filter { $0.0.status != .duplicate }
        #expect(Set(originals.map(\.1.id)).count == originals.count)
        stage = .launched
        isWaiting = false
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
      switch registry.next(canWait: canWait) {
      case .rest:
        #expect(expected == nil)
        return true
      case .skip(let registration, let outcome):
        guard let expected, registration === work[expected].registration else { break }
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
      let isOut = { (work: Work) in work.row != nil && !work.registration.isInline }
      guard
        let index = work.firstIndex(where: { isOut($0) && $0.status == .starting })
          ?? work.firstIndex(where: isOut),
        let row = work[index].row
      else { return false }
      let begins = registry.begin(row)
      #expect(begins == (work[index].status == .starting))
      if begins { work[index].status = .running }
      return true
    }

    private mutating func endFirst() -> Bool {
      guard let index = work.firstIndex(where: { $0.status == .running }),
        let row = work[index].row
      else { return false }
      let effects = registry.end(row, LaunchTimes(start: .zero, duration: .zero), .finished)
      #expect(effects?.ended == nil && effects?.cancelled.isEmpty != false)
      #expect(wakes(effects?.wake ?? .noRunner) == takeWaiting(if: true))
      work[index].status = .ended
      return true
    }

    private mutating func stop() {
      let isFirst = stage != .stopped && !isStopping
      let (refused, endsAll, effects) = registry.stop()
      #expect(endsAll == (isFirst && stage == .collecting))
      let refusesLateWork =
        isFirst && stage == .launched && work.contains { $0.status == .starting }
      #expect(effects.wake == (refusesLateWork ? .newRunner : .noRunner))
      #expect(
        refused.map { ObjectIdentifier($0) }
          == (stage == .collecting ? work : []).filter { $0.status == .waiting }
          .map { ObjectIdentifier($0.registration) }
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

    private func wakes(_ wake: LaunchWake) -> Bool {
      #expect(wake != .newRunner)
      return wake == .waitingRunner
    }

    private mutating func takeWaiting(if applies: Bool) -> Bool {
      guard applies else { return false }
      defer { isWaiting = false }
      return isWaiting
    }
  }
}
