/// Who starts, and when.
extension ServiceMachine {
  /// Gives every service its layer and those it waits for.
  mutating func order(_ ids: [ID]) throws(ServiceError) {
    let graph = try ServiceGraph(
      ids.compactMap { id in records[id].map { ($0.name, $0.options.after) } }
    )
    isChain = graph.isChain
    lastLayer = ids.count - 1
    lastID = ids.last
    for id in ids {
      records[id]?.layer = graph.layers[id]
      records[id]?.blockers = graph.dependencies[id].count
      for dependency in graph.dependencies[id] { records[dependency]?.dependants.append(id) }
      if graph.dependencies[id].isEmpty { mayStart(id) }
    }
  }

  /// Gives a newcomer its layer and those it waits for.
  mutating func link(
    _ record: inout ServiceRecord<Handle>,
    _ id: ID
  ) throws(ServiceError) {
    if record.options.after.contains(record.name) {
      throw ServiceError(.cycle([record.name, record.name]))
    }
    var dependencies: [ID] = []
    for name in record.options.after {
      guard let dependency = names[name] else {
        throw ServiceError(.unknown(name, neededBy: record.name))
      }
      dependencies.append(dependency)
    }
    if isChain {
      // It comes after all others already; what it names is among them.
      dependencies = lastID.map { [$0] } ?? []
      lastLayer += 1
      lastID = id
      record.layer = lastLayer
    }
    for dependency in dependencies {
      guard let other = records[dependency] else { continue }
      if !isChain { record.layer = max(record.layer, other.layer + 1) }
      if other.isSatisfied { continue }
      record.blockers += 1
      records[dependency]?.dependants.append(id)
    }
  }

  mutating func mayStart(_ id: ID) {
    startable.insert(id)
    if isStarting { return }
    isStarting = true
    actions.append(.startServices)
  }

  /// Records that the `run` of a service has suspended or returned, or is waited for no longer.
  mutating func start(_ id: ID) {
    guard records[id] != nil else { return }
    records[id]?.hasStarted = true
    satisfy(id)
  }

  /// Lets those start that waited for nobody but this service, if that may be.
  mutating func satisfy(_ id: ID) {
    guard let record = records[id], record.satisfies, !record.isSatisfied else { return }
    records[id]?.isSatisfied = true
    records[id]?.dependants = []
    unsatisfied -= 1
    if record.options.startTimeout != nil { actions.append(.disarm(id, .start)) }
    for dependant in record.dependants {
      guard let blockers = records[dependant]?.blockers else { continue }
      records[dependant]?.blockers = blockers - 1
      if blockers == 1 { mayStart(dependant) }
    }
    announceStart()
  }

  mutating func announceStart() {
    guard unsatisfied == 0, wish == nil, stage == .running, !hasAnnouncedStart else { return }
    hasAnnouncedStart = true
    announce(.started)
  }
}

/// What the rule knows of one service that has not ended.
struct ServiceRecord<Handle: Sendable>: Sendable {
  /// How far a service has come.
  enum Phase: Sendable {
    /// It waits for others, or for its turn.
    case waiting
    /// Its `run` has been, or is being, entered.
    case running
    /// It was told to stop.
    case stopping
    /// It was told to stop and cancelled.
    case cancelled
  }

  /// What the shell knows it by.
  let handle: Handle
  /// Its name.
  let name: String
  /// How it gets on with the others.
  let options: ServiceOptions
  /// How far it has come.
  var phase = Phase.waiting
  /// Its layer: those of higher layers are stopped before it.
  var layer = 0
  /// How many services it waits for.
  var blockers = 0
  /// Those that wait for it.
  var dependants: [Int] = []
  /// Whether its `run` was entered and has suspended or returned.
  var hasStarted = false
  /// Whether it said that it is ready.
  var isReady = false
  /// Whether those that wait for it have been told.
  var isSatisfied = false
  /// Whether the layer that is being stopped waits for it.
  var holdsLayer = false

  /// Whether those that wait for it may start.
  var satisfies: Bool { hasStarted && (isReady || !options.waitsForReady) }

  /// Whether its end now would be a start that failed.
  var failsToStart: Bool { options.waitsForReady && !isReady && phase == .running }
}
