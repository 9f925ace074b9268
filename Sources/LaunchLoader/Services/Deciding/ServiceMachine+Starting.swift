internal import EventBus

/// The start of services.
extension ServiceMachine {
  /// Adds a service.
  ///
  /// During the run, the service starts as soon as its order permits.
  ///
  /// - Parameters:
  ///   - handle: The service.
  ///   - name: Its name.
  ///   - isNumbered: Whether the name gets a number if it is taken.
  ///   - options: Its options.
  /// - Returns: The identifier of the service.
  /// - Throws: ``AppServiceError`` with the code `stopped`, `duplicate`, or, during the run, `unknown` or
  ///   `cycle`.
  /// - Complexity: O(1), and O(log *n*) during the run.
  package mutating func add(
    _ handle: Handle,
    name: String,
    isNumbered: Bool = false,
    _ options: AppServiceOptions
  ) throws(AppServiceError) -> ID {
    if isStopRequested { throw AppServiceError(.stopped(name)) }
    let name = isNumbered ? roster.freeName(name) : name
    if hasBegun {
      guard roster.id(of: name) == nil else { throw AppServiceError(.duplicate(name)) }
      if options.after.contains(name) { throw AppServiceError(.cycle([name, name])) }
      _ = try dependencies(of: name, options)
    }
    guard let id = roster.append(handle, name, options) else {
      throw AppServiceError(.duplicate(name))
    }
    if case .starting(let count) = stage { stage = .starting(unsatisfied: count + 1) }
    if hasBegun { link(id) }
    return id
  }

  /// Starts the run: services without dependencies may start.
  ///
  /// An impossible order makes the run fail immediately.
  ///
  /// - Complexity: O(*n* log *n* + *e*) in the number of services and edges.
  package mutating func begin() {
    _ = claim()
    guard case .launching(let request) = stage else { return }
    if let request { return announceStop(request) }
    stage = .starting(unsatisfied: roster.count)
    do throws(AppServiceError) {
      for id in try startOrder() { link(id) }
    } catch {
      return fail(error)
    }
    if roster.count > 0 { return }
    announceStart()
    if endsWhenEmpty { shutdown() }
  }

  /// Records that the service taken last has suspended, and takes the next one.
  ///
  /// - Parameters:
  ///   - previous: The service taken before.
  ///   - turn: The turn of the caller. Another turn may have replaced it; see ``passOver(_:in:)``.
  /// - Returns: The service to start, or `nil` if none may start now.
  package mutating func takeStart(after previous: ID?, in turn: Int) -> (id: ID, handle: Handle)? {
    if let previous { start(previous) }
    guard self.turn?.number == turn else { return nil }
    guard let id = startable.popFirst(), let index = roster.index(of: id),
      let handle = roster.handles[index]
    else {
      self.turn = nil
      return nil
    }
    self.turn?.service = id
    report(.starting, at: index)
    if let timeout = roster[index].options.startTimeout {
      actions.append(.arm(id, .start, timeout))
      if !roster[index].options.reportsReadiness { sayWhatIsLimited(roster[index]) }
    }
    return (id, handle)
  }

  /// Stops waiting for the first suspension of the service taken last, if it is the given one, so that other
  /// services can start while it computes.
  ///
  /// Services that name it still wait for its first suspension. In a chain no service names another, so none
  /// waits.
  ///
  /// - Returns: The service taken last; `nil` if it is passed over, or the turn has ended.
  package mutating func passOver(_ id: ID?, in turn: Int) -> ID? {
    guard let current = self.turn, current.number == turn, let entering = current.service else {
      return nil
    }
    if entering != id { return entering }
    self.turn = nil
    if roster.index(of: entering).map({ roster[$0].dependants.isEmpty }) ?? true { start(entering) }
    startNext()
    return nil
  }

  /// Records that a service is ready.
  package mutating func ready(_ id: ID) {
    guard let index = roster.index(of: id), !roster[index].isSatisfied else { return }
    roster[index].isReady = true
    unblockDependants(of: index)
  }

