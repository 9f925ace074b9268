internal import EventBus

/// The stop of services, and the effects of their ends.
extension ServiceMachine {
  /// Records the end of a service.
  ///
  /// - Parameters:
  ///   - id: The service.
  ///   - error: The error that it threw, or `nil`.
  ///   - isProgramStopping: Whether the program was asked to stop, even if these services, those of a group, were not
  ///     asked yet.
  /// - Complexity: Amortized O(log *n*).
  package mutating func ended(_ id: ID, _ error: (any Error)?, isProgramStopping: Bool = false) {
    guard let index = roster.index(of: id), roster[index].state != nil else { return }
    let record = roster[index]
    if !record.failsToStart { start(id) }
    report(.ended, at: index)
    let isTimed = record.options.startTimeout != nil || record.options.stopTimeout != nil
    if isTimed { actions.append(.disarm(id, .cancel)) }
    roster.remove(id)
    judge(record, error, isStopping: isStopRequested || isProgramStopping)
    // A service that has not become ready leaves its dependants nothing to wait for.
    if roster.count == 0 || record.failsToStart { request(.stop) }
    advance()
  }

  /// Requests an orderly stop of all services.
  ///
  /// Repeated calls have no effect.
  package mutating func shutdown() { request(.stop) }

  /// Requests the cancellation of all services, without waiting for permission.
  package mutating func cancel() { cancel(after: nil) }

  private mutating func cancel(after limit: Duration?) {
    // Before the announcement: a method that the announcement calls is not one to abandon.
    if needsPermission { actions.append(.forceStop) }
    request(.cancel, after: limit)
    permitStop(after: limit)
  }

  /// Requests an orderly stop because of an error.
  ///
  /// - Parameters:
  ///   - error: The error, which makes the run fail.
  ///   - service: The service that threw it; `nil` if it did not come from a service.
  package mutating func fail(_ error: any Error, of service: String? = nil) {
    if isOver { return }
    failures.append((service, error))
    request(.stop)
  }

  /// Permits the stop that ``Milestone/stopping`` announced.
  package mutating func permitStop() { permitStop(after: nil) }

  private mutating func permitStop(after limit: Duration?) {
    needsPermission = false
    if case .awaitingPermission(let request) = stage { carryOut(request, after: limit) }
  }

  /// Records that a service exceeded a limit: its start has failed, or it is cancelled, or it is abandoned.
  ///
  /// - Parameters:
  ///   - id: The service; `nil` means all services together.
  ///   - limit: The transition that took too long.
  package mutating func timedOut(_ id: ID?, _ limit: ServiceTransition) {
    guard let id else { return timedOut(limit) }
    guard let index = roster.index(of: id) else { return }
    let record = roster[index]
    switch (limit, record.state) {
    case (.start, .starting) where !record.isSatisfied && !isStopRequested:
      // Without waiting for the permission to stop the others.
      arm(.cancel, cancelTimeout, of: id)
      cancel(index, after: record.options.startTimeout, to: .start)
      fail(AppServiceError(.notStarted(record.name)))
    case (.stop, .stopping):
      arm(.cancel, cancelTimeout, of: id)
      cancel(index, after: record.options.stopTimeout)
    case (.cancel, .cancelled):
      leave(id)
      advance()
    default: break
    }
  }

  private mutating func timedOut(_ limit: ServiceTransition) {
    if !isStopRequested || isOver { return }
    switch limit {
    case .start: break
    case .stop: cancel(after: stopTimeout)
    case .cancel where hasBegun: leaveEach()
    case .cancel: actions.append(.leaveLaunch)
    }
  }

  /// Abandons all services that have not ended, because the service that runs them as its group is abandoned.
  mutating func leaveAll() {
    request(.cancel)
    permitStop()
    // Before the run has begun, the request prevents every start.
    if case .cancelling = stage { leaveEach() }
  }

  private mutating func leaveEach() {
    for id in idsInReverse() { leave(id) }
    advance()
  }

  /// Records that a service runs a group.
  ///
  /// - Returns: `false` if the service has ended.
  package mutating func groupBegins(in id: ID) -> Bool {
    guard let index = roster.index(of: id) else { return false }
    roster[index].groupCount += 1
    return true
  }

