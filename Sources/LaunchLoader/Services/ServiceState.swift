/// The state of a service in an application or a group.
public enum ServiceState: String, Hashable, Sendable {
  /// Its `run` is being entered.
  case starting
  /// It has started, and is ready if its options ask for that: services that name it may start.
  case ready
  /// It was asked to stop.
  case stopping
  /// It was cancelled.
  case cancelled
  /// Its `run` has returned or thrown.
  case ended
  /// It did not end after it was cancelled, and was left behind.
  case abandoned
}

/// A change of the state of a service.
public struct ServiceStateChange: Hashable, Sendable {
  /// The name of the service, prefixed with the names of its groups, each followed by a slash.
  public let service: String
  /// The new state.
  public let state: ServiceState
  /// The state before; `nil` when the service starts.
  public let previous: ServiceState?
  /// The time in the previous state, by the clock of the application; zero when the service starts.
  public let elapsed: Duration
}

/// A service that has not ended, at one moment.
public struct ServiceStatus: Hashable, Sendable {
  /// The name of the service.
  public let name: String
  /// The state, or `nil` before the service starts.
  public let state: ServiceState?
  /// The names of the services that it starts after: those in its options or, where the options of no service
  /// name another, the one that was added before it, unless that has ended.
  public let dependencies: [String]
  /// A Boolean value that indicates whether the start or the stop in progress waits for the service now.
  public let isWaitedFor: Bool
}
