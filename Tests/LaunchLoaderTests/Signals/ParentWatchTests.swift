import LaunchLoader
import TestSupport
import Testing

@Suite("Parent process watch")
struct ParentWatchTests {
  /// A clock whose sleeps end at once.
  private struct HastyClock: Clock {
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test("The watch ends when the process has a new parent")
  func ends() async throws {
    let readings = Counter()
    try await untilParentEnds(77, every: .seconds(1), clock: HastyClock()) {
      readings.add()
      return readings.value > 3 ? 1 : 77
    }
    #expect(readings.value == 4)
  }

  @Test("The watch throws when its task is cancelled")
  func cancellation() async {
    let task = Task { try await untilParentEnds(77, clock: HastyClock()) { 77 } }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
