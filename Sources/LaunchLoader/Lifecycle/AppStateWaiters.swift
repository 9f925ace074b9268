internal import EventBus

/// The tasks that wait for a state of an application.
///
/// A plain value that returns the latches to open, so that the caller opens them after unlocking.
struct AppStateWaiters: Sendable {
  /// A condition to wait for.
  enum Goal: Sendable {
    /// A state. Also reached when the state can no longer occur.
    case state(AppState)
    /// At least a level. Also reached when the application stops.
    case atLeast(AppState.Level)
    /// A state below a level. Also reached when the application stops.
    case below(AppState.Level)
    /// The completion of this number of steps.
    case completed(Int)
  }

  private var waiters: [Int: (goal: Goal, latch: Latch)] = [:]
  private var nextTicket = 0

  /// Adds a waiter, unless its goal is already reached.
  ///
  /// - Returns: A ticket for ``remove(_:)``, or `nil` if the goal is reached.
  mutating func add(_ goal: Goal, _ latch: Latch, _ machine: AppStateMachine) -> Int? {
    if Self.isReached(goal, machine) { return nil }
    defer { nextTicket += 1 }
    waiters[nextTicket] = (goal, latch)
    return nextTicket
  }

  /// Removes a waiter.
  ///
  /// - Returns: The latch, to be released after unlocking, or `nil` if the goal was reached before.
  /// - Complexity: O(1).
  mutating func remove(_ ticket: Int) -> Latch? {
    waiters.removeValue(forKey: ticket)?.latch
  }

  /// Replaces the latch of a waiter.
  ///
  /// - Returns: The previous latch, to be released after unlocking, or `nil` if the goal was reached before.
  /// - Complexity: O(1).
  mutating func exchange(_ ticket: Int, _ latch: Latch) -> Latch? {
    guard let former = waiters[ticket]?.latch else { return nil }
    waiters[ticket]?.latch = latch
    return former
  }

  /// Removes the waiters whose goals are reached, and returns their latches in the order of arrival.
  ///
  /// - Complexity: O(*n* + *m* log *m*) in the numbers of waiters and of reached goals.
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
    case .completed(let count): return machine.completedCount >= count
    }
  }
}

extension AppState {
  /// Returns whether the state is at least at a level.
  func isAtLeast(_ wanted: Level) -> Bool {
    level.map { $0 >= wanted } ?? false
  }

  /// Returns whether the application is in a state, or has passed one that occurs only once.
  func hasReached(_ state: AppState) -> Bool {
    state.stage == 2 ? self == state : stage >= state.stage
  }

  /// Returns whether the application is in a state or can still enter it.
  func mayReach(_ state: AppState) -> Bool {
    state.stage != 2 || stage <= 2
  }
}
