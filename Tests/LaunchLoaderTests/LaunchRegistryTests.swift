import LaunchLoader
import Testing

/// Drives the rule of a loader through every sequence of calls of a certain length, without threads, and
/// compares each answer with a model that is as plain as can be.
@Suite("Launch registry")
struct LaunchRegistryTests {
  private enum Call: CaseIterable {
    case registerInline, registerIsolated, registerAsynchronous, registerNamed
    case withdrawFirst, withdrawLast, claim, nextForCaller, nextForTask, endFirst, cancel, stop
  }

  @Test("Every sequence of six calls is answered as the contract says")
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

  private enum Status { case waiting, running, ended, skipped, duplicate, withdrawn }
  private enum Stage { case collecting, launching, launched, stopped }

  private struct Work {
    let registration: LaunchRegistration
    var serial: UInt64?
    var place: Int?
    var status: Status
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
    /// - Returns: Whether the call is one that a loader would make.
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
      case .nextForCaller: return next(.caller(on: nil)) { $0 == .inline }
      case .nextForTask: return next(.task) { _ in true }
      case .endFirst: return endFirst()
      case .cancel:
        #expect(registry.cancel().wakes == takeWaiting(if: stage == .launching))
        if stage == .launching { isCancelled = true }
      case .stop: stop()
      }
      return true
    }

    private mutating func register(_ id: LaunchID?, _ kind: LaunchWork) {
      let registration = LaunchRegistration(id: id, fileID: "File.swift", line: 1, work: kind)
      let isTaken = id != nil && isNameTaken
      let isRefused = stage == .stopped || isStopping
      if id != nil, !isRefused { isNameTaken = true }
      switch registry.register(registration) {
      case .refused:
        #expect(isRefused)
      case .duplicate(let original):
        #expect(!isRefused && isTaken && original == "name")
        guard stage != .launched else { return }
        work.append(Work(registration: registration, status: .duplicate))
      case .runsNow:
        #expect(!isRefused && !isTaken && stage == .launched)
      case .kept(let serial, let wakes):
        #expect(!isRefused && !isTaken && (stage == .collecting || stage == .launching))
        #expect(wakes == takeWaiting(if: true))
        work.append(Work(registration: registration, serial: serial, status: .waiting))
      }
    }

    private mutating func withdraw(_ index: Int?) -> Bool {
      guard let index, let serial = work[index].serial else { return false }
      let isPossible = work[index].status == .waiting
      #expect((registry.withdraw(serial) === work[index].registration) == isPossible)
      guard isPossible else { return true }
      work[index].status = .withdrawn
      if work[index].registration.id != nil { isNameTaken = false }
      return true
    }

    private mutating func next(
      _ runner: LaunchRegistry.Runner,
      _ canRun: (LaunchKind) -> Bool
    ) -> Bool {
      guard stage == .launching else { return false }
      let expected = work.firstIndex { $0.status == .waiting && canRun($0.registration.kind) }
      switch registry.next(for: runner) {
      case .run(let registration, let place):
        guard let expected else {
          Issue.record("Nothing may run now.")
          return false
        }
        #expect(!isCancelled && registration === work[expected].registration)
        work[expected].status = .running
        work[expected].place = place
      case .skip(let registration):
        guard let expected else {
          Issue.record("There is nothing to skip.")
          return false
        }
        #expect(isCancelled && registration === work[expected].registration)
        work[expected].status = .skipped
      case .wait:
        #expect(expected == nil)
        #expect(work.contains { $0.status == .waiting || $0.status == .running })
        isWaiting = true
      case .over(let rows):
        let reported = work.filter { $0.status != .withdrawn }
        #expect(!reported.contains { $0.status == .waiting || $0.status == .running })
        #expect(
          rows.map { ObjectIdentifier($0.registration) }
            == reported.map { ObjectIdentifier($0.registration) }
        )
        let originals = zip(reported, rows).filter { $0.0.status != .duplicate }
        #expect(Set(originals.compactMap { $0.1.id }).count == originals.count)
        stage = isStopping ? .stopped : .launched
        for index in work.indices where work[index].status != .withdrawn {
          work[index].status = .ended
        }
      }
      return true
    }

    private mutating func endFirst() -> Bool {
      guard let index = work.firstIndex(where: { $0.status == .running }),
        let place = work[index].place
      else { return false }
      let (task, wakes) = registry.end(at: place, LaunchTimes(start: .zero, duration: .zero))
      #expect(task == nil)
      #expect(wakes == takeWaiting(if: true))
      work[index].status = .ended
      return true
    }

    private mutating func stop() {
      let dismissed = registry.stop()
      #expect((dismissed != nil) == (stage == .collecting))
      #expect(
        (dismissed ?? []).map { ObjectIdentifier($0) }
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
      case .launched: stage = .stopped
      case .stopped: break
      }
    }

    private mutating func takeWaiting(if applies: Bool) -> Bool {
      guard applies else { return false }
      defer { isWaiting = false }
      return isWaiting
    }
  }
}
