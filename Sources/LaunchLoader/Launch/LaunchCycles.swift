/// The cycles of a directed graph.
///
/// The strongly connected components are found by Tarjan's algorithm (Depth-first search and linear
/// graph algorithms, 1972), without recursion, so that a long chain needs no deep stack.
struct LaunchCycles: Sendable {
  /// The members of a cycle, and a shortest closed path through the lowest of them, whose last node equals
  /// the first.
  typealias Cycle = (members: Set<Int>, path: [Int])

  /// The cycles, in order of their lowest members; each node is in at most one.
  private(set) var cycles: [Cycle] = []
  /// All nodes, each after its targets unless they are in one cycle.
  private(set) var order: [Int] = []

  private let waits: [[Int]]
  private var stack: [Int] = []
  private var isOnStack: [Bool]
  /// The order in which nodes were discovered, from one; zero if undiscovered.
  private var numbers: [Int]
  /// The lowest number that is reachable from each node.
  private var lows: [Int]
  private var lastNumber = 0

  /// Finds the cycles.
  ///
  /// - Parameter waits: The targets of each node.
  /// - Complexity: O(*n* + *e*) in the numbers of nodes and of edges, plus the sorting of the members.
  init(waits: [[Int]]) {
    self.waits = waits
    isOnStack = Array(repeating: false, count: waits.count)
    numbers = Array(repeating: 0, count: waits.count)
    lows = numbers
    order.reserveCapacity(waits.count)
    for node in waits.indices where numbers[node] == 0 { search(from: node) }
    cycles.sort { $0.path[0] < $1.path[0] }
  }

  private mutating func search(from root: Int) {
    var trail: [(node: Int, edge: Int)] = [(root, 0)]
    enter(root)
    while let (node, edge) = trail.last {
      if edge < waits[node].count {
        trail[trail.count - 1].edge += 1
        let target = waits[node][edge]
        if numbers[target] == 0 {
          enter(target)
          trail.append((target, 0))
        } else if isOnStack[target] {
          lows[node] = min(lows[node], numbers[target])
        }
      } else {
        trail.removeLast()
        if let parent = trail.last?.node { lows[parent] = min(lows[parent], lows[node]) }
        if lows[node] == numbers[node] { takeComponent(of: node) }
      }
    }
  }

  private mutating func enter(_ node: Int) {
    lastNumber += 1
    numbers[node] = lastNumber
    lows[node] = lastNumber
    stack.append(node)
    isOnStack[node] = true
  }

  private mutating func takeComponent(of root: Int) {
    var members: [Int] = []
    while let node = stack.popLast() {
      isOnStack[node] = false
      members.append(node)
      if node == root { break }
    }
    order += members
    guard members.count > 1 || waits[root].contains(root) else { return }
    let all = Set(members)
    let first = members.min() ?? root
    cycles.append((all, path(from: first, within: all)))
  }

  /// Returns a shortest path from a node back to itself.
  private func path(from start: Int, within members: Set<Int>) -> [Int] {
    var origins: [Int: Int] = [:]
    var found = [start]
    var next = 0
    while next < found.count {
      let node = found[next]
      next += 1
      for target in waits[node] where members.contains(target) {
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
