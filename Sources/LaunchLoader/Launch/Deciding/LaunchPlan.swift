internal import EventBus

/// The work that a launch would run, in order, without running it.
///
/// ```swift
/// let plan = try LaunchLoader.shared.plan()
/// print(plan)  // the layers, phase by phase
/// for edge in plan.edges { print(edge.from, "before", edge.to) }
/// ```
///
/// ## Thread safety
///
/// A value that may be read on any thread.
public struct LaunchPlan: Sendable {
  /// A dependency between two pieces of work.
  public struct Edge: Hashable, Sendable {
    /// The work that runs first.
    public let from: LaunchID
    /// The work that depends on it, and runs after it.
    public let to: LaunchID
    /// A Boolean value that indicates whether `from` must finish, and not only end, for `to` to run.
    ///
    /// It is `false` for dependencies that were registered with `afterIfPresent:`.
    public let isRequired: Bool
  }

  /// The work in layers, each of which depends only on layers before it.
  ///
  /// No layer contains work of two phases. Within a layer, the work is in the order in which a launch
  /// considers it. A launch does not run layer by layer: work begins as soon as its own dependencies
  /// have ended.
  public let layers: [[LaunchID]]

  /// The phase of each layer.
  package let phases: [LaunchPhase]
  /// The dependencies among the work, for example to draw the plan as a graph.
  ///
  /// Each dependency occurs once, even if it was declared twice. They are in the order of the dependent
  /// work in ``layers``, and then in that of their declaration. Optional dependencies on work that is not
  /// registered are absent, and so is the order of phases.
  public let edges: [Edge]

  /// Plans the work of rows that have taken names.
  ///
  /// - Throws: ``LaunchError`` for the first fault in the dependencies.
  init(_ rows: [LaunchMachine.Row], _ names: [LaunchID: Int]) throws(LaunchError) {
    let plan = LaunchPlanner(rows, names)
    if let problem = plan.problems.first { throw problem }
    let indices = plan.layers
    layers = indices.map { $0.map { rows[$0].id } }
    phases = indices.map { plan.phases[$0[0]] }
    var edges: [Edge] = []
    for row in indices.joined() {
      plan.forEachDependency(of: row) { target, isHard in
        edges.append(Edge(from: rows[target].id, to: rows[row].id, isRequired: isHard))
      }
    }
    self.edges = edges
  }
}

