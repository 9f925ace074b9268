/// The state of a service, apart from its handle.
struct ServiceRecord: Sendable {
  let id: Int
  let name: String
  let options: AppServiceOptions
  /// The state that was reported last, and the time of that report; `nil` while it waits for its start.
  var reported: (state: AppServiceState, time: Duration)?
  /// Indicates that it was not removed.
  var isLiving = true
  /// The layer; services in higher layers stop earlier.
  var layer = 0
  /// The number of dependencies that are not satisfied.
  var blockers = 0
  /// The services that wait for this one, except in a chain, where the next one does.
  var dependants: [Int] = []
  /// Indicates that `run` was entered and has suspended or returned.
  var hasStarted = false
  /// Indicates that the service called `markReady()`.
  var isReady = false
  /// The number of groups that the service runs.
  var groupCount = 0

  /// The state; `nil` while it waits for its start.
  var state: AppServiceState? { reported?.state }

  /// A Boolean value that indicates whether its `run` was entered, and it was neither asked to stop nor
  /// cancelled.
  var isRunning: Bool {
    // A switch, because `==` compares the raw values, which are strings.
    switch state {
    case .starting, .ready: true
    default: false
    }
  }

  /// A Boolean value that indicates whether it was asked to stop or cancelled, and has not ended.
  var isEnding: Bool {
    switch state {
    case .stopping, .cancelled: true
    default: false
    }
  }

  /// A Boolean value that indicates whether the dependants may start.
  var isSatisfied: Bool { hasStarted && (isReady || !options.reportsReadiness) }

  /// A Boolean value that indicates whether ending now would be a failed start.
  var failsToStart: Bool { options.reportsReadiness && !isReady && isRunning }
}
