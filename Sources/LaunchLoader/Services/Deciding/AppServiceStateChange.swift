/// A change of the state of a service.
public struct AppServiceStateChange: Hashable, Sendable {
  /// The name of the service, prefixed with the names of its groups, each followed by a slash.
  public let service: String
  /// The new state.
  public let state: AppServiceState
  /// The state before; `nil` when the service starts.
  public let previous: AppServiceState?
  /// The time in the previous state, by the clock of the application; zero when the service starts.
  public let elapsed: Duration
}
