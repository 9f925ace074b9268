import EventBus
import LaunchLoader

/// A service that runs as the only one of a group, without an application.
final class LoneService: Sendable {
  let group: AppServiceGroup

  init(
    _ service: some AppService,
    named name: String? = nil,
    loader: LaunchLoader? = nil,
    options: AppServiceOptions = AppServiceOptions(onReturn: .shutdown),
    reportsReadiness: Bool = true,
    stopTimeout: Duration? = nil,
    cancelTimeout: Duration? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    onMessage: (@Sendable (AppHostMessage) -> Void)? = nil
  ) throws {
    var options = options
    options.reportsReadiness = reportsReadiness
    group = AppServiceGroup(
      "alone",
      stopTimeout: stopTimeout,
      cancelTimeout: cancelTimeout,
      clock: clock
    )
    try group.add(service, named: name, options: options)
    try group.start(loader: loader, onMessage: onMessage)
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
