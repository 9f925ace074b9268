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
    guard let record = records[id], record.phase != .waiting else { return }
    if !record.failsToStart { start(id) }
    _ = report(.ended, of: records[id] ?? record)
    let isTimed = record.options.startTimeout != nil || record.options.stopTimeout != nil
    if isTimed { actions.append(.disarm(id, .cancel)) }
    remove(id, record)
    judge(record, error)
    if records.isEmpty && stage < .stopping { request(.stop) }
    advance()
  }

  /// Requests an orderly stop of all services.
  ///
  /// Repeated calls have no effect.
  package mutating func shutdown() { request(.stop) }

  /// Requests the cancellation of all services, without waiting for permission.
  package mutating func cancel() {
    request(.cancel)
    if !mayStop { actions.append(.forceStop) }
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
  package mutating func timedOut(_ id: ID?, _ limit: Transition) {
    guard let id else { return timedOut(limit) }
    guard let record = records[id] else { return }
    switch (limit, record.phase) {
    case (.start, .running) where !record.isSatisfied && requested == nil:
      fail(ServiceError(.notStarted(record.name)))
    case (.stop, .stopping):
      if let cancelTimeout { actions.append(.arm(id, .cancel, cancelTimeout)) }
      cancel(id, record, after: record.options.stopTimeout)
    case (.cancel, .cancelled):
      leave(id, record)
      advance()
    default: break
    }
  }

  private mutating func timedOut(_ limit: Transition) {
    guard stage != .over, requested != nil else { return }
    switch limit {
    case .start: break
    case .stop:
      hasPassedDeadline = true
      cancel()
    case .cancel where stage == .collecting:
      actions.append(.leaveLaunch)
    case .cancel:
      for id in idsInReverse() {
        if let record = records[id] { leave(id, record) }
      }
      advance()
    }
  }

  /// Applies the effects of the end of a service.
  private mutating func judge(_ record: Record, _ error: (any Error)?) {
    let failsToStart = record.failsToStart && requested == nil
    if let error, !(record.phase == .cancelled && error is CancellationError) {
      actions.append(.report(name: path + record.name, error))
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
      if failsToStart { return fail(ServiceError(.endedBeforeReady(record.name))) }
      if record.options.onReturn == .fail || record.options.onReturn == .cancel {
        failures.append((nil, ServiceError(.returned(record.name))))
      }
      follow(record.options.onReturn)
    }
  }

  private mutating func follow(_ ending: ServiceOptions.Ending) {
    switch ending {
    case .fail, .shutdown: request(.stop)
    case .cancel: request(.cancel)
    case .ignore: break
    }
  }

  /// Records a request to stop or to cancel, unless an equal or stronger one precedes it, and carries it out
  /// once the run has begun.
  private mutating func request(_ transition: Transition) {
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

  /// Starts the time limit for an orderly stop, or for cancelled launch work.
  mutating func armRequest() {
    if requested == .stop, let stopTimeout {
      actions.append(.arm(nil, .stop, stopTimeout))
    }
    if requested == .cancel, stage == .collecting, let cancelTimeout {
      actions.append(.arm(nil, .cancel, cancelTimeout))
    }
  }

  /// Removes the services that have not started.
  private mutating func dropWaiting() {
    let waiting = records.filter { $0.value.phase == .waiting }
    for (id, record) in waiting { remove(id, record) }
    startable = Heap()
    if !waiting.isEmpty { actions.append(.drop(waiting.values.map(\.handle))) }
  }

  /// Carries out the recorded request.
  private mutating func stop() {
    if stage < .stopping {
      stage = .stopping
      if requested == .stop { stopOrder = idsInReverse() }
    }
    if requested == .cancel, !records.isEmpty {
      if let cancelTimeout { actions.append(.arm(nil, .cancel, cancelTimeout)) }
      let limit = hasPassedDeadline ? stopTimeout : nil
      for id in idsInReverse() {
        guard let record = records[id], record.phase != .cancelled else { continue }
        // A service whose turn had not come receives the stop request before the cancellation.
        if hasPassedDeadline, record.phase == .running { actions.append(.stop(record.handle)) }
        cancel(id, record, after: limit)
      }
    }
    advance()
  }

  /// Stops the next layer once the previous one has ended, and finishes when no service remains.
  private mutating func advance() {
    guard stage == .stopping else { return }
    if records.isEmpty {
      stage = .over
      let all = failures.isEmpty ? [] : failures + ignored
      return announce(.over(all, isCancelled: requested == .cancel))
    }
    guard requested == .stop, ending == 0 else { return }
    var layer: Int?
    while stopped < stopOrder.count {
      let id = stopOrder[stopped]
      if let record = records[id] {
        if let layer, record.layer != layer { return }
        layer = record.layer
        requestStop(id, record)
      }
      stopped += 1
    }
  }

  private mutating func requestStop(_ id: ID, _ record: Record) {
    records[id] = report(.stopping, of: record)
    records[id]?.phase = .stopping
    ending += 1
    // Arm the limit before the service can react.
    if let timeout = record.options.stopTimeout { actions.append(.arm(id, .stop, timeout)) }
    actions.append(.stop(record.handle))
  }

  /// Cancels a service and reports it.
  ///
  /// - Parameters:
  ///   - id: The service.
  ///   - record: The state of the service.
  ///   - limit: The limit that expired; otherwise `nil`.
  private mutating func cancel(_ id: ID, _ record: Record, after limit: Duration?) {
    records[id] = report(.cancelled, of: record)
    records[id]?.phase = .cancelled
    if record.phase == .running { ending += 1 }
    actions.append(.cancel(record.handle))
    let reason = limit.map { ": it did not stop within \($0.shortText)" } ?? ""
    let name = path + record.name
    actions.append(
      .say(
        ApplicationMessage(
          "service \"\(name)\" is cancelled\(reason)",
          services: [name],
          state: .cancelled,
          elapsed: limit
        )
      )
    )
  }

  /// Stops waiting for a service that did not end, and reports it as left behind.
  private mutating func leave(_ id: ID, _ record: Record) {
    remove(id, record)
    actions.append(.disarm(id, .cancel))
    let name = path + record.name
    _ = report(.abandoned, of: record)
    actions.append(
      .say(
        ApplicationMessage(ServiceError(.stuck(name)).description, services: [name], state: .stuck)
      )
    )
    failures.append((nil, ServiceError(.stuck(record.name))))
  }

  /// The services in stop order: higher layers first, and the last added first within a layer.
  private func idsInReverse() -> [ID] {
    let services = records.map { (layer: $0.value.layer, id: $0.key) }
    return services.sorted { ($0.layer, $0.id) > ($1.layer, $1.id) }.map(\.id)
  }

  private mutating func remove(_ id: ID, _ record: Record) {
    records[id] = nil
    names[record.name] = nil
    if record.phase > .running { ending -= 1 }
  }
}
