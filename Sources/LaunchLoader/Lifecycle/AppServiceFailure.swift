/// An error that a service threw.
public struct AppServiceFailure: Sendable {
  /// The name of the service, prefixed with the names of its groups, each followed by a slash.
  public let service: String
  /// The error.
  public let error: any Error
}
