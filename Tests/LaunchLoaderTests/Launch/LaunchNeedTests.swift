import LaunchLoader
import TestSupport
import Testing

/// Drives the rules of a loader through every sequence of calls of a certain length that concern a need, its
/// maker, and work of the same name that makes something else.
@Suite("Needs in the machine")
struct LaunchNeedTests {
  private static let need = LaunchKey<Int>("name")
  private static let other = LaunchKey<String>("name")

  private enum Call: CaseIterable {
    case registerMaker, registerOther, registerNeedy, withdrawFirst, claim, next, finish, fail
  }

  /// The work that has the name.
  private enum Maker: Equatable {
    case nobody
    case pending(isRight: Bool)
    case finished(isRight: Bool)
    case failed(isRight: Bool)
  }

  @Test(
    "In every sequence of a few calls, work runs exactly if its need was made before"
  )
  func everySequence() {
    var count = 0
    explore(Model(), depth: size(5, full: 7), count: &count)
    #expect(count > size(1_000, full: 5_000))
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

  private struct Model {
    var machine = LaunchMachine.reading
    var maker = Maker.nobody
    var kept: [(row: Int, item: LaunchItem)] = []
    var running: [(row: Int, item: LaunchItem)] = []
    var hasBegun = false
    var isOver = false

    /// Makes a call on the machine, and compares the answer with the state of the maker.
    ///
    /// - Returns: Whether a loader would make the call.
    mutating func apply(_ call: Call) -> Bool {
      switch call {
      case .registerMaker:
        register(LaunchWork(SynchronousClosure((), { _ in 1 }), making: LaunchNeedTests.need))
      case .registerOther:
        register(LaunchWork(SynchronousClosure((), { _ in "" }), making: LaunchNeedTests.other))
      case .registerNeedy:
        register(LaunchWork(SynchronousClosure((LaunchNeedTests.need), { _, _ in })))
      case .withdrawFirst: return withdraw()
      case .claim:
        guard machine.claim() else { return false }
        hasBegun = true
      case .next: return next()
      case .finish: return end(.finished)
      case .fail: return end(.failed(CancellationError()))
      }
      return true
    }

    private mutating func register(_ work: LaunchWork) {
      let named = LaunchItem(id: work.makes?.name, work)
      let (row, runsNow) = machine.register(named)
      for (refused, outcome) in machine.takeRefused() { expect(refused, outcome) }
      guard let row else { return }
      if runsNow {
        #expect(isOver)
        begin(row, named)
        return
      }
      kept.append((row, named))
      if let key = named.makes {
        #expect(maker == .nobody)
        maker = .pending(isRight: key == LaunchNeedTests.need)
      } else if isOver {
        #expect(maker == .pending(isRight: true))
      }
    }

    private func expect(_ refused: LaunchItem, _ outcome: LaunchOutcome) {
      if refused.makes != nil {
        #expect(maker != .nobody && outcome.description == "duplicate of name")
      } else {
        #expect(isOver && maker != .finished(isRight: true) && maker != .pending(isRight: true))
        if maker == .nobody || maker == .failed(isRight: true) {
          #expect("\(outcome)" == "skipped because of name")
        } else {
          #expect("\(outcome)".hasPrefix("failed: Launch worker"), "Nothing else says why.")
        }
      }
    }

    private mutating func withdraw() -> Bool {
      guard !kept.isEmpty else { return false }
      let (row, item) = kept.removeFirst()
      guard machine.withdraw(row) != nil else { return true }
      if item.makes != nil { maker = .nobody }
      return true
    }

    private mutating func next() -> Bool {
      guard hasBegun, running.isEmpty else { return false }
      switch machine.next(canWait: true) {
      case .run(let item, let row): begin(row, item)
      case .settle(let item, let outcome):
        #expect(item.makes == nil, "Only the needy work depends on anything.")
        #expect(outcome.description == "skipped because of name")
      case .over:
        isOver = true
      case .wait, .rest: break
      case .undo: Issue.record("Nothing is undone.")
      }
      return true
    }

    private mutating func begin(_ row: Int, _ item: LaunchItem) {
      running.append((row, item))
      if let key = item.makes {
        if isOver, maker == .nobody { maker = .pending(isRight: key == LaunchNeedTests.need) }
        #expect(maker == .pending(isRight: key == LaunchNeedTests.need))
      } else {
        #expect(maker == .finished(isRight: true), "The need was not made.")
      }
    }

    private mutating func end(_ outcome: LaunchOutcome) -> Bool {
      guard !running.isEmpty else { return false }
      let (row, item) = running.removeFirst()
      machine.end(row, outcome, from: .zero)
      guard let key = item.makes else { return true }
      if case .finished = outcome {
        maker = .finished(isRight: key == LaunchNeedTests.need)
      } else {
        maker = .failed(isRight: key == LaunchNeedTests.need)
      }
      return true
    }
  }
}
