/// The start of services.
extension ServiceMachine {
  /// Assigns every service its layer and its dependencies.
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

  /// Assigns a service that is added during the run its layer and its dependencies.
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
      // The new service follows all others, which include those that it names.
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

  /// Records that the `run` of a service has suspended or returned, or is no longer waited for.
  mutating func start(_ id: ID) {
    guard records[id] != nil else { return }
    records[id]?.hasStarted = true
    satisfy(id)
  }

  /// Unblocks the dependants of a service, if it satisfies them.
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

/// The state of a service that has not ended.
struct ServiceRecord<Handle: Sendable>: Sendable {
  /// The progress of a service.
  enum Phase: Sendable {
    /// Waiting for dependencies or for its turn.
    case waiting
    /// The `run` method was entered or is being entered.
    case running
    /// Asked to stop.
    case stopping
    /// Asked to stop and cancelled.
    case cancelled
  }

  /// The handle that the caller passed for the service.
  let handle: Handle
  let name: String
  let options: ServiceOptions
  var phase = Phase.waiting
  /// The layer; services in higher layers stop earlier.
  var layer = 0
  /// The number of unsatisfied dependencies.
  var blockers = 0
  /// The services that wait for this one.
  var dependants: [Int] = []
  /// Indicates that `run` was entered and has suspended or returned.
  var hasStarted = false
  /// Indicates that the service called `ready()`.
  var isReady = false
  /// Indicates that the dependants were unblocked.
  var isSatisfied = false
  /// Indicates that the layer being stopped waits for this service.
  var holdsLayer = false

  /// A Boolean value that indicates whether the dependants may start.
  var satisfies: Bool { hasStarted && (isReady || !options.waitsForReady) }

  /// A Boolean value that indicates whether ending now would be a failed start.
  var failsToStart: Bool { options.waitsForReady && !isReady && phase == .running }
}
