import LaunchLoader
import LaunchPictures
import TestSupport
import Testing

@Suite("Plans for Graphviz")
struct LaunchGraphTests {
  let loader = LaunchLoader()

  @Test("A graph has a box for each phase, and dashed arrows for optional dependencies")
  func graph() throws {
    let note: @Sendable (LaunchOptions) -> Void = { _ in Issue.record("A plan runs nothing.") }
    loader.register("index", after: ["database"], afterIfPresent: ["logging"], run: note)
    loader.register("database", run: note)
    loader.register("logging", phase: .early, run: note)
    loader.register("caches", phase: .idle, run: note)
    loader.register(fileID: "App/Feature.swift", line: 12, run: note)
    let plan = try loader.plan()
    #expect(
      plan.dot() == #"""
        digraph launch {
          rankdir=RL;
          node [shape=box];
          subgraph cluster_early {
            label="early";
            "logging";
          }
          subgraph cluster_standard {
            label="standard";
            "database";
            "App/Feature.swift:12#1";
            "index";
          }
          subgraph cluster_idle {
            label="idle";
            "caches";
          }
          "index" -> "database";
          "index" -> "logging" [style=dashed];
        }
        """#
    )
  }

  @Test("Names are quoted")
  func names() throws {
    loader.register(#"with "quotes" and \"#) { _ in }
    loader.register("two\nlines") { _ in }
    // Each is one character, and ends the name or begins an escape all the same.
    loader.register("a\"\u{301} and \\\u{301}") { _ in }
    let plan = try loader.plan()
    #expect(plan.dot().contains(#""with \"quotes\" and \\";"#))
    #expect(plan.dot().contains(#""two\nlines";"#))
    #expect(plan.dot().contains("\"a\\\"\u{301} and \\\\\u{301}\";"))
  }

  @Test("A long chain has an arrow for each dependency")
  func chain() throws {
    let count = size(1_500, full: 5_000)
    for index in 0..<count {
      let before = index > 0 ? [LaunchID("work \(index - 1)")] : []
      loader.register(LaunchID("work \(index)"), after: before) { _ in }
    }
    let lines = try loader.plan().dot().split(separator: "\n")
    #expect(lines.count { $0.contains("->") } == count - 1)
  }
}