  /// Records that a group that a service ran has ended.
  ///
  /// - Returns: `false` if the service has ended or is being abandoned.
  package mutating func groupHasEnded(in id: ID) -> Bool {
    guard let index = roster.index(of: id) else { return false }
    roster[index].groupCount -= 1
    return true
  }

  /// Records the errors of the groups of a service that is abandoned.
  ///
  /// - Parameters:
  ///   - id: The service.
  ///   - errors: The errors of its groups, which name the services that are abandoned with it.
  package mutating func left(_ id: ID, _ errors: [any Error]) {
    guard let record = leaving.removeValue(forKey: id) else { return }
    var errors = errors
    if !errors.contains(where: { !AppServiceError.abandonedServices(in: [$0]).isEmpty }) {
      // What delays it is not in its groups.
      errors.append(abandoned(record))
    }
    failures.append((nil, AppServiceError(.failed(group: record.name, errors: errors))))
    advance()
  }

  /// Applies the effects of the end of a service.
  private mutating func judge(
    _ record: ServiceRecord,
    _ error: (any Error)?,
    isStopping: Bool
  ) {
    let failsToStart = record.failsToStart && !isStopping
    let isEndedWait = error?.isOfEndedWait ?? false
    if let error, !(isEndedWait && (record.state == .cancelled || isStopping)) {
      actions.append(.report(name: fullName(record.name), error))
      if failsToStart { return fail(error, of: record.name) }
      if record.options.onThrow == .ignore {
        ignored.append((record.name, error))
      } else {
        failures.append((record.name, error))
      }
      follow(record.options.onThrow)
    } else if !isStopping {
      // A service that returns after shutdown was requested has not failed, even if its turn to stop had
      // not come.
      if failsToStart { return fail(AppServiceError(.endedBeforeReady(record.name))) }
      if record.options.onReturn == .fail || record.options.onReturn == .cancel {
        failures.append((nil, AppServiceError(.returned(record.name))))
      }
      follow(record.options.onReturn)
    }
  }

  private mutating func follow(_ ending: AppServiceOptions.EndPolicy) {
    switch ending {
    case .fail, .shutdown: request(.stop)
    case .cancel: request(.cancel)
    case .ignore: break
    }
  }

  /// Records a request, unless an equal or stronger one precedes it, and carries it out once the run has begun
  /// and the stop is permitted.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The limit of the stop that expired; otherwise `nil`.
  private mutating func request(_ request: Request, after limit: Duration? = nil) {
    switch stage {
    case .collecting(let former) where request.overrules(former):
      stage = .collecting(request)
    case .launching(let former) where request.overrules(former):
      stage = .launching(request)
      armLimit(of: request)
    case .starting, .running:
      // A cancellation that needs no permission has only the limit of its services.
      if request == .stop || needsPermission { arm(.stop, stopTimeout) }
      announceStop(request)
    case .awaitingPermission(let former) where request.overrules(former):
      stage = .awaitingPermission(request)
      arm(.stop, stopTimeout)
    case .stopping where request == .cancel:
      carryOut(.cancel, after: limit)
    case .collecting, .launching, .awaitingPermission, .stopping, .cancelling, .over:
      break
    }
  }

  /// Starts the time limit of a request that was made before the run: for an orderly stop, or for cancelled launch
  /// work.
  mutating func armLimit(of request: Request) {
    switch request {
    case .stop: arm(.stop, stopTimeout)
    case .cancel: arm(.cancel, cancelTimeout)
    }
  }

  /// Starts a time limit of a service or, with `nil`, of all services together.
  private mutating func arm(_ limit: ServiceTransition, _ timeout: Duration?, of id: ID? = nil) {
    if let timeout { actions.append(.arm(id, limit, timeout)) }
  }

  /// Announces that the run ends, and carries out the request if it is permitted.
  mutating func announceStop(_ request: Request) {
    dropWaiting()
    announce(.stopping)
    if needsPermission { stage = .awaitingPermission(request) } else { carryOut(request) }
  }

  /// Removes the services that have not started.
  private mutating func dropWaiting() {
    let waiting = roster.ids { $0.state == nil }.compactMap { roster.remove($0) }
    startable = Heap()
    if !waiting.isEmpty { actions.append(.drop(waiting)) }
  }

