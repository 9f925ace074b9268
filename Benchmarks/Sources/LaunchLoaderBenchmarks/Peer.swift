import ServiceLifecycle
import Synchronization

/// Runs services of the established package, and stops them when all have started.
enum Peer {
  private struct Waiting: Service {
    let begun: Begun

    func run() async throws {
      begun.add()
      try await gracefulShutdown()
    }
  }

  private final class Begun: Sendable {
    private let count = Atomic<Int>(0)
    private let goal: Int
    private let all: AsyncStream<Void>.Continuation

    init(_ goal: Int, _ all: AsyncStream<Void>.Continuation) {
      self.goal = goal
      self.all = all
    }

    func add() {
      if count.add(1, ordering: .acquiringAndReleasing).newValue == goal { all.finish() }
    }
  }

  @concurrent
  static func startAndStop(_ count: Int) async throws {
    let (stream, all) = AsyncStream.makeStream(of: Void.self)
    let begun = Begun(count, all)
    let group = ServiceGroup(services: (0..<count).map { _ in Waiting(begun: begun) })
    let running = Task { try await group.run() }
    for await _ in stream {}
    await group.triggerGracefulShutdown()
    try await running.value
  }
}
