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

  #if os(Linux) || os(macOS)
  @Test("A program is notified when the process that started it has ended")
  func orphan() throws {
    let shell = try RunningProgram(Program("SignalsFixture"), ["shell", "watch"])
    #expect(try Set([shell.line(), shell.line()]) == ["watching", "in the foreground"])
    shell.send("the shell reads one line, and is gone")
    #expect(try shell.line() == "the parent is gone")
  }
  #endif
}
