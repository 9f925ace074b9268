/// The ordering of workers: computes an order, and the workers that cannot be part of it.
///
/// The order is by phase, then by dependencies, then by registration: of the workers that could come
/// next, one of the earliest phase comes first, and of those the one that was registered first. A
/// dependency, required or optional, moves to the earliest phase of its dependants. A plain value and
/// deterministic.
package struct LaunchPlanner: Sendable {
  /// The properties of a worker that the planner needs.
  package struct Worker: Sendable {
    /// The name; `nil` for a worker on which no other can depend.
    package let id: LaunchID?
    /// The requirements of the worker.
    package let terms: LaunchTerms

    /// Creates a description of a worker.
    package init(_ id: LaunchID?, _ terms: LaunchTerms = LaunchTerms()) {
      self.id = id
      self.terms = terms
    }
  }

  /// A dependency of one worker on another.
  package struct Edge: Hashable, Sendable {
    /// The worker that must come first.
    package let target: Int
    /// A Boolean value that indicates whether the target must finish, not only end.
    package let isHard: Bool
  }

  /// A reason why workers cannot be ordered.
  package enum Fault: Hashable, Sendable {
    /// A closed path: each worker waits for the next one, and the last equals the first.
    case cycle([Int])
    /// A name that is needed but not registered.
    case missing(LaunchID, neededBy: Int)
  }

  /// The result of planning; workers are identified by their positions in the input.
  package struct Schedule: Sendable {
    /// The workers that can run, in order.
    package var order: [Int] = []
    /// The phase in which each worker runs, in the order of the input.
    package var phases: [LaunchPhase] = []
    /// The distinct dependencies of each worker.
    package var waits: [[Edge]] = []
    /// The workers that cannot run, each with the name responsible: missing, in a cycle, or excluded
    /// itself.
    package var excluded: [Int: LaunchID] = [:]
    /// The faults: missing names in the order of the input, then cycles.
    package var faults: [Fault] = []

    /// The order in stages, each of which waits only for stages before it.
    ///
    /// No stage contains workers of two phases, and each is in order.
    ///
    /// - Complexity: O(*n* + *e*) in the numbers of workers and of dependencies.
    package var layers: [[Int]] {
      var layers: [[Int]] = []
      var layerOf = Array(repeating: 0, count: phases.count)
      var phase: LaunchPhase?
      var start = 0
      for place in order {
        if phases[place] != phase {
          phase = phases[place]
          start = layers.count
        }
        let layer = waits[place].reduce(start) { max($0, layerOf[$1.target] + 1) }
        if layer == layers.count { layers.append([]) }
        layers[layer].append(place)
        layerOf[place] = layer
      }
      return layers
    }
  }

  private let workers: [Worker]
  private var schedule = Schedule()

  /// Orders workers.
  ///
  /// - Parameter workers: The workers, in order of registration. If several have one name, the name
  ///   refers to the first.
  /// - Returns: The order.
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of workers and of dependencies; O(*n*) without
  ///   dependencies.
  package static func plan(_ workers: [Worker]) -> Schedule {
    var planner = LaunchPlanner(workers)
    planner.resolveNames()
    let components = planner.excludeCycles()
    planner.excludeDependants()
    planner.moveDependencies(components)
    planner.sort()
    return planner.schedule
  }

  private init(_ workers: [Worker]) {
    self.workers = workers
    schedule.phases = workers.map(\.terms.phase)
    schedule.waits = Array(repeating: [], count: workers.count)
  }

  private mutating func resolveNames() {
    guard workers.contains(where: { $0.terms.hasDependencies }) else { return }
    var places: [LaunchID: Int] = Dictionary(minimumCapacity: workers.count)
    for (place, worker) in workers.enumerated() {
      if let id = worker.id, places[id] == nil { places[id] = place }
    }
    for (place, worker) in workers.enumerated() where worker.terms.hasDependencies {
      schedule.waits[place] = edges(of: worker, at: place, places)
    }
  }

  private mutating func edges(
    of worker: Worker,
    at place: Int,
    _ places: [LaunchID: Int]
  ) -> [Edge] {
    var edges: [Edge] = []
    var known: Set<Int> = []
    var missing: Set<LaunchID> = []
    for id in worker.terms.after {
      if let target = places[id] {
        if known.insert(target).inserted { edges.append(Edge(target: target, isHard: true)) }
      } else if missing.insert(id).inserted {
        schedule.faults.append(.missing(id, neededBy: place))
        if schedule.excluded[place] == nil { schedule.excluded[place] = id }
      }
    }
    for id in worker.terms.afterIfPresent {
      guard let target = places[id], known.insert(target).inserted else { continue }
      edges.append(Edge(target: target, isHard: false))
    }
    return edges
  }

  /// Excludes the members of cycles.
  ///
  /// - Returns: All workers, each after its dependencies unless they are in one cycle.
  private mutating func excludeCycles() -> [Int] {
    guard schedule.waits.contains(where: { !$0.isEmpty }) else { return Array(workers.indices) }
    let graph = LaunchCycles(waits: schedule.waits.map { $0.map(\.target) })
    for cycle in graph.cycles {
      schedule.faults.append(.cycle(cycle.path))
      for member in cycle.members {
        let next = schedule.waits[member].first { cycle.members.contains($0.target) }
        if schedule.excluded[member] == nil {
          schedule.excluded[member] = next.flatMap { workers[$0.target].id }
        }
      }
    }
    return graph.order
  }

  private mutating func excludeDependants() {
    guard !schedule.excluded.isEmpty else { return }
    var dependants: [Int: [Int]] = [:]
    for place in workers.indices {
      for edge in schedule.waits[place] where edge.isHard {
        dependants[edge.target, default: []].append(place)
      }
    }
    var found = schedule.excluded.keys.sorted()
    var start = 0
    while start < found.count {
      defer { start += 1 }
      guard let id = workers[found[start]].id else { continue }
      for place in dependants[found[start]] ?? [] where schedule.excluded[place] == nil {
        schedule.excluded[place] = id
        found.append(place)
      }
    }
  }

  /// Moves dependencies to the earliest phase of their dependants.
  ///
  /// - Parameter order: All workers, dependencies first.
  private mutating func moveDependencies(_ order: [Int]) {
    for place in order.reversed() where schedule.excluded[place] == nil {
      let phase = schedule.phases[place]
      for edge in schedule.waits[place] where schedule.phases[edge.target] > phase {
        schedule.phases[edge.target] = phase
      }
    }
  }

  private mutating func sort() {
    var dependants: [[Int]] = Array(repeating: [], count: workers.count)
    var waiting = Array(repeating: 0, count: workers.count)
    for place in workers.indices where schedule.excluded[place] == nil {
      for edge in schedule.waits[place] where schedule.excluded[edge.target] == nil {
        dependants[edge.target].append(place)
        waiting[place] += 1
      }
    }
    var ready = Array(repeating: LaunchQueue(), count: LaunchPhase.allCases.count)
    for place in workers.indices where waiting[place] == 0 && schedule.excluded[place] == nil {
      ready[schedule.phases[place].index].insert(LaunchTurn(rank: place, place: place))
    }
    schedule.order.reserveCapacity(workers.count)
    for phase in LaunchPhase.allCases {
      while let turn = ready[phase.index].removeFirst() {
        schedule.order.append(turn.place)
        for place in dependants[turn.place] {
          waiting[place] -= 1
          guard waiting[place] == 0 else { continue }
          ready[schedule.phases[place].index].insert(LaunchTurn(rank: place, place: place))
        }
      }
    }
  }
}
