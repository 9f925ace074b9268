import LaunchLoader
import TestSupport
import Testing

@Suite("Dependency graph")
struct DependencyGraphTests {
  @Test("Every graph of up to three nodes agrees with the model")
  func everySmallGraph() {
    for count in 0...3 {
      for edges in 0..<(1 << (count * count)) {
        let dependencies = (0..<count).map { node in
          (0..<count).filter { edges & 1 << (node * count + $0) != 0 }
        }
        guard compare(dependencies, Array(0..<count)) else { return }
      }
    }
  }

  @Test("Every graph of four nodes that do not depend on themselves agrees with the model")
  func everyGraphOfFour() {
    // The numbers that are divisible by nine have every combination of any six of the twelve edges.
    for edges in stride(from: 0, to: 1 << 12, by: size(9, full: 1)) {
      let dependencies = (0..<4).map { node in
        (0..<4).filter { $0 != node }.enumerated()
          .filter { edges & 1 << (node * 3 + $0.offset) != 0 }.map(\.element)
      }
      guard compare(dependencies, Array(0..<4)) else { return }
    }
  }

  @Test("Random graphs, and random nodes of them in any order, agree with the model")
  func randomGraphs() {
    var numbers = SampleNumbers(seed: 1)
    for _ in 0..<size(200, full: 800) {
      let count = 1 + numbers.next(below: 12)
      // From graphs that are mostly cycles to graphs that mostly have none; edges may repeat.
      let edges = numbers.next(below: 2 * count)
      var dependencies: [[Int]] = Array(repeating: [], count: count)
      for _ in 0..<edges {
        dependencies[numbers.next(below: count)].append(numbers.next(below: count))
      }
      var nodes = Array(0..<count)
      nodes.shuffle(using: &numbers)
      guard compare(dependencies, Array(nodes.prefix(1 + numbers.next(below: count)))) else {
        return
      }
    }
  }

  @Test("A node is added with dependencies that follow it")
  func adds() {
    var graph = DependencyGraph()
    #expect(graph.count == 0)
    #expect(!graph.hasEdges)
    graph.add([1])
    graph.add([])
    graph._checkInvariants()
    #expect(graph.count == 2)
    #expect(graph.hasEdges)
    #expect(graph.order(of: [0, 1]) == [1, 0])
    #expect(graph.layers(of: [1, 0]) == [[1], [0]])
  }

  @Test("A chain of many thousand nodes needs no stack, even if it is closed")
  func deep() {
    // A stack with no room for as many calls.
    onStack(of: 256 << 10) {
      let count = size(6_000, full: 100_000)
      let chain = (0..<count).map { $0 + 1 < count ? [$0 + 1] : [] }
      let graph = DependencyGraph(chain)
      let order = graph.order(of: Array(0..<count))
      #expect(order == (0..<count).reversed())
      #expect(graph.layers(of: order).count == count)
      #expect(graph.cycles().isEmpty)
      let cycles = DependencyGraph(chain.dropLast() + [[0]]).cycles()
      #expect(cycles.first?.path.count == count + 1)
    }
  }

  /// Compares all results for a graph with the model, and reports the first difference.
  private func compare(_ dependencies: [[Int]], _ nodes: [Int]) -> Bool {
    let graph = DependencyGraph(dependencies)
    graph._checkInvariants()
    let model = Model(dependencies)
    let order = graph.order(of: nodes)
    let reversed = graph.reversed()
    reversed._checkInvariants()
    let cycles = graph.cycles()
    let isRight =
      dependencies.indices.allSatisfy { node in
        Array(graph.dependencies(of: node)) == dependencies[node]
          && Array(reversed.dependencies(of: node)) == model.dependants(of: node)
      }
      && order == model.order(of: nodes)
      && graph.layers(of: order) == model.layers(of: order)
      && cycles.map(\.members) == model.components
      && cycles.allSatisfy(model.isShortest)
    if !isRight { Issue.record("differs from the model: \(dependencies), \(nodes)") }
    return isRight
  }
}

/// A graph whose questions are answered by their definitions.
private struct Model {
  private let dependencies: [[Int]]
  /// The number of edges from each node to each other on a shortest path of at least one edge.
  private var distances: [[Int?]]

  init(_ dependencies: [[Int]]) {
    self.dependencies = dependencies
    let nodes = dependencies.indices
    distances = nodes.map { from in nodes.map { dependencies[from].contains($0) ? 1 : nil } }
    for middle in nodes {
      for from in nodes {
        guard let first = distances[from][middle] else { continue }
        for to in nodes {
          guard let second = distances[middle][to] else { continue }
          distances[from][to] = min(distances[from][to] ?? .max, first + second)
        }
      }
    }
  }

  func dependants(of node: Int) -> [Int] {
    dependencies.indices.flatMap { source in
      dependencies[source].filter { $0 == node }.map { _ in source }
    }
  }

  /// Takes the first node without remaining dependencies, again and again.
  func order(of nodes: [Int]) -> [Int] {
    var rest = nodes
    var order: [Int] = []
    while let next = rest.first(where: { Set(dependencies[$0]).isDisjoint(with: rest) }) {
      order.append(next)
      rest.removeAll { $0 == next }
    }
    return order
  }

  func layers(of order: [Int]) -> [[Int]] {
    func layer(of node: Int) -> Int {
      dependencies[node].filter(order.contains).map { layer(of: $0) + 1 }.max() ?? 0
    }
    let layers = order.map(layer)
    return (0..<((layers.max() ?? -1) + 1)).map { number in
      zip(order, layers).filter { $0.1 == number }.map(\.0)
    }
  }

  /// The sets of nodes that depend on each other, in order of their lowest members.
  var components: [Set<Int>] {
    var components: [Set<Int>] = []
    for node in dependencies.indices where distances[node][node] != nil {
      guard !components.contains(where: { $0.contains(node) }) else { continue }
      components.append(
        Set(
          dependencies.indices.filter { distances[node][$0] != nil && distances[$0][node] != nil }
        )
      )
    }
    return components
  }

  func isShortest(_ cycle: DependencyGraph.Cycle) -> Bool {
    guard let first = cycle.path.first, first == cycle.members.min() else { return false }
    return cycle.path.last == first
      && zip(cycle.path, cycle.path.dropFirst()).allSatisfy { dependencies[$0].contains($1) }
      && cycle.path.count - 1 == distances[first][first]
  }
}
