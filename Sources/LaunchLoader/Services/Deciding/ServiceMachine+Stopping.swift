internal import EventBus

/// The stop of services, and the effects of their ends.
extension ServiceMachine {
  /// Records the end of a service.
  ///
  /// - Parameters:
  ///   - id: The service.
  ///   - error: The error that it threw, or `nil`.
  /// - Complexity: Amortized O(log *n*).
  package mutating func ended(_ id: ID, _ error: (any Error)?) {
    guard let index = roster.index(of: id), roster[index].state != nil else { return }
    let record = roster[index]
    if !record.failsToStart { start(id) }
    report(.ended, at: index)
    let isTimed = record.options.startTimeout != nil || record.options.stopTimeout != nil
    if isTimed { actions.append(.disarm(id, .cancel)) }
    roster.remove(id)
    judge(record, error)
    if roster.count == 0 && stage < .stopping { request(.stop) }
    advance()
  }

  /// Requests an orderly stop of all services.
  ///
  /// Repeated calls have no effect.
  package mutating func shutdown() { request(.stop) }

  /// Requests the cancellation of all services, without waiting for permission.
  package mutating func cancel() {
    // Before the announcement: a method that the announcement calls is not one to leave behind.
    if stage != .over, !mayStop { actions.append(.forceStop) }
    request(.cancel)
    permitStop()
  }

  /// Requests an orderly stop because of an error.
  ///
  /// - Parameters:
  ///   - error: The error, which makes the run fail.
  ///   - service: The service that threw it; `nil` if it did not come from a service.
  package mutating func fail(_ error: any Error, of service: String? = nil) {
    guard stage != .over else { return }
    failures.append((service, error))
    request(.stop)
  }

  /// Permits the stop that ``Milestone/stopping`` announced.
  package mutating func permitStop() {
    mayStop = true
    if requested != nil, stage == .starting || stage == .running { stop() }
  }

  /// Records that a service exceeded a limit: its start has failed, or it is cancelled, or it is left behind.
  ///
  /// - Parameters:
  ///   - id: The service; `nil` means all services together.
  ///   - limit: The transition that took too long.
  package mutating func timedOut(_ id: ID?, _ limit: ServiceTransition) {
    guard let id else { return timedOut(limit) }
    guard let index = roster.index(of: id) else { return }
    let record = roster[index]
    switch (limit, record.state) {
    case (.start, .starting) where !record.isSatisfied && requested == nil:
      // Without waiting for the permission to stop the others.
      if let cancelTimeout { actions.append(.arm(id, .cancel, cancelTimeout)) }
      cancel(index, after: record.options.startTimeout, to: .start)
      fail(AppServiceError(.notStarted(record.name)))
    case (.stop, .stopping):
      if let cancelTimeout { actions.append(.arm(id, .cancel, cancelTimeout)) }
      cancel(index, after: record.options.stopTimeout)
    case (.cancel, .cancelled):
      leave(id)
      advance()
    default: break
    }
  }

  private mutating func timedOut(_ limit: ServiceTransition) {
    guard stage != .over, requested != nil else { return }
    switch limit {
    case .start: break
    case .stop:
      hasPassedDeadline = true
      cancel()
    case .cancel where stage == .collecting:
      actions.append(.leaveLaunch)
    case .cancel:
      leaveEach()
    }
  }

