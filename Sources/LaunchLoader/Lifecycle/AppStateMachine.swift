internal import EventBus

/// The state machine of a host: the state changes that follow from each cause, in order.
///
/// A plain value. Causes that arrive during a delivery are queued: all observers receive the state
/// changes in one order, and each is delivered completely before the next begins.
package struct AppStateMachine: Sendable {
  /// A cause of a change of state.
  package enum Cause: Sendable, CaseIterable {
    /// `run()` was called, then launch work has run, then services have started.
    case launch, launched, started
    /// The program goes to the background, or returns to the foreground.
    case background, foreground
    /// The program is in the foreground, active or not.
    case activate, deactivate
    /// Services are about to stop, then all services have ended.
    case stop, end
  }

  /// A state change that the delegate and the bus receive, named after its event.
  package enum Edge: Sendable, Hashable, CaseIterable {
    /// A state change before or after the launch work.
    case willFinishLaunching, didFinishLaunching
    /// The state changes around the time in which the host is active.
    case didBecomeActive, willResignActive
    /// The state changes around the time in the background.
    case didEnterBackground, willEnterForeground
    /// The state change before services stop.
    case willTerminate
  }

  /// A step of the delivery: a state change to announce, then a state to enter, then another change
  /// to announce.
  package struct Step: Equatable, Sendable {
    /// The announcement before the state.
    package var will: Edge?
    /// The state.
    package var state: AppState?
    /// The announcement after it.
    package var did: Edge?
  }

  /// A condition that tasks wait for.
  enum Goal: Sendable {
    /// A state. Also reached when the state can no longer occur.
    case state(AppState)
    /// The completion of this number of steps.
    case completed(Int)
  }

  /// The state entered last.
  package private(set) var state = AppState.notRunning
  /// The number of all steps, including queued ones.
  private(set) var stepCount = 0
  private var completedCount = 0
  /// The number of steps that precede those of the stop, once it has been caused.
  private var countBeforeStop: Int?
  /// The state that the queued steps lead to.
  private var latest = AppState.notRunning
  private var hasLaunched = false
  private var isInBackground = false
  /// True if the program must not be active in the foreground.
  private var hasResigned = false
  private var queue = BoundedQueue<Step>()
  private var isDelivering = false
  private var isInStep = false

  /// Creates the state machine of a host that does not run.
  package init() {}

  /// True if the current step belongs to the stop.
  var isInStop: Bool { countBeforeStop.map { completedCount >= $0 } ?? false }

  /// Queues the steps that follow from a cause.
  ///
  /// - Returns: `true` if the caller must deliver the steps, with ``takeStep()``; `false` if another caller
  ///   is delivering, or if there is no step.
  package mutating func send(_ cause: Cause) -> Bool {
    defer { checkInvariants(ofSize: queue.count, _checkInvariants()) }
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
        followRequests()
      }
    case .background:
      isInBackground = true
      followRequests()
    case .foreground:
      isInBackground = false
      followRequests()
    case .activate, .deactivate:
      (hasResigned, isInBackground) = (cause == .deactivate, false)
      followRequests()
    case .stop where latest.stage < AppState.stopping.stage:
      countBeforeStop = stepCount
      if latest == .active { append(.willResignActive, .inactive, nil) }
      append(nil, .stopping, .willTerminate)
    case .end where latest == .stopping:
      append(nil, .terminated, nil)
    default:
      break
    }
    if isDelivering || queue.isEmpty { return false }
    isDelivering = true
    return true
  }

  /// Completes the previous step and takes the next one.
  ///
  /// - Returns: The step to deliver, or `nil` when the delivery is complete.
  package mutating func takeStep() -> Step? {
    defer { checkInvariants(ofSize: queue.count, _checkInvariants()) }
    if isInStep { completedCount += 1 }
    let step = queue.popFirst()
    isInStep = step != nil
    if step == nil { isDelivering = false }
    return step
  }

  /// Enters the state of a step.
  package mutating func enter(_ newState: AppState) { state = newState }

  /// Enters the last state at once, in place of all steps of a run.
  mutating func refuse() {
    defer { checkInvariants(ofSize: queue.count, _checkInvariants()) }
    (state, latest) = (.terminated, .terminated)
  }

  /// Returns whether a goal is reached.
  func hasReached(_ goal: Goal) -> Bool {
    switch goal {
    case .state(let wanted): state.hasReached(wanted) || !state.mayReach(wanted)
    case .completed(let count): completedCount >= count
    }
  }

  /// Stops the program if the steps are miscounted, or wait for no delivery.
  ///
  /// - Complexity: O(1).
  func _checkInvariants() {
    assert(
      stepCount == completedCount + queue.count + (isInStep ? 1 : 0),
      "the steps are miscounted"
    )
    assert(isDelivering || queue.isEmpty && !isInStep, "a step is not delivered")
    assert(isDelivering || state == latest, "the last step led to another state")
  }

  /// Queues the steps from the latest state to the one that the requests so far ask for, while services run.
  private mutating func followRequests() {
    guard latest.stage == AppState.active.stage else { return }
    if latest == .active, isInBackground || hasResigned {
      append(.willResignActive, .inactive, nil)
    }
    if latest == .background, !isInBackground { append(.willEnterForeground, .inactive, nil) }
    if latest != .background, isInBackground { append(nil, .background, .didEnterBackground) }
    if latest == .inactive, !hasResigned { append(nil, .active, .didBecomeActive) }
  }

  private mutating func append(_ will: Edge?, _ state: AppState?, _ did: Edge?) {
    _ = queue.append(Step(will: will, state: state, did: did))
    stepCount += 1
    if let state { latest = state }
  }
}
