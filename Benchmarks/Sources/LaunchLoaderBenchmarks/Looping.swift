import EventBus
import Harness
import LaunchLoader
import ServiceLifecycle
import Synchronization

extension EventNames {
  fileprivate static let tick = EventName<Int>("benchmarks.looping.tick")
}

/// A service that loops over a stream until the program stops: it is started, takes 1,000 events, and stops.
enum Looping {
  static let rows = [
    Row(
      Figure("service: loop over a stream of 1,000, per event", per: count),
      pace: .single,
      entries: [
        Entry(.launchLoader) { { _ in await measured(loop) } },
        Entry(.serviceLifecycle) { { _ in await measured(loopOfPeer) } },
      ]
    )
  ]

  private static let count = 1_000

  private static func measured(
    _ work: @concurrent @Sendable () async throws -> Int
  ) async -> Double {
    var total = 0
    let time = await nanosecondsOfAllThreads {
      do { total = try await work() } catch { fatalError("\(error)") }
    }
    precondition(total == count, "\(total) of \(count) events were taken")
    return time
  }

  @concurrent
  private static func loop() async throws -> Int {
    let (app, taken) = (AppHost(bus: EventBus(), loader: LaunchLoader()), Taken())
    try app.add("loop") { context in
      let events = app.bus.events(.tick, until: context.lifetime)
      for _ in 0..<count { app.bus.post(.tick, 1) }
      for await value in events {
        if taken.add(value) == count { app.shutdown() }
      }
    }
    _ = try await app.run()
    return taken.total
  }

  @concurrent
  private static func loopOfPeer() async throws -> Int {
    let taken = Taken()
    let group = ServiceGroup(services: [StreamService(taken: taken, count: count)])
    let running = Task { try await group.run() }
    await taken.wait()
    await group.triggerGracefulShutdown()
    try await running.value
    return taken.total
  }
}

/// A service of the established package that does the same.
private struct StreamService: Service {
  let taken: Taken
  let count: Int

  func run() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    for _ in 0..<count { continuation.yield(1) }
    for await value in stream.cancelOnGracefulShutdown() {
      if taken.add(value) == count { taken.finish() }
    }
  }
}

/// Counts the events that a service has taken.
private final class Taken: Sendable {
  private let sum = Atomic<Int>(0)
  private let end = AsyncStream.makeStream(of: Void.self)

  var total: Int { sum.load(ordering: .acquiring) }

  /// Adds a value.
  ///
  /// - Returns: The sum.
  func add(_ value: Int) -> Int { sum.add(value, ordering: .acquiringAndReleasing).newValue }

  func finish() { end.continuation.finish() }

  func wait() async { for await _ in end.stream {} }
}
