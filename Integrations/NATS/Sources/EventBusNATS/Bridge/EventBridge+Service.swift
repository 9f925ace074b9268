public import LaunchLoader

extension EventBridge: AppService {
  /// The name of the service.
  public var serviceName: String { "bridge \(core.node)" }

  /// Carries events until the shutdown, then drains.
  ///
  /// The service is ready when everything that was carried before is prepared: ``waitUntilPrepared(within:)``.
  ///
  /// - Parameter context: The context of the service.
  /// - Throws: ``NATSError``, as ``waitUntilPrepared(within:)`` does; with the code `givenUp` if the server has not stored every
  ///   durable event when the time of the drain is over, as when there is no connection.
  public func run(_ context: AppServiceContext) async throws {
    do {
      let isStopping = try await withThrowingTaskGroup { group in
        group.addTask {
          // The limit is that of the service's start.
          try await self.core.preparations.waitUntilPrepared(within: nil)
          return false
        }
        group.addTask {
          try await context.waitUntilShutdown()
          return true
        }
        defer { group.cancelAll() }
        return try await group.next() ?? true
      }
      if !isStopping {
        context.markReady()
        try await context.waitUntilShutdown()
      }
      try await drainOrThrow(within: .seconds(10))
    } catch let error as NATSError where error.code == .givenUp {
      throw error
    } catch let error as NATSError where error.code != .cancelled {
      await drain(within: .seconds(1))
      throw error
    } catch {
      // The time of a cancelled service is over.
      try await drainOrThrow(within: .seconds(1))
    }
  }

  /// Drains.
  ///
  /// - Throws: An error with the code `givenUp` if durable events were given up, now or when the connection was closed.
  private func drainOrThrow(within limit: Duration) async throws(NATSError) {
    let before = core.link.isClosed ? 0 : counts[.givenUp]
    await drain(within: limit)
    let count = counts[.givenUp] - before
    if count == 0 { return }
    let reason = core.link.isConnected ? "" : ", as there was no connection to the server"
    throw NATSError(
      .givenUp,
      "The bridge \(core.node) gave up \(count) durable events that the server has not stored\(reason): "
        + "post events that must not be lost with bridge.post, and keep them until it returns"
    )
  }
}
