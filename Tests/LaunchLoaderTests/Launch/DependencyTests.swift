import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Dependencies", .timeLimit(.minutes(5)))
struct DependencyTests {
  let bus = EventBus()
  let loader = LaunchLoader()
  let log = Log<String>()

  private func note(_ id: LaunchID) -> @Sendable (LaunchOptions) -> Void {
    { [log] _ in log.append("\(id)") }
  }

  @Test("A worker runs after its dependencies, in any registration order")
  func afterWhatItNeeds() async throws {
    loader.register("c", after: ["b"], run: note("c"))
    loader.register("b", after: ["a"], run: note("b"))
    loader.register("a", run: note("a"))
    try await loader.launch()
    #expect(log.entries == ["a", "b", "c"])
  }

  @Test("A synchronous worker waits for an asynchronous dependency; other workers do not")
  func waitsForAsynchronous() async throws {
    let mayEnd = ManualLatch()
    loader.register("slow") { [log] _ in
      await mayEnd.wait()
      log.append("slow")
    }
    loader.register("needy", after: ["slow"], run: note("needy"))
    loader.register("free") { [log] _ in
      log.append("free")
      mayEnd.open()
    }
    try await loader.launch()
    #expect(log.entries == ["free", "slow", "needy"])
  }

  @Test("When the post returns, workers without asynchronous dependencies have run, in order")
  func eventRunsWhatItCan() async throws {
    let mayEnd = ManualLatch()
    loader.register("d", after: ["c"], run: note("d"))
    loader.register("slow") { _ in await mayEnd.wait() }
    loader.register("needy", after: ["slow"], run: note("needy"))
    loader.register("late", phase: .late, run: note("late"))
    loader.register("c", run: note("c"))
    loader.launchByEvent(on: bus)
    #expect(log.entries == ["c", "d"])
    mayEnd.open()
    _ = try await loader.report()
    #expect(log.entries == ["c", "d", "needy", "late"])
  }

