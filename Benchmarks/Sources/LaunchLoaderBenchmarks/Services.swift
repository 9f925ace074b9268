import EventBus
import Harness
import LaunchLoader

/// Many services that wait to be stopped: all are started, then stopped one after the other.
enum Services {
  static let rows = [
    row(1_000, "processor"), row(1_000, "wall"), row(10_000, "processor"), row(10_000, "wall"),
  ]

  private static func title(_ count: Int, _ kind: String) -> String {
    "services: start and stop \(count / 1_000),000, \(kind) time"
  }

  private static func row(_ count: Int, _ kind: String) -> Row {
    Row(
      Figure(
        title(count, kind),
        .milliseconds
      ),
      pace: .single,
      entries: [
        Entry(.launchLoader) { { _ in await measured(kind) { try await startAndStop(count) } } },
        Entry(.serviceLifecycle) {
          { _ in await measured(kind) { try await Peer.startAndStop(count) } }
        },
      ]
    )
  }

  private static func measured(
    _ kind: String,
    _ work: @Sendable () async throws -> Void
  ) async -> Double {
    let start = ContinuousClock.now
    let processorTime = await nanosecondsOfAllThreads {
      do { try await work() } catch { fatalError("\(error)") }
    }
    return kind == "wall" ? (ContinuousClock.now - start).nanoseconds : processorTime
  }

  @concurrent
  private static func startAndStop(_ count: Int) async throws {
    let app = AppHost(bus: EventBus(), loader: LaunchLoader())
    for index in 0..<count {
      try app.add("\(index)") { context in try await context.waitUntilShutdown() }
    }
    let token = app.bus.observe(.didBecomeActive) { app.shutdown() }
    _ = try await app.run()
    token.cancel()
  }
}
