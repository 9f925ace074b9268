/// An error that a service threw.
public struct ServiceFailure: Sendable {
  /// The name of the service, led by those of the groups around it, each with a slash.
  public let service: String
  /// What it threw.
  public let error: any Error
}
