/// The rule of states: which edges follow from what happens, and in what order they are told.
///
/// A plain value. What happens while an edge is being told is queued behind it: everybody hears of all
/// edges in one order, and each has been told to everybody before the next begins.
package struct AppStateMachine: Sendable {
  /// What happens.
  package enum Cause: Sendable, CaseIterable {
    /// `run()` was called.
    case launch
    /// Launch work has run.
    case launched
    /// Services have started.
    case started
    /// The user sends the program to the background.
    case background
    /// The user fetches the program back.
    case foreground
    /// Services are about to be stopped.
    case stop
    /// Everything has ended.
    case end
  }

  /// What the delegate and the bus are told.
  package enum Edge: Sendable, Hashable, CaseIterable {
    /// Launch work is about to run.
    case willFinishLaunching
    /// Launch work has run.
    case didFinishLaunching
    /// The application has become active.
    case didBecomeActive
    /// The application is about to leave the foreground, or to stop.
    case willResignActive
    /// The application is in the background.
    case didEnterBackground
    /// The application is about to come back from the background.
    case willEnterForeground
    /// Services are about to be stopped.
    case willTerminate
  }

  /// One thing to tell: the edge before the state changes, the state, the edge after it did.
  package struct Step: Sendable, Equatable {
    /// What is told before the state is entered.
    package var will: Edge?
    /// The state to enter.
    package var state: AppState?
    /// What is told after the state was entered.
    package var did: Edge?
  }

  /// The state that was entered last.
  package private(set) var state = AppState.notRunning
  /// How many steps have been told to their end.
  package private(set) var toldCount = 0
  /// How many steps there have been, with those that wait.
  package private(set) var stepCount = 0
  private var latest = AppState.notRunning
  private var hasLaunched = false
  private var isInBackground = false
  private var queue: [Step] = []
  private var next = 0
  private var isTelling = false
  private var isInStep = false

  /// Creates the rule of an application that does not run.
  package init() {}

  /// Takes in what happened.
  ///
  /// - Returns: Whether the caller shall tell steps, with ``takeStep()``; otherwise somebody does.
  package mutating func send(_ cause: Cause) -> Bool {
    switch cause {
    case .launch where latest == .notRunning:
      append(nil, .launching, .willFinishLaunching)
    case .launched where latest == .launching && !hasLaunched:
      hasLaunched = true
      append(nil, nil, .didFinishLaunching)
    case .started where latest == .launching:
      if isInBackground {
        append(nil, .background, .didEnterBackground)
      } else {
        append(nil, .inactive, nil)
        append(nil, .active, .didBecomeActive)
      }
    case .background:
      isInBackground = true
      if latest == .active {
        append(.willResignActive, .inactive, nil)
        append(nil, .background, .didEnterBackground)
      }
    case .foreground:
      isInBackground = false
      if latest == .background {
        append(.willEnterForeground, .inactive, nil)
        append(nil, .active, .didBecomeActive)
      }
    case .stop where latest.stage < AppState.stopping.stage:
      if latest == .active { append(.willResignActive, .inactive, nil) }
      append(nil, .stopping, .willTerminate)
    case .end where latest == .stopping:
      append(nil, .terminated, nil)
    default:
      break
    }
    guard !isTelling, next < queue.count else { return false }
    isTelling = true
    return true
  }

  /// Takes the next step to tell; the one before has been told.
  ///
  /// - Returns: `nil` when there is none: the caller has nothing more to tell.
  package mutating func takeStep() -> Step? {
    if isInStep { toldCount += 1 }
    isInStep = next < queue.count
    guard isInStep else {
      isTelling = false
      queue = []
      next = 0
      return nil
    }
    defer { next += 1 }
    return queue[next]
  }

  /// Enters the state of a step.
  package mutating func enter(_ newState: AppState) {
    state = newState
  }

  private mutating func append(_ will: Edge?, _ state: AppState?, _ did: Edge?) {
    queue.append(Step(will: will, state: state, did: did))
    stepCount += 1
    if let state { latest = state }
  }
}
