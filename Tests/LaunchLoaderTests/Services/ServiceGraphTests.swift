import LaunchLoader
import Testing

@Suite("Service graph")
struct ServiceGraphTests {
  @Test("Without dependencies each service follows the one before it")
  func chain() throws {
    let graph = try ServiceGraph([("a", []), ("b", []), ("c", [])])
    #expect(graph.isChain)
    #expect(graph.dependencies == [[], [0], [1]])
    #expect(graph.layers == [0, 1, 2])
  }

  @Test("A service's layer is one more than the highest layer it depends on")
  func layers() throws {
    let graph = try ServiceGraph([
      ("web", ["cache", "database"]), ("database", []), ("cache", ["database"]), ("clock", []),
    ])
    #expect(!graph.isChain)
    #expect(graph.dependencies == [[2, 1], [], [1], []])
    #expect(graph.layers == [2, 0, 1, 0])
  }

  @Test("No services make no layers")
  func empty() throws {
    #expect(try ServiceGraph([]).layers.isEmpty)
  }

  @Test("An unknown name is refused together with its dependants")
  func unknown() {
    let error = #expect(throws: ServiceError.self) { try ServiceGraph([("a", ["b"])]) }
    guard case .unknown("b", neededBy: "a") = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("\"a\" starts after \"b\"") == true)
  }

  @Test(
    "A cycle is refused with its path and without services that only lead to it",
    arguments: [
      ([("a", ["a"])], "a → a"),
      ([("a", ["b"]), ("b", ["a"])], "a → b → a"),
      ([("tail", ["a"]), ("a", ["b"]), ("b", ["c"]), ("c", ["a"]), ("free", [])], "a → b → c → a"),
    ] as [([(String, [String])], String)]
  )
  func cycle(services: [(String, [String])], path: String) {
    let error = #expect(throws: ServiceError.self) {
      try ServiceGraph(services.map { (name: $0.0, after: $0.1) })
    }
    #expect(error?.description.contains(": \(path);") == true)
  }

  @Test("A chain of a hundred thousand services uses no stack")
  func deep() throws {
    let names = (0..<100_000).map { "\($0)" }
    let services = names.indices.map { (names[$0], $0 == 0 ? [] : [names[$0 - 1]]) }
    #expect(try ServiceGraph(services).layers.last == 99_999)
  }
}