  @Test("A failed worker's dependants are skipped, and theirs in turn")
  func failureSkipsDependants() async throws {
    let tally = Tally()
    loader.register("a") { _ in throw Broken() }
    loader.register("b", after: ["a"]) { [probe = tally.probe()] _ in probe.touch() }
    loader.register("c", after: ["b"]) { [probe = tally.probe()] _ in
      await Task.yield()
      probe.touch()
    }
    loader.register("d", afterIfPresent: ["a", "c"], run: note("d"))
    let report = try await loader.launch()
    #expect(
      report.summary == [
        "a failed: broken", "b skipped because of a", "c skipped because of b", "d finished",
      ]
    )
    #expect(tally.live == 0)
  }

  @Test("A missing dependency skips its dependants and names it; a missing soft one is ignored")
  func missing() async throws {
    let token = loader.register(
      "a",
      after: ["nobody"],
      fileID: "App/A.swift",
      line: 7,
      run: note("a")
    )
    loader.register("b", after: ["a"], run: note("b"))
    loader.register("c", afterIfPresent: ["nobody"], run: note("c"))
    let report = try await loader.launch()
    #expect(log.entries == ["c"])
    #expect(
      report.summary == ["a skipped because of nobody", "b skipped because of a", "c finished"]
    )
    #expect(token.outcome?.description == "skipped because of nobody")
    let problem = try #require(report.problems.first)
    guard case .unknown("nobody", neededBy: "a") = problem.code else {
      Issue.record("The problem has to be the missing dependency.")
      return
    }
    #expect(problem.sites.map { "\($0.key) \($0.value)" } == ["a App/A.swift:7"])
    #expect(problem.description.contains(#""a" (App/A.swift:7) needs "nobody""#))
    #expect(report.description.contains("needs \"nobody\""))
  }

  @Test("An unknown name in after: gets the closest registered name as a suggestion")
  func suggestion() async throws {
    loader.register("database", run: note("database"))
    loader.register("web", after: ["databse"], fileID: "App/Web.swift", line: 3, run: note("web"))
    let problem = try #require(try await loader.launch().problems.first)
    #expect(problem.suggestion == "database")
    #expect(
      problem.description
        == #"Launch worker "web" (App/Web.swift:3) needs "databse", which is not registered."#
        + #" Did you mean "database"? Otherwise, register it, or depend on it with `afterIfPresent`."#
    )
  }

  @Test("Neither the work itself, nor a cancelled or optional name, is suggested")
  func noSuggestion() async throws {
    loader.register("web2", after: ["web"], afterIfPresent: ["wob"], run: note("web2"))
    loader.register("webb", run: note("webb")).cancel()
    #expect(try await loader.launch().problems.map(\.suggestion) == [nil])
  }

  @Test("The first 100 unknown names of a launch get suggestions, before and during the launch")
  func manyUnknownNames() async throws {
    loader.register("database") { [loader] _ in
      for index in 0..<60 {
        loader.register(LaunchID("late \(index)"), after: ["databse"]) { _ in }
      }
    }
    for index in 0..<60 { loader.register(LaunchID("early \(index)"), after: ["databse"]) { _ in } }
    let during = try await loader.launch().problems.map(\.suggestion)
    #expect(during == Array(repeating: "database", count: 100) + Array(repeating: nil, count: 20))
    let other = LaunchLoader()
    other.register("database") { _ in }
    for index in 0..<120 { other.register(LaunchID("early \(index)"), after: ["databse"]) { _ in } }
    #expect(try await other.launch().problems.map(\.suggestion) == during)
  }

  @Test("A cycle is found before any work runs; the cyclic set and its dependants are skipped")
  func cycle() async throws {
    loader.register("a", after: ["b"], fileID: "App/A.swift", line: 1, run: note("a"))
    loader.register("b", after: ["c"], fileID: "App/B.swift", line: 2, run: note("b"))
    loader.register("c", after: ["a"], fileID: "App/C.swift", line: 3) { [log] _ in
      await Task.yield()
      log.append("c")
    }
    loader.register("d", after: ["c"], run: note("d"))
    loader.register("e", run: note("e"))
    let report = try await loader.launch()
    #expect(log.entries == ["e"])
    #expect(
      report.summary == [
        "a skipped because of b", "b skipped because of c", "c skipped because of a",
        "d skipped because of c", "e finished",
      ]
    )
    #expect(
      report.problems.map(\.description) == [
        #"Launch workers depend on each other: "a" (App/A.swift:1) → "b" (App/B.swift:2)"#
          + #" → "c" (App/C.swift:3) → "a" (App/A.swift:1). Remove one of these dependencies."#
      ]
    )
  }

  @Test("A worker whose condition is false is skipped with its dependants, and freed")
  func condition() async throws {
    let tally = Tally()
    let asked = Log<String>()
    loader.register(
      "a",
      when: { [probe = tally.probe()] options in
        probe.touch()
        asked.append(options.arguments.joined())
        return false
      }
    ) { [probe = tally.probe()] _ in probe.touch() }
    loader.register("b", after: ["a"], run: note("b"))
    loader.register("c", when: { _ in true }, run: note("c"))
    loader.register("d", when: { _ in false }) { [log] _ in
      await Task.yield()
      log.append("d")
    }
    #expect(tally.live == 2)
    let report = try await loader.launch(LaunchOptions(arguments: ["x"]))
    #expect(asked.entries == ["x"])
    #expect(log.entries == ["c"])
    #expect(
      report.summary == ["a skipped", "b skipped because of a", "c finished", "d skipped"]
    )
    #expect(tally.live == 0)
  }

  @Test("Cancelled work is missing to its dependants, before and during the launch")
  func takenBack() async throws {
    let tokens = Log<LaunchRegistration>()
    loader.register("a", run: note("a")).cancel()
    loader.register("needs a", after: ["a"], run: note("needs a"))
    loader.register("first") { _ in for token in tokens.entries { token.cancel() } }
    tokens.append(loader.register("b", run: note("b")))
    loader.register("needs b", after: ["b"], run: note("needs b"))
    let report = try await loader.launch()
    #expect(log.entries.isEmpty)
    #expect(
      report.summary == [
        "needs a skipped because of a", "first finished", "needs b skipped because of b",
      ]
    )
  }

  @Test("A worker type provides its name, its dependencies and its phase")
  func workerType() async throws {
    loader.register("b", run: note("b"))
    loader.register("base", phase: .idle, run: note("base"))
    loader.register(Typed.self)
    let report = try await loader.launch()
    #expect(log.entries == ["base", "b"])
    #expect(report.summary == ["b finished", "base finished", "typed finished"])
    #expect(report.entries.map(\.phase) == [.standard, .early, .early])
  }

  private struct Typed: LaunchWorker {
    static let id: LaunchID = "typed"
    static let dependencies: [LaunchID] = ["base"]
    static let phase = LaunchPhase.early
    func launch(_ options: LaunchOptions) async throws {}
  }
}
