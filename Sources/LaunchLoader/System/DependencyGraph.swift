internal import EventBus

/// A directed graph of nodes that depend on other nodes: an order, layers and cycles.
///
/// A plain value. Nodes are numbered from zero, in the order in which they are added. No member is recursive,
/// so that a long chain needs no deep stack. Complexities are in the numbers *n* of nodes and *e* of edges.
package struct DependencyGraph: Sendable {
  /// The nodes of a cycle, and a shortest closed path through the lowest of them.
  ///
  /// The last node of the path equals the first, and each node depends on the next one.
  package typealias Cycle = (members: Set<Int>, path: [Int])

  /// The index in `targets` of each node's first dependency, followed by the number of targets.
  private var starts = [0]
  private var targets: [Int] = []

  /// Creates a graph without nodes.
  package init() {}

  /// Creates a graph.
  ///
  /// - Parameter dependencies: The dependencies of each node.
  /// - Complexity: O(*n* + *e*).
  package init(_ dependencies: [[Int]]) {
    starts.reserveCapacity(dependencies.count + 1)
    for targets in dependencies { add(targets[...]) }
  }

  /// The number of nodes.
  package var count: Int { starts.count - 1 }

  /// True if any node depends on another one or on itself.
  package var hasEdges: Bool { !targets.isEmpty }

  /// Adds a node.
  ///
  /// - Parameter dependencies: The nodes on which it depends: earlier nodes, itself, or nodes that are added
  ///   before the graph is used.
  /// - Complexity: Amortized O(*d*) in the number of dependencies.
  package mutating func add(_ dependencies: ArraySlice<Int>) {
    for target in dependencies { targets.append(target) }
    starts.append(targets.count)
  }

  /// Returns the nodes on which a node depends, in the order in which they were added.
  ///
  /// - Complexity: O(1).
  package func dependencies(of node: Int) -> ArraySlice<Int> {
    targets[starts[node]..<starts[node + 1]]
  }

  /// Returns the graph in which every edge points in the other direction: from each node to its
  /// dependants, in ascending order.
  ///
  /// - Complexity: O(*n* + *e*).
  package func reversed() -> DependencyGraph {
    var reversed = DependencyGraph()
    reversed.starts = Array(repeating: 0, count: count + 1)
    for target in targets { reversed.starts[target + 1] += 1 }
    for node in 0..<count { reversed.starts[node + 1] += reversed.starts[node] }
    reversed.targets = Array(repeating: 0, count: targets.count)
    var next = reversed.starts
    for node in 0..<count {
      for target in dependencies(of: node) {
        reversed.targets[next[target]] = node
        next[target] += 1
      }
    }
    return reversed
  }

  /// Sorts nodes so that each comes after its dependencies.
  ///
  /// The order is as close to the given one as possible: of the nodes that could come next, the first one
  /// in `nodes` does.
  ///
  /// - Parameter nodes: Different nodes. Dependencies on others are ignored.
  /// - Returns: The nodes in order, without those in cycles and those that depend on them.
  /// - Complexity: O(*n* + *e*), plus O(log *n*) for each node that comes later than in `nodes`.
  package func order(of nodes: [Int]) -> [Int] {
    var positions = Array(repeating: -1, count: count)
    for (position, node) in nodes.enumerated() { positions[node] = position }
    var waiting = Array(repeating: 0, count: count)
    var isInOrder = true
    for node in nodes {
      for target in dependencies(of: node) where positions[target] >= 0 {
        waiting[node] += 1
        if positions[target] >= positions[node] { isInOrder = false }
      }
    }
    guard !isInOrder else { return nodes }
    let dependants = reversed()
    var order: [Int] = []
    order.reserveCapacity(nodes.count)
    // The positions of nodes that were passed while they waited, and no longer wait.
    var delayed = Heap<Int>()
    var next = 0
    while let position = delayed.popFirst() ?? (next < nodes.count ? next : nil) {
      let node = nodes[position]
      if position == next {
        next += 1
        guard waiting[node] == 0 else { continue }
      }
      order.append(node)
      for dependant in dependants.dependencies(of: node) where positions[dependant] >= 0 {
        waiting[dependant] -= 1
        if waiting[dependant] == 0 && positions[dependant] < next {
          delayed.insert(positions[dependant])
        }
      }
    }
    return order
  }

  /// Divides nodes into layers: a node is one layer after the highest layer among its dependencies, or in
  /// the first one.
  ///
  /// - Parameter order: The nodes, each after its dependencies. Dependencies on others are ignored.
  /// - Returns: The layers, each in the order of the nodes.
  /// - Complexity: O(*n* + *e*).
  package func layers(of order: [Int]) -> [[Int]] {
    var layers: [[Int]] = []
    var layerOf = Array(repeating: -1, count: count)
    for node in order {
      let layer = dependencies(of: node).reduce(-1) { max($0, layerOf[$1]) } + 1
      if layer == layers.count { layers.append([]) }
      layers[layer].append(node)
      layerOf[node] = layer
    }
    return layers
  }

  /// Finds the cycles, which are the strongly connected components with an edge.
  ///
  /// - Returns: The cycles, in order of their lowest members; a node is in at most one.
  /// - Complexity: O(*n* + *e*), plus the sorting of the cycles.
  package func cycles() -> [Cycle] {
    components()
      .filter { $0.count > 1 || dependencies(of: $0[0]).contains($0[0]) }
      .ordered { $0[0] < $1[0] }
      .map { component in
        let members = Set(component)
        return (members, path(from: component[0], within: members))
      }
  }

  /// Stops the program if the storage is inconsistent or a node depends on a missing one.
  ///
  /// - Complexity: O(*n* + *e*).
  package func _checkInvariants() {
    assert(starts.first == 0 && starts.last == targets.count, "edges without a node")
    assert(zip(starts, starts.dropFirst()).allSatisfy { $0 <= $1 }, "a negative number of edges")
    assert(targets.allSatisfy { (0..<count).contains($0) }, "a dependency on a missing node")
  }

  /// Returns the strongly connected components, each in ascending order, by Tarjan's algorithm (Depth-first
  /// search and linear graph algorithms, 1972).
  private func components() -> [[Int]] {
    var components: [[Int]] = []
    var stack: [Int] = []
    var isOnStack = Array(repeating: false, count: count)
    // The order in which nodes were discovered, from one; zero if undiscovered.
    var numbers = Array(repeating: 0, count: count)
    // The lowest number that is reachable from each node.
    var lows = numbers
    var lastNumber = 0
    // The nodes from the root to the current one, each with the dependencies that have not been followed.
    var trail: [(node: Int, untried: ArraySlice<Int>)] = []
    func enter(_ node: Int) {
      lastNumber += 1
      (numbers[node], lows[node]) = (lastNumber, lastNumber)
      stack.append(node)
      isOnStack[node] = true
      trail.append((node, dependencies(of: node)))
    }
    for root in 0..<count where numbers[root] == 0 {
      enter(root)
      while let (node, untried) = trail.popLast() {
        if let target = untried.first {
          trail.append((node, untried.dropFirst()))
          if numbers[target] == 0 {
            enter(target)
          } else if isOnStack[target] {
            lows[node] = min(lows[node], numbers[target])
          }
          continue
        }
        if let (parent, _) = trail.last { lows[parent] = min(lows[parent], lows[node]) }
        guard lows[node] == numbers[node], let start = stack.lastIndex(of: node) else { continue }
        for member in stack[start...] { isOnStack[member] = false }
        components.append(stack[start...].ordered(by: <))
        stack.removeSubrange(start...)
      }
    }
    return components
  }

  /// Returns a shortest path from a node of a cycle back to itself.
  private func path(from start: Int, within members: Set<Int>) -> [Int] {
    var origins: [Int: Int] = [:]
    var found = [start]
    var next = 0
    while next < found.count {
      let node = found[next]
      next += 1
      for target in dependencies(of: node) where members.contains(target) {
        if target == start {
          var path = [start, node]
          while let last = path.last, last != start, let origin = origins[last] {
            path.append(origin)
          }
          return node == start ? [start, start] : path.reversed()
        }
        guard origins[target] == nil else { continue }
        origins[target] = node
        found.append(target)
      }
    }
    return [start, start]
  }
}
