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
}
