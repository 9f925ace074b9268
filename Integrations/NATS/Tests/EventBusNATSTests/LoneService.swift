import LaunchLoader

/// A service that runs as the only one of a group, without an application.
final class LoneService: Sendable {
  private let group = AppServiceGroup("alone")

  init(_ service: some AppService) throws {
    let options = AppServiceOptions(onReturn: .shutdown, reportsReadiness: true)
    try group.add(service, options: options)
    try group.start()
  }

  func shutdown() { group.shutdown() }

  func cancel() { group.cancel() }

  func waitUntilReady() async throws { try await group.waitUntilReady() }

  /// Waits for the end, and throws the first error itself, unless that is only that the service was never ready.
  func wait() async throws {
    do {
      try await group.waitUntilStopped()
    } catch let error as AppServiceError {
      guard case .failed(_, let errors) = error.code else { throw error }
      if case .endedBeforeReady? = (errors[0] as? AppServiceError)?.code { return }
      throw errors[0]
    }
  }
}