  /// Stops or cancels the services.
  ///
  /// - Parameters:
  ///   - request: The request, which is permitted.
  ///   - limit: The limit of the stop that expired; otherwise `nil`.
  private mutating func carryOut(_ request: Request, after limit: Duration? = nil) {
    switch request {
    case .stop:
      stage = .stopping(idsInReverse()[...])
    case .cancel:
      stage = .cancelling
      if roster.count > 0 { arm(.cancel, cancelTimeout) }
      for id in idsInReverse() {
        guard let index = roster.index(of: id), roster[index].state != .cancelled else { continue }
        // A service whose turn had not come receives the stop request before the cancellation.
        let isUnasked = limit != nil && roster[index].isRunning
        cancel(index, after: limit, stopsFirst: isUnasked)
      }
    }
    advance()
  }

  /// Stops the next layer once the previous one has ended, and finishes when no service remains.
  private mutating func advance() {
    switch stage {
    case .stopping where roster.count == 0: finish(isCancelled: false)
    case .cancelling where roster.count == 0: finish(isCancelled: true)
    case .stopping(let waiting) where ending == 0: stopLayer(waiting)
    default: break
    }
  }

  private mutating func finish(isCancelled: Bool) {
    guard leaving.isEmpty else { return }
    stage = .over
    announce(.over(outcome ?? [], isCancelled: isCancelled))
  }

  /// Asks the first layer of the services that have not ended to stop.
  private mutating func stopLayer(_ order: ArraySlice<ID>) {
    var (waiting, layer) = (order, Int?.none)
    while let id = waiting.first {
      if let index = roster.index(of: id) {
        if let layer, roster[index].layer != layer { break }
        layer = roster[index].layer
        requestStop(index)
      }
      waiting.removeFirst()
    }
    stage = .stopping(waiting)
  }

  private mutating func requestStop(_ index: Int) {
    // Its start took too long.
    if roster[index].state == .cancelled { return }
    report(.stopping, at: index)
    // Arm the limit before the service can react.
    arm(.stop, roster[index].options.stopTimeout, of: roster[index].id)
    if let handle = roster.handles[index] { actions.append(.stop(handle)) }
  }

  /// Cancels a service and reports it.
  ///
  /// - Parameters:
  ///   - index: The index of the service.
  ///   - limit: The limit that expired; otherwise `nil`.
  ///   - transition: The transition that the limit is for.
  ///   - stopsFirst: Whether to request the stop of the service before its cancellation.
  private mutating func cancel(
    _ index: Int,
    after limit: Duration?,
    to transition: ServiceTransition = .stop,
    stopsFirst: Bool = false
  ) {
    report(.cancelled, at: index)
    // The message comes first: the service may now end, and with it the program.
    let goal = transition == .start ? "start" : "stop"
    let reason = limit.map { ": it did not \(goal) within \($0.shortText)" } ?? ""
    let name = fullName(roster[index].name)
    say("service \"\(name)\" is cancelled\(reason)", of: name, .cancelled, limit)
    guard let handle = roster.handles[index] else { return }
    if stopsFirst { actions.append(.stop(handle)) }
    actions.append(.cancel(handle))
  }

  /// Stops waiting for a service that did not end, and reports it as abandoned.
  ///
  /// Of a service that runs groups, their services are reported instead.
  private mutating func leave(_ id: ID) {
    guard let index = roster.index(of: id) else { return }
    let record = roster[index]
    actions.append(.disarm(id, .cancel))
    report(.abandoned, at: index)
    roster.remove(id)
    if record.groupCount > 0 {
      leaving[id] = record
      actions.append(.leaveGroups(of: id))
    } else {
      failures.append((nil, abandoned(record)))
    }
  }

  /// Says that a service is abandoned.
  ///
  /// - Returns: The error.
  private mutating func abandoned(_ record: ServiceRecord) -> AppServiceError {
    let name = fullName(record.name)
    let error = AppServiceError(.abandoned(name))
    say(error.description, of: name, .abandoned)
    return error
  }

  private mutating func say(
    _ text: String,
    of name: String,
    _ state: AppHostMessage.State,
    _ elapsed: Duration? = nil
  ) {
    let message = AppHostMessage(text, services: [name], state: state, elapsed: elapsed)
    actions.append(.say(message))
  }

  /// The services in stop order: higher layers first, and the last added first within a layer.
  private func idsInReverse() -> [ID] {
    isChain
      ? roster.ids().reversed()
      : roster.living.sorted { ($0.layer, $0.id) > ($1.layer, $1.id) }.map(\.id)
  }
}
