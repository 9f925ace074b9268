/// The state of a service in a host or a group.
///
///     starting ─▶ ready ◀─▶ unready          any of these three ─▶ stopping ─▶ cancelled ─▶ abandoned
///        ▲          │          │                                      └───────────┴──▶ ended
///     pausing ◀─────┴──────────┴─▶ ended
public enum AppServiceState: String, Hashable, Sendable {
  /// Its task was created, and it has not become ready.
  case starting
  /// It has started, and is ready if its options ask for that: services that name it may start.
  case ready
  /// It was ready, and has called ``AppServiceContext/markUnready()``.
  case unready
  /// It has failed or returned, and starts again after a pause: ``RestartPolicy``.
  case pausing
  /// It was asked to stop.
  case stopping
  /// It was cancelled.
  case cancelled
  /// Its `run` has returned or thrown.
  case ended
  /// It did not end after it was cancelled, and was abandoned.
  case abandoned
}

/// A change of the state of a service.
public struct AppServiceStateChange: Sendable {
  /// The name of the service, prefixed with the names of its groups, each followed by a slash.
  public let service: String
  /// The new state.
  public let state: AppServiceState
  /// The state before; `nil` when the service starts for the first time.
  public let previous: AppServiceState?
  /// The time in the previous state, by the clock of the host; zero when the service starts for the first time.
  public let elapsed: Duration
  /// The number of the attempt, from 1: one more than the number of restarts.
  public let attempt: Int
  /// The error because of which the service has ended or pauses, even if its options ignore it; `nil` if there is none.
  ///
  /// It is the error that the service threw or, if it starts again for another reason, an ``AppServiceError``. The
  /// error of a wait that the stop has ended is not included.
  public let error: (any Error)?
}

/// A service that has not ended, at one moment.
public struct AppServiceStatus: Hashable, Sendable {
  /// The name of the service.
  public let name: String
  /// The state, or `nil` before the service starts.
  public let state: AppServiceState?
  /// The names of the services that it starts after: those in its options or, where the options of no service
  /// name another, the one that was added before it, unless that has ended.
  public let dependencies: [String]
  /// A Boolean value that indicates whether the start or the stop in progress waits for the service now.
  public let isWaitedFor: Bool
  /// The number of its current or last attempt, from 1; 0 before the service starts.
  public let attempt: Int

  /// A Boolean value that indicates whether the service is ready: it has started and, if its options ask for that, has
  /// called ``AppServiceContext/markReady()`` and not ``AppServiceContext/markUnready()`` since.
  public var isReady: Bool { state == .ready }
}

/// A transition of all services of a run.
package enum ServiceTransition: Sendable {
  /// From the launch until all services have started.
  case start
  /// From the request to stop to the end.
  case stop
}
