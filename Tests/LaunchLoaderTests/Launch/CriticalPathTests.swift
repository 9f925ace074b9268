import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Critical path")
struct CriticalPathTests {
  typealias Entry = LaunchMachine.Row

  private func entry(
    _ id: LaunchID,
    _ turn: Int?,
    _ times: ClosedRange<Int>,
    phase: LaunchPhase = .standard,
    isSynchronous: Bool = false,
    after dependencies: [LaunchID] = []
  ) -> Entry {
    .ended(
      id,
      phase: phase,
      after: dependencies,
      isSynchronous: isSynchronous,
      turn: turn,
      start: .seconds(times.lowerBound),
      duration: .seconds(times.count - 1)
    )
  }

  private func path(_ entries: Entry...) -> [LaunchID] {
    LaunchReport(rows: entries, total: .seconds(100)).criticalPath
  }

  @Test("The critical path starts at the last end and follows each worker's longest wait")
  func dependencies() {
    #expect(
      path(
        entry("a", 1, 0...3),
        entry("b", 2, 0...5),
        entry("c", 3, 5...6, after: ["a", "b", "missing"]),
        entry("d", 4, 6...9, after: ["c"]),
        entry("e", 5, 0...8)
      ) == ["b", "c", "d"]
    )
  }

  @Test("A synchronous worker delays every worker after it")
  func synchronous() {
    #expect(
      path(
        entry("a", 1, 0...1, isSynchronous: true),
        entry("b", 2, 1...2, isSynchronous: true),
        entry("c", 3, 2...9),
        entry("d", 4, 2...3, isSynchronous: true)
      ) == ["a", "b", "c"]
    )
  }

  @Test("The last worker of a phase delays the next phase; a worker that did not run delays none")
  func phases() {
    #expect(
      path(
        entry("a", 1, 0...4, phase: .early),
        entry("b", 2, 0...2, phase: .early),
        entry("skipped", nil, 0...0, phase: .early),
        entry("c", 3, 4...7, phase: .late, after: ["b"])
      ) == ["a", "c"]
    )
    #expect(path().isEmpty)
  }

  @Test("Work that was still running when a worker began did not delay it")
  func overlapping() {
    #expect(
      path(
        entry("abandoned", 1, 0...9, phase: .early),
        entry("a", 2, 0...2, phase: .early),
        entry("b", 3, 2...12, after: ["a"])
      ) == ["a", "b"]
    )
  }

  @Test("If no time passes, the order of turns decides, and the path is finite")
  func standingClock() async throws {
    let loader = LaunchLoader(clock: ManualClock())
    for name in ["a", "b", "c"] as [LaunchID] { loader.register(name) { _ in } }
    let report = try await loader.launch()
    #expect(report.criticalPath == ["a", "b", "c"])
    #expect(report.description.hasSuffix("critical path: a → b → c"))
  }

  @Test("The critical path of a launch holds the workers that made it long")
  func launch() async throws {
    let clock = ManualClock()
    let loader = LaunchLoader(clock: clock)
    loader.register("quick") { _ in clock.jump(by: .seconds(1)) }
    loader.register("download") { _ in try await clock.sleep(for: .seconds(10)) }
    loader.register("unpack", after: ["download"]) { _ in clock.jump(by: .seconds(2)) }
    loader.register("meanwhile") { _ in try await clock.sleep(for: .seconds(9)) }
    async let launch = loader.launch()
    await clock.waitForSleepers(atLeast: 2)
    await clock.advance(by: .seconds(10))
    let report = try await launch
    #expect(report.criticalPath == ["quick", "download", "unpack"])
    #expect(report.total == .seconds(13))
  }
}
