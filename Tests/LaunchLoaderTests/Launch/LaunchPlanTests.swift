import LaunchLoader
import TestSupport
import Testing

@Suite("Launch plan")
struct LaunchPlanTests {
  let loader = LaunchLoader()
  let log = Log<String>()

  @Test("A plan runs no work and no condition, and has layers and a text")
  func plan() async throws {
    let note: @Sendable (LaunchOptions) -> Void = { [log] _ in log.append("ran") }
    loader.register("index", after: ["database"], afterIfPresent: ["logging"], run: note)
    loader.register("database", run: note)
    loader.register("logging", phase: .early, run: note)
    loader.register(
      "caches",
      phase: .idle,
      when: { [log] _ in
        log.append("asked"); return true
      },
      run: note
    )
    loader.register(fileID: "App/Feature.swift", line: 12, run: note)
    loader.register("gone", run: note).cancel()
    let plan = try loader.plan()
    #expect(log.entries.isEmpty)
    #expect(
      plan.layers == [
        ["logging"], ["database", "App/Feature.swift:12#1"], ["index"], ["caches"],
      ]
    )
    #expect(
      plan.description == """
        5 launch workers in 4 layers
           1 early     logging
           2 standard  database, App/Feature.swift:12#1
           3 standard  index
           4 idle      caches
        """
    )
    #expect(
      plan.edges.map { "\($0.from) \($0.isRequired ? "→" : "⇢") \($0.to)" } == [
        "database → index", "logging ⇢ index",
      ]
    )
    try await loader.launch()
    #expect(try loader.plan().layers.isEmpty, "Nothing is left to plan.")
  }

  @Test(
    "The edges of a plan lead from dependencies to dependants, each once, including those of values"
  )
  func edges() throws {
    let key = LaunchKey<Int>("number")
    loader.register("last", after: ["first", "first"], afterIfPresent: ["first", "absent"]) { _ in }
    loader.register("first", phase: .late) { _ in }
    loader.register("user", needs: key) { _, _ in }
    loader.register(key) { _ in 1 }
    let edges = try loader.plan().edges
    #expect(edges.map { [$0.from, $0.to] } == [["first", "last"], ["number", "user"]])
    #expect(edges.allSatisfy { $0.isRequired })
    #expect(Set(edges).count == 2)
  }

  @Test("The text of a plan fits 80 columns")
  func names() throws {
    loader.register(#"with "quotes" and \"#) { _ in }
    loader.register("two\nlines") { _ in }
    // Each is one character, and ends the name or begins an escape all the same.
    loader.register("a\"\u{301} and \\\u{301}") { _ in }
    for index in 0..<30 { loader.register(LaunchID("worker number \(index)")) { _ in } }
    let plan = try loader.plan()
    let lines = plan.description.split(separator: "\n")
    #expect(lines.count > 3)
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test("A plan throws every planning error, under any policy, and changes nothing")
  func faults() async throws {
    loader.register("a", after: ["b"], fileID: "App/A.swift", line: 1) { _ in }
    let missing = #expect(throws: LaunchError.self) { try loader.plan() }
    #expect(missing?.description.contains(#""a" (App/A.swift:1) needs "b""#) == true)
    loader.register("b", after: ["a"], fileID: "App/B.swift", line: 2) { _ in }
    let cycle = #expect(throws: LaunchError.self) { try loader.plan() }
    #expect(
      cycle?.description.contains(
        #""a" (App/A.swift:1) → "b" (App/B.swift:2) → "a" (App/A.swift:1)"#
      ) == true
    )
  }
}
