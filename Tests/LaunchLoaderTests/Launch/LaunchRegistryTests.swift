import LaunchLoader
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

  @Test("Every sequence of six calls is answered according to the contract")
  func everySequence() {
    var count = 0
    explore(Model(), depth: 6, count: &count)
    #expect(count > 100_000)
  }

  private func explore(_ model: Model, depth: Int, count: inout Int) {
    guard depth > 0 else { return }
    for call in Call.allCases {
      var next = model
      guard next.apply(call) else { continue }
      count += 1
      explore(next, depth: depth - 1, count: &count)
    }
  }

  private enum Status {
    case waiting, doomed, starting, running, ended, skipped, duplicate, withdrawn
  }
  private enum Stage { case collecting, launching, launched, stopped }

  private struct Work {
    let registration: LaunchRegistration
    var serial: UInt64?
    var place: Int?
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
      case .registerInline: register(nil, .inline(NonisolatedCall { _ in }))
      case .registerIsolated:
        register(nil, .isolated(IsolatedCall { _ in }, on: ObjectIdentifier(LaunchLoader.shared)))
      case .registerAsynchronous: register(nil, .asynchronous(AsynchronousCall { _ in }))
      case .registerNamed: register("name", .inline(NonisolatedCall { _ in }))
      case .withdrawFirst: return withdraw(work.firstIndex { $0.serial != nil })
      case .withdrawLast: return withdraw(work.lastIndex { $0.serial != nil })
      case .claim:
        #expect(registry.isCollecting == (stage == .collecting))
        #expect(registry.claim(LaunchOptions()) == (stage == .collecting))
        if stage == .collecting { stage = .launching }
      case .nextForCaller: return next(.caller) { $0 == .inline }
      case .nextForTask: return next(.task) { _ in true }
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
      let site = LaunchSite(fileID: "File.swift", line: 1)
      let registration = LaunchRegistration(id: id, site: site, work: kind)
      let isTaken = id != nil && isNameTaken
      let isRefused = stage == .stopped || isStopping
      if id != nil, !isRefused { isNameTaken = true }
      switch registry.register(registration) {
      case .refused:
        #expect(isRefused)
      case .skipped:
        Issue.record("It needs nothing.")
      case .duplicate(let original, let place):
        #expect(!isRefused && isTaken && original == "name" && place == site)
        guard stage != .launched else { return }
        work.append(Work(registration: registration, status: .duplicate))
      case .runsNow(_, let place):
        #expect(!isRefused && !isTaken && stage == .launched)
        #expect((place == nil) == (id == nil && registration.kind == .inline))
        guard let place else { return }
        let status = registration.kind == .inline ? Status.running : .starting
        work.append(Work(registration: registration, place: place, status: status))
      case .kept(let serial, let wake):
        #expect(!isRefused && !isTaken && (stage == .collecting || stage == .launching))
        #expect(wakes(wake) == takeWaiting(if: true))
        let status = isCancelled ? Status.doomed : .waiting
        work.append(Work(registration: registration, serial: serial, status: status))
      }
    }

    private mutating func withdraw(_ index: Int?) -> Bool {
      guard let index, let serial = work[index].serial else { return false }
      let isPossible = work[index].status == .waiting || work[index].status == .starting
      let withdrawn = registry.withdraw(serial)
      #expect((withdrawn?.registration === work[index].registration) == isPossible)
      if let withdrawn { #expect(wakes(withdrawn.aftermath.wake) == takeWaiting(if: true)) }
      guard isPossible else { return true }
      work[index].status = .withdrawn
      if work[index].registration.id != nil { isNameTaken = false }
      return true
    }

    private mutating func next(
      _ runner: LaunchRegistry.Runner,
      _ canRun: (LaunchKind) -> Bool
    ) -> Bool {
      guard stage == .launching else { return rest(runner) }
      let isBusy = work.contains { $0.isAlone && ($0.status == .starting || $0.status == .running) }
      let expected = work.firstIndex {
        $0.status == .doomed
          || $0.status == .waiting && !isBusy && canRun($0.registration.kind)
      }
      switch registry.next(for: runner) {
      case .run(let registration, let place):
        guard let expected else {
          Issue.record("Nothing may run now.")
          return false
        }
        #expect(!isCancelled && registration === work[expected].registration)
        work[expected].status = registration.kind == .inline ? .running : .starting
        work[expected].place = place
        if case .isolated = registration.kind { work[expected].isAlone = true }
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
      case .over(let summary, let goesOn):
        #expect(!goesOn && summary.verdict == .fine)
        let rows = summary.rows.filter { $0.outcome != nil }
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
    private mutating func rest(_ runner: LaunchRegistry.Runner) -> Bool {
      guard stage == .launched else { return false }
      let expected = work.firstIndex { $0.status == .doomed }
      switch registry.next(for: runner) {
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
      let isOut = { (work: Work) in work.place != nil && work.registration.kind != .inline }
      guard
        let index = work.firstIndex(where: { isOut($0) && $0.status == .starting })
          ?? work.firstIndex(where: isOut),
        let place = work[index].place
      else { return false }
      let begins = registry.begin(at: place)
      #expect(begins == (work[index].status == .starting))
      if begins { work[index].status = .running }
      return true
    }

    private mutating func endFirst() -> Bool {
      guard let index = work.firstIndex(where: { $0.status == .running }),
        let place = work[index].place
      else { return false }
      let times = LaunchTimes(start: .zero, duration: .zero)
      let aftermath = registry.end(at: place, times, .finished)
      #expect(aftermath?.tasks == nil)
      #expect(wakes(aftermath?.wake ?? .noRunner) == takeWaiting(if: true))
      work[index].status = .ended
      return true
    }

    private mutating func stop() {
      let isFirst = stage != .stopped && !isStopping
      let (refused, endsAll, aftermath) = registry.stop()
      #expect(endsAll == (isFirst && stage == .collecting))
      let refusesLateWork =
        isFirst && stage == .launched && work.contains { $0.status == .starting }
      #expect(aftermath.wake == (refusesLateWork ? .newRunner : .noRunner))
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
