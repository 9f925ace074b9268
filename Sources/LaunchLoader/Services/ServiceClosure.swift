/// A service that is no more than a name and a closure.
internal struct ServiceClosure: Service {
  /// The name of the service.
  internal let name: String
  /// What it does.
  internal let body: @Sendable (ServiceContext) async throws -> Void

  internal func run(_ context: ServiceContext) async throws {
    try await body(context)
  }
}
