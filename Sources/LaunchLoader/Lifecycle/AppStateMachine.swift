/// The state machine of an application: the edges that follow from each cause, in order.
///
/// A plain value. Causes that arrive during the delivery of an edge are queued: all observers receive the
/// edges in one order, and each edge is delivered completely before the next begins.
package struct AppStateMachine: Sendable {
  /// A cause of a change of state.
  package enum Cause: Sendable, CaseIterable {
    /// `run()` was called.
    case launch
    /// Launch work has run.
    case launched
    /// Services have started.
    case started
    /// The user sends the program to the background.
    case background
    /// The user returns the program to the foreground.
    case foreground
    /// Services are about to stop.
    case stop
    /// All services have ended.
    case end
  }

  /// An edge that the delegate and the bus receive.
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
    /// The application is about to return from the background.
    case willEnterForeground
    /// Services are about to stop.
    case willTerminate
  }

  /// A step of the delivery: an edge before the change, the new state, and an edge after the change.
  package struct Step: Sendable, Equatable {
    /// The edge to deliver before the state is entered.
    package var will: Edge?
    /// The state to enter.
    package var state: AppState?
    /// The edge to deliver after the state is entered.
    package var did: Edge?
  }

  /// The state entered last.
  package private(set) var state = AppState.notRunning
  /// The number of completed steps.
  package private(set) var completedCount = 0
  /// The number of all steps, including queued ones.
  package private(set) var stepCount = 0
  private var latest = AppState.notRunning
  private var hasLaunched = false
  private var isInBackground = false
  private var queue: [Step] = []
  private var next = 0
  private var isDelivering = false
  private var isInStep = false

  /// Creates the state machine of an application that does not run.
  package init() {}

  /// Queues the steps that follow from a cause.
  ///
  /// - Returns: `true` if the caller must deliver the steps, with ``takeStep()``; `false` if another caller
  ///   is delivering, or if there is no step.
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
    guard !isDelivering, next < queue.count else { return false }
    isDelivering = true
    return true
  }

  /// Completes the previous step and takes the next one.
  ///
  /// - Returns: The step to deliver, or `nil` when the delivery is complete.
  package mutating func takeStep() -> Step? {
    if isInStep { completedCount += 1 }
    isInStep = next < queue.count
    guard isInStep else {
      isDelivering = false
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