extension LaunchPlan: CustomStringConvertible {
  /// The numbered layers with their phases, in lines of at most 80 characters unless a name is longer.
  public var description: String {
    let count = layers.reduce(0) { $0 + $1.count }
    var lines = [
      "\(count) launch \(count == 1 ? "worker" : "workers")"
        + " in \(layers.count) \(layers.count == 1 ? "layer" : "layers")"
    ]
    for (index, (layer, phase)) in zip(layers, phases).enumerated() {
      var line = "\(index + 1)".padded(to: 4, before: true) + " " + "\(phase)".padded(to: 9)
      for (position, id) in layer.enumerated() {
        let word = id.rawValue.lines.joined(separator: " ")
        let piece = word + (position + 1 < layer.count ? "," : "")
        if line.count + 1 + piece.count > 80, line.count > 14 {
          lines.append(line)
          line = "".padded(to: 14)
        }
        line += " " + piece
      }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }
}

/// The ordering of rows: an order, and the rows that cannot be part of it.
///
/// The order is by phase, then by dependencies, then by registration: of the rows that could come next,
/// one of the earliest phase comes first, and of those the one that was registered first. A dependency,
/// required or optional, moves to the earliest phase of its dependants.
///
/// A plain value and deterministic. Rows are identified by their indices; only waiting rows are planned.
package struct LaunchPlanner: Sendable {
  /// The rows that can run, in order.
  package private(set) var order: [Int] = []
  /// The phase in which each row runs.
  package private(set) var phases: [LaunchPhase]
  /// The rows that cannot run, each with the name responsible: missing, of another type, in a cycle, or
  /// excluded itself.
  package private(set) var excluded: [Int: LaunchID] = [:]
  /// The faults in the dependencies: names that are missing, or that make no value of the type that is
  /// needed, in order of registration; then cycles.
  package private(set) var problems: [LaunchError] = []

  /// The distinct dependencies of each row.
  private var graph = DependencyGraph()
  /// Whether the target of each dependency must finish, not only end, by the index in the graph.
  private var isHard: [Bool] = []

  /// Orders the rows that wait.
  ///
  /// - Parameters:
  ///   - rows: The rows, in order of registration.
  ///   - names: The names that they have taken.
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of rows and of dependencies; O(*n*) without
  ///   dependencies.
  init(_ rows: [LaunchMachine.Row], _ names: [LaunchID: Int]) {
    phases = rows.map(\.phase)
    let waiting = rows.indices.filter { rows[$0].state == .waiting }
    resolveNames(rows, names)
    var included = waiting
    var sorted = graph.order(of: waiting)
    if sorted.count < waiting.count { excludeCycles(rows) }
    if !excluded.isEmpty {
      excludeDependants(rows)
      included.removeAll { excluded[$0] != nil }
      sorted = graph.order(of: included)
    }
    // Moves dependencies to the earliest phase of their dependants.
    for row in sorted.reversed() {
      for target in graph.dependencies(of: row) where phases[target] > phases[row] {
        phases[target] = phases[row]
      }
    }
    order = graph.order(
      of: LaunchPhase.allCases.flatMap { phase in included.filter { phases[$0] == phase } }
    )
    checkInvariants(ofSize: rows.count, _checkInvariants(waiting))
  }

  /// The order in stages, each of which waits only for stages before it.
  ///
  /// No stage contains rows of two phases, and each is in order.
  ///
  /// - Complexity: O(*n* + *e*) in the numbers of rows and of dependencies.
  package var layers: [[Int]] {
    LaunchPhase.allCases.flatMap { phase in graph.layers(of: order.filter { phases[$0] == phase }) }
  }

  /// The number of distinct dependencies of all rows.
  var edgeCount: Int { isHard.count }

  /// Calls a closure with each distinct dependency of a row, and with `true` if it must finish, and otherwise
  /// only end.
  package func forEachDependency(of row: Int, _ body: (_ target: Int, _ isHard: Bool) -> Void) {
    let targets = graph.dependencies(of: row)
    for index in targets.indices { body(targets[index], isHard[index]) }
  }

  /// Stops the program if a waiting row is neither in the order nor excluded, or is not in its place.
  ///
  /// - Complexity: O(*n* + *e*) in the numbers of rows and of dependencies.
  private func _checkInvariants(_ waiting: [Int]) {
    graph._checkInvariants()
    assert((order + excluded.keys).ordered(by: <) == waiting, "a row is lost or occurs twice")
    assert(
      zip(order, order.dropFirst()).allSatisfy { phases[$0] <= phases[$1] },
      "a row comes before one of an earlier phase"
    )
    var planned: Set<Int> = []
    for row in order {
      forEachDependency(of: row) { target, isHard in
        let isLeftOut = !isHard && excluded[target] != nil
        assert(planned.contains(target) || isLeftOut, "a row comes before one it depends on")
      }
      planned.insert(row)
    }
  }

  private mutating func resolveNames(_ rows: [LaunchMachine.Row], _ names: [LaunchID: Int]) {
    // The last row that was found to depend on each row.
    var dependants = Array(repeating: -1, count: rows.count)
    var targets: [Int] = []
    // Prepared for the first name that is missing.
    var known: NameSuggestions?
    func closestName(to id: LaunchID, neededBy row: LaunchMachine.Row) -> LaunchID? {
      if problems.count >= NameSuggestions.launchLimit { return nil }
      let suggestions = known ?? NameSuggestions(rows)
      known = suggestions
      return suggestions.nearest(to: id, neededBy: row)
    }
    for row in rows.indices {
      targets.removeAll(keepingCapacity: true)
      if rows[row].state == .waiting && rows[row].item.hasDependencies {
        var missing: Set<LaunchID> = []
        rows[row].item.forEachDependency { id, isHard in
          if let target = names[id].flatMap(rows.index) {
            guard dependants[target] != row else { return }
            dependants[target] = row
            targets.append(target)
            self.isHard.append(isHard)
          } else if isHard && missing.insert(id).inserted {
            let suggestion = closestName(to: id, neededBy: rows[row])
            problems.append(LaunchError(missing: id, neededBy: rows[row], suggestion: suggestion))
            if excluded[row] == nil { excluded[row] = id }
          }
        }
        for need in rows[row].item.needs {
          guard let index = names[need.name].flatMap(rows.index) else { continue }
          let (made, site) = (rows[index].item.makes, rows[index].item.site)
          guard made != need, missing.insert(need.name).inserted else { continue }
          problems.append(LaunchError(mismatch: need, made, at: site, neededBy: rows[row]))
          if excluded[row] == nil { excluded[row] = need.name }
        }
      }
      graph.add(targets[...])
    }
  }

  private mutating func excludeCycles(_ rows: [LaunchMachine.Row]) {
    for cycle in graph.cycles() {
      problems.append(LaunchError(cycle: cycle.path.map { rows[$0] }))
      for member in cycle.members where excluded[member] == nil {
        let next = graph.dependencies(of: member).first(where: cycle.members.contains)
        excluded[member] = next.flatMap { rows[$0].item.id }
      }
    }
  }

  private mutating func excludeDependants(_ rows: [LaunchMachine.Row]) {
    // Edges of dependencies that have to finish; others exclude nothing.
    var hard = DependencyGraph()
    for row in rows.indices {
      var targets: [Int] = []
      forEachDependency(of: row) { target, isHard in if isHard { targets.append(target) } }
      hard.add(targets[...])
    }
    let dependants = hard.reversed()
    var found = excluded.keys.ordered(by: <)
    var start = 0
    while start < found.count {
      let target = found[start]
      start += 1
      guard let id = rows[target].item.id else { continue }
      for row in dependants.dependencies(of: target) where excluded[row] == nil {
        excluded[row] = id
        found.append(row)
      }
    }
  }
}
