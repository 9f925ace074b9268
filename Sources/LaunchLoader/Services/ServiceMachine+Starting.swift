internal import EventBus

/// The start of services.
extension ServiceMachine {
  /// Adds a service.
  ///
  /// During the run, the service starts as soon as its order permits.
  ///
  /// - Returns: The identifier of the service.
  /// - Throws: ``ServiceError`` with the code `stopping`, `duplicate`, or, during the run, `unknown` or
  ///   `cycle`.
  /// - Complexity: O(1), and O(log *n*) during the run.
  package mutating func add(
    _ handle: Handle,
    name: String,
    _ options: ServiceOptions
  ) throws(ServiceError) -> ID {
    guard requested == nil else { throw ServiceError(.stopping(name)) }
    guard names[name] == nil else { throw ServiceError(.duplicate(name)) }
    let record = Record(handle: handle, name: name, options: options)
    if stage != .collecting {
      if options.after.contains(name) { throw ServiceError(.cycle([name, name])) }
      _ = try dependencies(of: record)
    }
    let id = nextID
    nextID += 1
    unsatisfied += 1
    names[name] = id
    records[id] = record
    if stage != .collecting { link(id) }
    return id
  }

  /// Starts the run: services without dependencies may start.
  ///
  /// An impossible order makes the run fail immediately.
  ///
  /// - Complexity: O(*n* log *n* + *e*) in the number of services and edges.
  package mutating func begin() {
    guard stage == .collecting else { return }
    stage = .starting
    _ = claim()
    if requested != nil { return carryOutRequest(isFirst: true) }
    do throws(ServiceError) {
      for id in try startOrder() { link(id) }
      announceStart()
    } catch {
      fail(error)
    }
  }

  /// Records that the service taken last has suspended, and takes the next one.
  ///
  /// - Parameters:
  ///   - previous: The service taken before.
  ///   - turn: The turn of the caller. Another turn may have replaced it; see ``passOver(_:in:)``.
  /// - Returns: The service to start, or `nil` if none may start now.
  package mutating func takeStart(
    after previous: ID?,
    in turn: Int
  ) -> (id: ID, handle: Handle)? {
    if let previous { start(previous) }
    guard isStarting, turn == self.turn else { return nil }
    entering = startable.popFirst()
    guard let id = entering, var record = records[id] else {
      isStarting = false
      return nil
    }
    record = report(.starting, of: record)
    record.phase = .running
    records[id] = record
    if let timeout = record.options.startTimeout { actions.append(.arm(id, .start, timeout)) }
    return (id, record.handle)
  }

  /// Stops waiting for the first suspension of the service taken last, if it is the given one, so that other
  /// services can start while it computes.
  ///
  /// Services that name it still wait for its first suspension. In a chain no service names another, so none
  /// waits.
  ///
  /// - Returns: The service taken last; `nil` if it is passed over, or the turn has ended.
  package mutating func passOver(_ id: ID?, in turn: Int) -> ID? {
    guard isStarting, turn == self.turn, let entering else { return nil }
    if entering != id { return entering }
    isStarting = false
    if isChain || records[entering]?.dependants.isEmpty ?? true { start(entering) }
    startNext()
    return nil
  }

  /// Records that a service is ready.
  package mutating func ready(_ id: ID) {
    satisfy(id) { $0.isReady = true }
  }

  /// Returns the services, each after those that it names.
  private mutating func startOrder() throws(ServiceError) -> [ID] {
    isChain = records.values.allSatisfy(\.options.after.isEmpty)
    let ids = Array(0..<nextID)
    if isChain { return ids }
    let services = ids.compactMap { records[$0] }
    var graph = DependencyGraph()
    for service in services { graph.add(try dependencies(of: service)[...]) }
    let order = graph.order(of: ids)
    if order.count < ids.count, let cycle = graph.cycles().first {
      throw ServiceError(.cycle(cycle.path.map { services[$0].name }))
    }
    return order
  }

  /// Returns the services that a service names.
  private func dependencies(of record: Record) throws(ServiceError) -> [ID] {
    try record.options.after.map { name throws(ServiceError) in
      guard let id = names[name] else {
        throw ServiceError(.unknown(name, neededBy: record.name))
      }
      return id
    }
  }

  /// Assigns a service its layer and the dependencies that it waits for.
  private mutating func link(_ id: ID) {
    guard let after = records[id]?.options.after else { return }
    // In a chain, a service follows all others, which include those that a later one may name.
    let dependencies = isChain ? [id - 1] : after.compactMap { names[$0] }
    var (layer, blockers) = (isChain ? id : 0, 0)
    for dependency in dependencies {
      guard let other = records[dependency] else { continue }
      layer = max(layer, other.layer + 1)
      if other.isSatisfied { continue }
      blockers += 1
      records[dependency]?.dependants.append(id)
    }
    records[id]?.layer = layer
    records[id]?.blockers = blockers
    if blockers == 0 { mayStart(id) }
  }

  private mutating func mayStart(_ id: ID) {
    startable.insert(id)
    startNext()
  }

  /// Begins a turn of taking services to start, unless one is in progress.
  private mutating func startNext() {
    if isStarting || startable.isEmpty { return }
    isStarting = true
    turn += 1
    actions.append(.startServices(turn: turn))
  }

  /// Records that the `run` of a service has suspended or returned, or is no longer waited for.
  mutating func start(_ id: ID) {
    satisfy(id) { $0.hasStarted = true }
  }

  /// Changes a service that is not satisfied, and unblocks its dependants if it is satisfied then.
  private mutating func satisfy(_ id: ID, _ change: (inout Record) -> Void) {
    guard var record = records[id], !record.isSatisfied else { return }
    change(&record)
    let dependants = record.dependants
    if record.isSatisfied {
      record.dependants = []
      if record.phase == .running { record = report(.ready, of: record) }
    }
    records[id] = record
    guard record.isSatisfied else { return }
    unsatisfied -= 1
    if record.options.startTimeout != nil { actions.append(.disarm(id, .start)) }
    for dependant in dependants {
      guard let blockers = records[dependant]?.blockers else { continue }
      records[dependant]?.blockers = blockers - 1
      if blockers == 1 { mayStart(dependant) }
    }
    announceStart()
  }

  private mutating func announceStart() {
    guard unsatisfied == 0, requested == nil, stage == .starting else { return }
    stage = .running
    announce(.started)
  }
}
