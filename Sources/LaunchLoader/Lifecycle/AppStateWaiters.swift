internal import EventBus

/// Those who wait for something about the state of an application.
///
/// A plain value: whoever is served is handed out, to be woken after unlocking.
struct AppStateWaiters: Sendable {
  /// What is waited for.
  enum Goal: Sendable {
    /// A state; also served when it cannot come any more.
    case state(AppState)
    /// A level; also served when the application stops.
    case atLeast(AppState.Level)
    /// Anything below a level; also served when the application stops.
    case below(AppState.Level)
    /// That so many steps have been told.
    case told(Int)
  }

  /// Somebody who waits.
  private struct Waiter: Sendable {
    let goal: Goal
    var latch: Latch
  }

  private var waiters: [Int: Waiter] = [:]
  private var nextTicket = 0

  /// Adds somebody, unless there is nothing to wait for.
  ///
  /// - Returns: A ticket to leave with, or `nil` if the goal has been reached.
  mutating func add(_ goal: Goal, _ latch: Latch, _ machine: AppStateMachine) -> Int? {
    if Self.isReached(goal, machine) { return nil }
    defer { nextTicket += 1 }
    waiters[nextTicket] = Waiter(goal: goal, latch: latch)
    return nextTicket
  }

  /// Removes somebody who waits no more.
  ///
  /// - Returns: The latch, to be released after unlocking; `nil` if it was handed out before.
  /// - Complexity: O(1).
  mutating func remove(_ ticket: Int) -> Latch? {
    waiters.removeValue(forKey: ticket)?.latch
  }

  /// Has another latch opened for somebody.
  ///
  /// - Returns: The latch before, to be released after unlocking; `nil` if it was handed out before.
  /// - Complexity: O(1).
  mutating func exchange(_ ticket: Int, _ latch: Latch) -> Latch? {
    guard let former = waiters[ticket]?.latch else { return nil }
    waiters[ticket]?.latch = latch
    return former
  }

  /// Takes everybody whose goal has been reached, those who came first in front.
  ///
  /// - Complexity: O(*n* + *m* log *m*) in the numbers of those who wait and of those who are served.
  mutating func takeServed(_ machine: AppStateMachine) -> [Latch] {
    let served = waiters.filter { Self.isReached($0.value.goal, machine) }
    for ticket in served.keys { waiters[ticket] = nil }
    return served.sorted { $0.key < $1.key }.map(\.value.latch)
  }

  private static func isReached(_ goal: Goal, _ machine: AppStateMachine) -> Bool {
    let state = machine.state
    let isStopping = state.stage >= AppState.stopping.stage
    switch goal {
    case .state(let wanted): return state.hasReached(wanted) || !state.mayReach(wanted)
    case .atLeast(let level): return isStopping || state.isAtLeast(level)
    case .below(let level): return isStopping || !state.isAtLeast(level)
    case .told(let count): return machine.toldCount >= count
    }
  }
}

extension AppState {
  /// Whether a level has been reached and not left.
  func isAtLeast(_ wanted: Level) -> Bool {
    level.map { $0 >= wanted } ?? false
  }

  /// Whether the application is in a state, or past one that it passes once.
  func hasReached(_ state: AppState) -> Bool {
    state.stage == 2 ? self == state : stage >= state.stage
  }

  /// Whether the application is, or can come, where it has reached a state.
  func mayReach(_ state: AppState) -> Bool {
    state.stage != 2 || stage <= 2
  }
}
