import LaunchLoader
import TestSupport
import Testing

/// Drives the rule of a loader through every sequence of calls of a certain length that concern a need, its
/// maker, and work of the same name that makes something else.
@Suite("Needs in the registry")
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
      next.registry._checkInvariants()
      count += 1
      explore(next, depth: depth - 1, count: &count)
    }
  }

  private struct Model {
    var registry = LaunchRegistry()
    var maker = Maker.nobody
    var kept: [(row: Int, registration: LaunchItem)] = []
    var running: [(row: Int, registration: LaunchItem)] = []
    var hasBegun = false
    var isOver = false

    /// Makes a call on the registry, and compares the answer with the state of the maker.
    ///
    /// - Returns: Whether a loader would make the call.
    mutating func apply(_ call: Call) -> Bool {
      switch call {
      case .registerMaker: register(SynchronousExchange(LaunchNeedTests.need, nil, ()) { _ in 1 })
      case .registerOther: register(SynchronousExchange(LaunchNeedTests.other, nil, ()) { _ in "" })
      case .registerNeedy:
        register(
          SynchronousExchange(LaunchKey<Void>?.none, nil, (LaunchNeedTests.need)) { _, _ in }
        )
      case .withdrawFirst: return withdraw()
      case .claim:
        guard registry.claim(LaunchOptions()) else { return false }
        hasBegun = true
      case .next: return next()
      case .finish: return end(.finished)
      case .fail: return end(.failed(CancellationError()))
      }
      return true
    }

    private mutating func register(_ work: LaunchExchange) {
      let key = work.makes
      let registration = LaunchItem(id: key?.name, .exchange(work))
      switch registry.register(registration) {
      case .kept(let row, _):
        kept.append((row, registration))
        if key != nil {
          #expect(maker == .nobody)
          maker = .pending(isRight: key == LaunchNeedTests.need)
        } else if isOver {
          #expect(maker == .pending(isRight: true))
        }
      case .runsNow(_, let row):
        #expect(isOver)
        guard let row else {
          Issue.record("Work with a name or a need has a row.")
          return
        }
        begin(row, registration)
      case .dismissed(let outcome, _):
        if key != nil {
          #expect(maker != .nobody && outcome.description == "duplicate of name")
        } else {
          #expect(isOver && maker != .finished(isRight: true) && maker != .pending(isRight: true))
          if maker == .nobody || maker == .failed(isRight: true) {
            #expect("\(outcome)" == "skipped because of name")
          } else {
            #expect("\(outcome)".hasPrefix("failed: launch worker"), "Nothing else says why.")
          }
        }
      }
    }

    private mutating func withdraw() -> Bool {
      guard !kept.isEmpty else { return false }
      let (row, registration) = kept.removeFirst()
      guard registry.withdraw(row) != nil else { return true }
      if registration.makes != nil { maker = .nobody }
      return true
    }

    private mutating func next() -> Bool {
      guard hasBegun, running.isEmpty else { return false }
      switch registry.next(canWait: true) {
      case .run(let registration, let row): begin(row, registration)
      case .skip(let registration, let outcome):
        #expect(registration.makes == nil, "Only the needy work depends on anything.")
        #expect(outcome.description == "skipped because of name")
      case .over:
        isOver = true
      case .wait, .rest: break
      case .undo: Issue.record("Nothing is undone.")
      }
      return true
    }

    private mutating func begin(_ row: Int, _ registration: LaunchItem) {
      running.append((row, registration))
      if let key = registration.makes {
        if isOver, maker == .nobody { maker = .pending(isRight: key == LaunchNeedTests.need) }
        #expect(maker == .pending(isRight: key == LaunchNeedTests.need))
      } else {
        #expect(maker == .finished(isRight: true), "The need was not made.")
      }
    }

    private mutating func end(_ outcome: LaunchOutcome) -> Bool {
      guard !running.isEmpty else { return false }
      let (row, registration) = running.removeFirst()
      _ = registry.end(row, LaunchTimes(start: .zero, duration: .zero), outcome)
      guard let key = registration.makes else { return true }
      if case .finished = outcome {
        maker = .finished(isRight: key == LaunchNeedTests.need)
      } else {
        maker = .failed(isRight: key == LaunchNeedTests.need)
      }
      return true
    }
  }
}
