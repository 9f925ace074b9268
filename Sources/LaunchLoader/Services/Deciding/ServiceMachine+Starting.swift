internal import EventBus

/// The start of services.
extension ServiceMachine {
  /// Starts the run: services without dependencies may start.
  ///
  /// An impossible order makes the run fail immediately.
  ///
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of services and of dependencies.
  package mutating func begin() {
    _ = claim()
    guard case .launching(let request) = stage else { return }
    stage = .running
    unstarted = table.count
    if let request { return announceStop(request) }
    do throws(AppServiceError) {
      for id in try startOrder() { link(id) }
    } catch {
      return fail(error)
    }
    for id in table.ids() { startIfFree(id) }
    announceIfStarted()
    if endsWhenEmpty && table.count == 0 { shutdown() }
  }

  /// Adds a service.
  ///
  /// During the run, the service starts as soon as its order permits.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - isNumbered: Whether the name gets a number if it is taken.
  ///   - options: Its options.
  /// - Returns: The identifier of the service.
  /// - Throws: ``AppServiceError`` with the code `stopped`, `duplicate`, or, during the run, `unknown` or
  ///   `cycle`.
  /// - Complexity: O(1), and O(log *n*) during the run.
  package mutating func add(
    _ name: String,
    isNumbered: Bool = false,
    _ options: AppServiceOptions
  ) throws(AppServiceError) -> ID {
    if isStopRequested { throw AppServiceError(.stopped(name)) }
    let name = isNumbered ? table.freeName(name) : name
    if hasBegun {
      guard table.id(of: name) == nil else { throw AppServiceError(.duplicate(name)) }
      if options.after.contains(name) { throw AppServiceError(.cycle([name, name])) }
      _ = try dependencies(of: name, options)
    }
    guard let id = table.append(name, options) else { throw AppServiceError(.duplicate(name)) }
    if hasBegun {
      unstarted += 1
      link(id)
      startIfFree(id)
    }
    return id
  }

  /// Records that the task of a service runs, and is about to enter its `run`.
  package mutating func entered(_ id: ID, attempt: Int) {
    guard let index = table.index(of: id, attempt: attempt), !table[index].options.reportsReadiness
    else { return }
    becomeReady(index)
  }

  /// Records that a service is ready.
  package mutating func ready(_ id: ID, attempt: Int) {
    guard let index = table.index(of: id, attempt: attempt) else { return }
    becomeReady(index)
  }

  /// Records that a service is not ready for a while.
  package mutating func unready(_ id: ID, attempt: Int) {
    guard let index = table.index(of: id, attempt: attempt), table[index].state == .ready else {
      return
    }
    enter(.unready, index)
  }

  /// Records that a service has started and, if it reports that, is ready.
  mutating func becomeReady(_ index: Int) {
    if !table[index].isRunning || table[index].state == .ready { return }
    enter(.ready, index)
    satisfy(index)
  }

  /// Returns the services, each after those that it names.
  private mutating func startOrder() throws(AppServiceError) -> [ID] {
    isChain = table.records.allSatisfy { $0.options.after.isEmpty }
    let ids = Array(table.records.indices)
    if isChain { return ids }
    var graph = DependencyGraph()
    for record in table.records {
      graph.add(try dependencies(of: record.name, record.options)[...])
    }
    let order = graph.order(of: ids)
    if order.count < ids.count, let cycle = graph.cycles().first {
      throw AppServiceError(.cycle(cycle.path.map { table[$0].name }))
    }
    return order
  }

  /// Returns the services that a service names.
  private func dependencies(
    of name: String,
    _ options: AppServiceOptions
  ) throws(AppServiceError) -> [ID] {
    try options.after.map { other throws(AppServiceError) in
      if let id = table.id(of: other) { return id }
      let others = NameSuggestions(table.living.map(\.name).filter { $0 != name })
      let suggestion = others.nearest(to: other)
      throw AppServiceError(.unknown(other, neededBy: name), suggestion: suggestion)
    }
  }

  /// Assigns a service its layer and the dependencies that it waits for.
  private mutating func link(_ id: ID) {
    guard let index = table.index(of: id) else { return }
    var dependencies = table[index].options.after.compactMap { table.id(of: $0) }
    if isChain {
      dependencies.append(id - 1)
      // A service follows all others, which include those that have ended.
      table[index].layer = id
    }
    for dependency in dependencies {
      guard let other = table.index(of: dependency) else { continue }
      table[index].layer = max(table[index].layer, table[other].layer + 1)
      if table[other].isSatisfied { continue }
      table[index].blockers += 1
      table[other].dependants.append(id)
    }
  }

  private mutating func startIfFree(_ id: ID) {
    guard let index = table.index(of: id), table[index].state == nil, table[index].blockers == 0
    else { return }
    start(index)
  }

  /// Begins an attempt.
  mutating func start(_ index: Int) {
    let options = table[index].options
    table[index].attempt += 1
    table[index].began = now
    table[index].missedStart = false
    enter(.starting, index, limit: options.startTimeout)
    if options.startTimeout != nil, !options.reportsReadiness, table[index].attempt == 1 {
      let name = fullName(table[index].name)
      say(
        "Service \"\(name)\" has a startTimeout without reportsReadiness, so it limits only the time until run is"
          + " entered. Set reportsReadiness and call markReady(), or remove the limit.",
        of: name
      )
    }
    actions.append(.start(table[index].id, attempt: table[index].attempt))
  }

  /// Permits the dependants of a service to start, the first time that it has started or need not.
  mutating func satisfy(_ index: Int) {
    if table[index].isSatisfied { return }
    table[index].isSatisfied = true
    unstarted -= 1
    let dependants = table[index].dependants
    table[index].dependants = []
    if isStopRequested { return }
    for id in dependants {
      guard let index = table.index(of: id) else { continue }
      table[index].blockers -= 1
      startIfFree(id)
    }
    announceIfStarted()
  }

  private mutating func announceIfStarted() {
    guard case .running = stage, unstarted == 0, !hasStarted else { return }
    hasStarted = true
    actions.append(.started)
  }
}
