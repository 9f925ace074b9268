public import LaunchLoader

extension EventBridge: AppService {
  /// The name of the service.
  public var serviceName: String { "bridge \(core.node)" }

  /// Carries events until the shutdown, then drains.
  ///
  /// The service is ready when everything that was carried before is prepared: ``prepared()``.
  ///
  /// - Parameter context: The context of the service.
  /// - Throws: ``NATSError``, as ``prepared()`` does.
  public func run(_ context: AppServiceContext) async throws {
    do {
      let isStopping = try await withThrowingTaskGroup { group in
        group.addTask {
          try await self.prepared()
          return false
        }
        group.addTask {
          try await context.untilShutdown()
          return true
        }
        defer { group.cancelAll() }
        return try await group.next() ?? true
      }
      if !isStopping {
        context.markReady()
        try await context.untilShutdown()
      }
      await drain()
    } catch let error as NATSError where error.code != .cancelled {
      await drain(within: .seconds(1))
      throw error
    } catch {
      // The time of a cancelled service is over.
      await drain(within: .seconds(1))
    }
  }
}