  /// Leaves behind all services that have not ended, because the service that runs them as its group is left
  /// behind.
  package mutating func leaveAll() {
    request(.cancel)
    permitStop()
    // Before the run has begun, the request prevents every start.
    if stage == .stopping { leaveEach() }
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
  /// - Returns: `false` if the service has ended or is being left behind.
  package mutating func groupHasEnded(in id: ID) -> Bool {
    guard let index = roster.index(of: id) else { return false }
    roster[index].groupCount -= 1
    return true
  }

  /// Records the errors of the groups of a service that is left behind.
  ///
  /// - Parameters:
  ///   - id: The service.
  ///   - errors: The errors of its groups, which name the services that are left behind with it.
  package mutating func left(_ id: ID, _ errors: [any Error]) {
    guard let record = leaving.removeValue(forKey: id) else { return }
    var errors = errors
    if !errors.contains(where: { !AppServiceError.stuckServices(in: [$0]).isEmpty }) {
      // What delays it is not in its groups.
      errors.append(stuck(record))
    }
    failures.append((nil, AppServiceError(.failed(group: record.name, errors: errors))))
    advance()
  }

  /// Applies the effects of the end of a service.
  private mutating func judge(_ record: ServiceRecord, _ error: (any Error)?) {
    let failsToStart = record.failsToStart && requested == nil
    let isCancellation = error is CancellationError
    if let error, !(isCancellation && (record.state == .cancelled || requested != nil)) {
      actions.append(.report(name: fullName(record.name), error))
      if failsToStart { return fail(error, of: record.name) }
      if record.options.onThrow == .ignore {
        ignored.append((record.name, error))
      } else {
        failures.append((record.name, error))
      }
      follow(record.options.onThrow)
    } else if requested == nil {
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

  /// Records a request to stop or to cancel, unless an equal or stronger one precedes it, and carries it out
  /// once the run has begun.
  private mutating func request(_ transition: ServiceTransition) {
    if stage == .over || requested ?? .start >= transition { return }
    let isFirst = requested == nil
    requested = transition
    if isClaimed { armRequest() }
    if stage != .collecting { carryOutRequest(isFirst: isFirst) }
  }

  mutating func carryOutRequest(isFirst: Bool) {
    if isFirst {
      dropWaiting()
      announce(.stopping)
    }
    if mayStop { stop() }
  }

  /// Starts the time limit for an orderly stop, for the permission to cancel, or for cancelled launch work.
  mutating func armRequest() {
    let awaitsPermission = requested == .cancel && stage != .collecting && !mayStop
    if requested == .stop || awaitsPermission, let stopTimeout {
      actions.append(.arm(nil, .stop, stopTimeout))
    }
    if requested == .cancel, stage == .collecting, let cancelTimeout {
      actions.append(.arm(nil, .cancel, cancelTimeout))
    }
  }

  /// Removes the services that have not started.
  private mutating func dropWaiting() {
    let waiting = roster.living.filter { $0.state == nil }.compactMap { roster.remove($0.id) }
    startable = Heap()
    if !waiting.isEmpty { actions.append(.drop(waiting)) }
  }

  /// Carries out the recorded request.
  private mutating func stop() {
    if stage < .stopping {
      stage = .stopping
      if requested == .stop { stopOrder = idsInReverse()[...] }
    }
    if requested == .cancel, roster.count > 0 {
      if let cancelTimeout { actions.append(.arm(nil, .cancel, cancelTimeout)) }
      let limit = hasPassedDeadline ? stopTimeout : nil
      for id in idsInReverse() {
        guard let index = roster.index(of: id), roster[index].state != .cancelled else { continue }
        // A service whose turn had not come receives the stop request before the cancellation.
        let isUnasked = hasPassedDeadline && roster[index].isRunning
        cancel(index, after: limit, stopsFirst: isUnasked)
      }
    }
    advance()
  }

  /// Stops the next layer once the previous one has ended, and finishes when no service remains.
  private mutating func advance() {
    guard stage == .stopping else { return }
    if roster.count == 0 {
      guard leaving.isEmpty else { return }
      stage = .over
      return announce(.over(outcome ?? [], isCancelled: requested == .cancel))
    }
    guard requested == .stop, ending == 0 else { return }
    var layer: Int?
    while let id = stopOrder.first {
      if let index = roster.index(of: id) {
        if let layer, roster[index].layer != layer { return }
        layer = roster[index].layer
        requestStop(index)
      }
      stopOrder.removeFirst()
    }
  }

  private mutating func requestStop(_ index: Int) {
    // Its start took too long.
    if roster[index].state == .cancelled { return }
    report(.stopping, at: index)
    // Arm the limit before the service can react.
    if let timeout = roster[index].options.stopTimeout {
      actions.append(.arm(roster[index].id, .stop, timeout))
    }
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

  /// Stops waiting for a service that did not end, and reports it as left behind.
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
      failures.append((nil, stuck(record)))
    }
  }

  /// Says that a service is left behind.
  ///
  /// - Returns: The error.
  private mutating func stuck(_ record: ServiceRecord) -> AppServiceError {
    let name = fullName(record.name)
    let error = AppServiceError(.stuck(name))
    say(error.description, of: name, .stuck)
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
      ? roster.living.reversed().map(\.id)
      : roster.living.sorted { ($0.layer, $0.id) > ($1.layer, $1.id) }.map(\.id)
  }
}
