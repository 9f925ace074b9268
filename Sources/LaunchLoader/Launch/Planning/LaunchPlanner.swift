internal import EventBus

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

  /// Orders rows of their own, which have taken no names yet.
  ///
  /// - Parameter rows: The rows, in order of registration. Of several with one name, the first counts.
  package init(_ rows: [LaunchRow]) {
    var names = LaunchNames()
    for row in rows {
      if let id = row.registration.id { _ = names.take(id, for: row.number) }
    }
    self.init(rows, names)
  }

  /// Orders the rows that wait.
  ///
  /// - Parameters:
  ///   - rows: The rows, in order of registration.
  ///   - names: The names that they have taken.
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of rows and of dependencies; O(*n*) without
  ///   dependencies.
  init(_ rows: [LaunchRow], _ names: LaunchNames) {
    phases = rows.indices.map { rows[$0].phase }
    let waiting = rows.indices.filter { rows[$0].isWaiting }
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

  private mutating func resolveNames(_ rows: [LaunchRow], _ names: LaunchNames) {
    // The last row that was found to depend on each row.
    var dependants = Array(repeating: -1, count: rows.count)
    var targets: [Int] = []
    // Prepared for the first name that is missing.
    var known: NameSuggestions?
    func closestName(to id: LaunchID, neededBy row: LaunchRow) -> LaunchID? {
      if problems.count >= NameSuggestions.launchLimit { return nil }
      let suggestions = known ?? names.suggestions
      known = suggestions
      return suggestions.nearest(to: id, neededBy: row)
    }
    for row in rows.indices {
      targets.removeAll(keepingCapacity: true)
      if rows[row].isWaiting && rows[row].registration.hasDependencies {
        var missing: Set<LaunchID> = []
        rows[row].registration.forEachDependency { id, isHard in
          if let target = names.row(of: id).flatMap(rows.index) {
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
        for need in rows[row].registration.needs {
          guard let index = names.row(of: need.name).flatMap(rows.index) else { continue }
          let (made, site) = (rows[index].registration.makes, rows[index].registration.site)
          guard made != need, missing.insert(need.name).inserted else { continue }
          problems.append(LaunchError(mismatch: need, made, at: site, neededBy: rows[row]))
          if excluded[row] == nil { excluded[row] = need.name }
        }
      }
      graph.add(targets[...])
    }
  }

  private mutating func excludeCycles(_ rows: [LaunchRow]) {
    for cycle in graph.cycles() {
      problems.append(LaunchError(cycle: cycle.path.map { rows[$0] }))
      for member in cycle.members where excluded[member] == nil {
        let next = graph.dependencies(of: member).first(where: cycle.members.contains)
        excluded[member] = next.flatMap { rows[$0].registration.id }
      }
    }
  }

  private mutating func excludeDependants(_ rows: [LaunchRow]) {
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
      guard let id = rows[target].registration.id else { continue }
      for row in dependants.dependencies(of: target) where excluded[row] == nil {
        excluded[row] = id
        found.append(row)
      }
    }
  }
}
