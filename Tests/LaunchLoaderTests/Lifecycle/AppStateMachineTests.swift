import LaunchLoader
import TestSupport
import Testing

@Suite("Application state machine")
struct AppStateMachineTests {
  typealias Cause = AppStateMachine.Cause

  /// Returns the transitions reported by a machine, as text.
  private func reported(_ machine: inout AppStateMachine) -> [String] {
    var reported: [String] = []
    while let step = machine.takeStep() {
      if let edge = step.will { reported.append("\(edge)") }
      if let state = step.state {
        machine.enter(state)
        reported.append("= \(state)")
      }
      if let edge = step.did { reported.append("\(edge)") }
    }
    return reported
  }

  private func reported(after causes: [Cause]) -> [String] {
    var machine = AppStateMachine()
    var all: [String] = []
    for cause in causes where machine.send(cause) { all += reported(&machine) }
    return all
  }

  @Test("An application goes from the launch to the end by way of the background")
  func wholeLife() {
    let causes: [Cause] = [
      .launch, .launched, .started, .background, .foreground, .stop, .end,
    ]
    let expected = [
      "= launching", "willFinishLaunching", "didFinishLaunching",
      "= inactive", "= active", "didBecomeActive",
      "willResignActive", "= inactive", "= background", "didEnterBackground",
      "willEnterForeground", "= inactive", "= active", "didBecomeActive",
      "willResignActive", "= inactive", "= stopping", "willTerminate", "= terminated",
    ]
    #expect(reported(after: causes) == expected)
  }

  @Test("A change made during a transition's callbacks follows that transition, in its turn")
  func nested() {
    var machine = AppStateMachine()
    let isFirst = machine.send(.launch)
    #expect(isFirst)
    _ = machine.takeStep()
    let deliversToo = machine.send(.stop)
    #expect(!deliversToo)
    #expect(reported(&machine) == ["= stopping", "willTerminate"])
    let isNext = machine.send(.end)
    #expect(isNext)
  }

  @Test("For any sequence of inputs, every transition fits the state in which it is reported")
  func exhaustively() {
    // From the beginning and, because there are too many longer sequences, from the start of services.
    let length = size(4, full: 6)
    var count = 0
    func walk(_ machine: AppStateMachine, _ causes: [Cause], _ edges: [String]) {
      if let state = settledState(after: causes), state != machine.state {
        Issue.record("\(causes) leads to \(machine.state) instead of \(state)")
      }
      if causes.count >= length + (causes.starts(with: started) ? started.count : 0) {
        count += 1
        return
      }
      for cause in Cause.allCases {
        var next = machine
        let before = next.state
        var all = edges
        if next.send(cause) { all += reported(&next) }
        if next.state.stage(than: before) < 0 { Issue.record("\(causes + [cause]) goes back") }
        if let complaint = complaint(all) { Issue.record("\(causes + [cause]): \(complaint)") }
        if all.count == edges.count, before == next.state, causes.last == cause { continue }
        walk(next, causes + [cause], all)
      }
    }
    walk(AppStateMachine(), [], [])
    #expect(count > size(1_000, full: 10_000))
  }

  private let started: [Cause] = [.launch, .launched, .started]

  /// Returns the state that follows from the last requests, if services run after all causes.
  private func settledState(after causes: [Cause]) -> AppState? {
    guard let launch = causes.firstIndex(of: .launch),
      causes[launch...].contains(.started), !causes.contains(.stop)
    else { return nil }
    var (isInBackground, hasResigned) = (false, false)
    for cause in causes {
      switch cause {
      case .background: isInBackground = true
      case .foreground: isInBackground = false
      case .deactivate: (isInBackground, hasResigned) = (false, true)
      case .activate: (isInBackground, hasResigned) = (false, false)
      default: break
      }
    }
    return isInBackground ? .background : hasResigned ? .inactive : .active
  }

  private func complaint(_ reported: [String]) -> String? {
    let once = ["willFinishLaunching", "didFinishLaunching", "willTerminate", "= terminated"]
    for edge in once where reported.count(where: { $0 == edge }) > 1 { return "\(edge) twice" }
    var isActive = false
    var state = "= notRunning"
    for entry in reported {
      switch entry {
      case "didBecomeActive":
        if isActive || state != "= active" { return "became active in \(state)" }
        isActive = true
      case "willResignActive":
        if !isActive || state != "= active" { return "resigned in \(state)" }
        isActive = false
      case "didEnterBackground": if state != "= background" { return "background in \(state)" }
      case "willEnterForeground": if state != "= background" { return "foreground in \(state)" }
      case "willTerminate": if isActive || state != "= stopping" { return "ended in \(state)" }
      default: if entry.hasPrefix("= ") { state = entry }
      }
    }
    return nil
  }
}

extension AppState {
  /// How much further this state is than another, over the whole life.
  fileprivate func stage(than other: AppState) -> Int {
    func stage(_ state: AppState) -> Int {
      switch state {
      case .notRunning: 0
      case .launching: 1
      case .background, .inactive, .active: 2
      case .stopping: 3
      case .terminated: 4
      }
    }
    return stage(self) - stage(other)
  }
}
