/// An error that a service threw.
public struct ServiceFailure: Sendable {
  /// The name of the service.
  public let service: String
  /// What it threw.
  public let error: any Error
}