  /// Records that the `run` of a service has suspended or returned, or is no longer waited for.
  mutating func start(_ id: ID) {
    guard let index = roster.index(of: id), !roster[index].isSatisfied else { return }
    roster[index].hasStarted = true
    unblockDependants(of: index)
  }

  /// Returns the services, each after those that it names.
  private mutating func startOrder() throws(AppServiceError) -> [ID] {
    isChain = roster.records.allSatisfy { $0.options.after.isEmpty }
    let ids = Array(roster.records.indices)
    if isChain { return ids }
    var graph = DependencyGraph()
    for record in roster.records {
      graph.add(try dependencies(of: record.name, record.options)[...])
    }
    let order = graph.order(of: ids)
    if order.count < ids.count, let cycle = graph.cycles().first {
      throw AppServiceError(.cycle(cycle.path.map { roster[$0].name }))
    }
    return order
  }

  /// Returns the services that a service names.
  private func dependencies(
    of name: String,
    _ options: AppServiceOptions
  ) throws(AppServiceError) -> [ID] {
    try options.after.map { other throws(AppServiceError) in
      if let id = roster.id(of: other) { return id }
      let others = NameSuggestions(roster.living.map(\.name).filter { $0 != name })
      let suggestion = others.nearest(to: other)
      throw AppServiceError(.unknown(other, neededBy: name), suggestion: suggestion)
    }
  }

  /// Assigns a service its layer and the dependencies that it waits for.
  private mutating func link(_ id: ID) {
    guard let index = roster.index(of: id) else { return }
    if isChain {
      // A service follows all others, which include those that a later one may name.
      roster[index].layer = id
      if let previous = roster.index(of: id - 1), !roster[previous].isSatisfied {
        roster[index].blockers = 1
      }
    }
    for name in isChain ? [] : roster[index].options.after {
      guard let dependency = roster.id(of: name).flatMap(roster.index) else { continue }
      roster[index].layer = max(roster[index].layer, roster[dependency].layer + 1)
      if roster[dependency].isSatisfied { continue }
      roster[index].blockers += 1
      roster[dependency].dependants.append(id)
    }
    if roster[index].blockers == 0 { mayStart(id) }
  }

  private mutating func mayStart(_ id: ID) {
    startable.insert(id)
    startNext()
  }

  /// Begins a turn of taking services to start, unless one is in progress.
  private mutating func startNext() {
    if turn != nil || startable.isEmpty { return }
    turnCount += 1
    turn = Turn(number: turnCount)
    actions.append(.startServices(turn: turnCount))
  }

  /// Permits the dependants of a service to start, if it is satisfied now.
  private mutating func unblockDependants(of index: Int) {
    guard roster[index].isSatisfied else { return }
    if roster[index].isRunning { report(.ready, at: index) }
    if roster[index].options.startTimeout != nil {
      actions.append(.disarm(roster[index].id, .start))
    }
    if isChain {
      unblock(roster[index].id + 1)
    } else {
      let dependants = roster[index].dependants
      roster[index].dependants = []
      for dependant in dependants { unblock(dependant) }
    }
    guard case .starting(let count) = stage else { return }
    if count == 1 { announceStart() } else { stage = .starting(unsatisfied: count - 1) }
  }

  private mutating func unblock(_ id: ID) {
    guard let index = roster.index(of: id) else { return }
    roster[index].blockers -= 1
    if roster[index].blockers == 0 { mayStart(id) }
  }

  /// Returns the services that wait for one that is not satisfied.
  func dependants(of record: ServiceRecord) -> [ID] {
    isChain ? [record.id + 1] : record.dependants
  }

  /// Says what the start limit of a service means that does not report its readiness.
  private mutating func sayWhatIsLimited(_ record: ServiceRecord) {
    let name = fullName(record.name)
    let text =
      "service \"\(name)\" has a startTimeout without reportsReadiness, so it limits only the time to the first"
      + " suspension of run: set reportsReadiness, and call markReady(), or remove the limit"
    actions.append(.say(AppHostMessage(text, services: [name])))
  }

  private mutating func announceStart() {
    stage = .running
    announce(.started)
  }
}
