/// The rule of the order: workers in, an order out, and what keeps some of them from having a place in it.
///
/// The order is by phase, then by dependencies, then by registration: of those that could come next, the
/// one of the earliest phase comes, and of those the one that was registered first. What others need, or
/// come after if it is there, is moved to the earliest of their phases. A plain value, and the same for
/// the same workers.
package struct LaunchPlanner: Sendable {
  /// What the planner has to know of a worker.
  package struct Worker: Sendable {
    /// The name; `nil` for one that nobody can depend on.
    package let id: LaunchID?
    /// What it asks for.
    package let terms: LaunchTerms

    /// Describes a worker.
    package init(_ id: LaunchID?, _ terms: LaunchTerms = LaunchTerms()) {
      self.id = id
      self.terms = terms
    }
  }

  /// One worker waits for another.
  package struct Edge: Hashable, Sendable {
    /// The worker that is waited for.
    package let target: Int
    /// Whether it has to have finished, not only ended.
    package let isHard: Bool
  }

  /// Why workers cannot be ordered.
  package enum Fault: Hashable, Sendable {
    /// Each waits for the next one; the last one is the first one again.
    case cycle([Int])
    /// Nobody has the name.
    case missing(LaunchID, neededBy: Int)
  }

  /// What became of the workers; they are called by their places in the input.
  package struct Schedule: Sendable {
    /// Those that can run, in order.
    package var order: [Int] = []
    /// The phase in which each worker runs, in order of the input.
    package var phases: [LaunchPhase] = []
    /// For each worker those that it waits for, each once.
    package var waits: [[Edge]] = []
    /// Those that cannot run, and because of which name: one missing, in a cycle, or excluded itself.
    package var excluded: [Int: LaunchID] = [:]
    /// What is wrong: what is missing, in order of the input, and then the cycles.
    package var faults: [Fault] = []

    /// The order in stages: everything in a stage waits only for what is in those before it.
    ///
    /// No stage holds workers of two phases, and each is in order.
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

  /// Puts workers in an order.
  ///
  /// - Parameter workers: The workers, in order of registration. Of several with one name the first counts
  ///   as the one of that name.
  /// - Returns: The order.
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of workers and of dependencies; O(*n*) if there are
  ///   no dependencies.
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

  /// Finds what waits for itself.
  ///
  /// - Returns: All workers, each after those that it waits for unless they are in one cycle.
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

  /// Moves what is waited for to the earliest phase of those that wait for it.
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
