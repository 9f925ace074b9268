/// The stop of services, and the effects of their ends.
extension ServiceMachine {
  /// Applies the effects of the end of a service.
  mutating func judge(_ record: ServiceRecord<Handle>, _ error: (any Error)?) {
    if let error, !(record.phase == .cancelled && error is CancellationError) {
      actions.append(.report(name: path + record.name, error))
      if record.failsToStart, wish == nil {
        fail(record.name, error)
        return want(.shutdown)
      }
      let failure = ServiceOutcome.Failure(service: record.name, error: error)
      if record.options.onThrow == .ignore {
        ignored.append(failure)
      } else {
        failures.append(failure)
      }
      follow(record.options.onThrow)
    } else if wish == nil {
      // A service that returns after shutdown was requested has not failed, even if its turn to stop had not
      // come.
      if record.failsToStart {
        fail(nil, ServiceError(.endedBeforeReady(record.name)))
        return want(.shutdown)
      }
      switch record.options.onReturn {
      case .fail, .cancel: fail(nil, ServiceError(.returned(record.name)))
      case .shutdown, .ignore: break
      }
      follow(record.options.onReturn)
    }
  }

  mutating func follow(_ ending: ServiceOptions.Ending) {
    switch ending {
    case .fail, .shutdown: want(.shutdown)
    case .cancel: want(.cancel)
    case .ignore: break
    }
  }

  /// Records an error that makes the run fail.
  mutating func fail(_ service: String?, _ error: any Error) {
    failures.append(ServiceOutcome.Failure(service: service, error: error))
  }

  mutating func want(_ newWish: Wish) {
    guard stage != .over, wish != .cancel, wish != newWish else { return }
    let isFirst = wish == nil
    request(newWish)
    guard stage != .collecting else { return }
    if isFirst {
      dropWaiting()
      announce(.stopping)
    }
    if mayStop { stop() }
  }

  /// Records a request to stop or to cancel.
  ///
  /// The time limit of the request starts now, or when the run is claimed.
  mutating func request(_ newWish: Wish) {
    wish = newWish
    if isClaimed { armWish() }
  }

  /// Starts the time limit for an orderly stop, or for cancelled launch work.
  mutating func armWish() {
    if wish == .shutdown, let timeout = limits.stopTimeout {
      actions.append(.armAll(.stop, timeout))
    }
    if wish == .cancel, stage == .collecting, let timeout = limits.cancelTimeout {
      actions.append(.armAll(.cancel, timeout))
    }
  }

  /// Removes the services that have not started.
  mutating func dropWaiting() {
    let waiting = records.filter { $0.value.phase == .waiting }
    for (id, record) in waiting { remove(id, record) }
    startable.removeAll()
    if !waiting.isEmpty { actions.append(.drop(waiting.values.map(\.handle))) }
  }

  /// Carries out the recorded request.
  mutating func stop() {
    if stage == .running {
      stage = .stopping
      if wish == .shutdown { stopOrder = idsInReverse() }
    }
    if wish == .cancel, !records.isEmpty {
      if let timeout = limits.cancelTimeout { actions.append(.armAll(.cancel, timeout)) }
      let limit = hasPassedDeadline ? limits.stopTimeout : nil
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
  mutating func advance() {
    guard stage == .stopping else { return }
    if records.isEmpty { return finish() }
    guard wish == .shutdown, heldBy == 0 else { return }
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

  mutating func requestStop(_ id: ID, _ record: ServiceRecord<Handle>) {
    records[id]?.phase = .stopping
    records[id]?.holdsLayer = true
    heldBy += 1
    // Arm the limit before the service can react.
    if let timeout = record.options.stopTimeout {
      actions.append(.arm(id, .stop, timeout))
    }
    actions.append(.stop(record.handle))
  }

  /// Cancels a service and reports it.
  ///
  /// - Parameters:
  ///   - id: The service.
  ///   - record: The state of the service.
  ///   - limit: The service's own limit if it expired; otherwise `nil`.
  mutating func cancel(_ id: ID, _ record: ServiceRecord<Handle>, after limit: Duration?) {
    records[id]?.phase = .cancelled
    actions.append(.cancel(record.handle))
    let reason = limit.map { ": it did not stop within \($0.shortText)" } ?? ""
    actions.append(.say("service \"\(path + record.name)\" is cancelled\(reason)"))
  }

  /// Stops waiting for a service that did not end, and reports it as left behind.
  mutating func leave(_ id: ID, _ record: ServiceRecord<Handle>) {
    remove(id, record)
    actions.append(.disarm(id, .cancel))
    actions.append(.say(ServiceError(.stuck(path + record.name)).description))
    fail(nil, ServiceError(.stuck(record.name)))
  }

  /// The services in stop order: higher layers first, and the last added first within a layer.
  func idsInReverse() -> [ID] {
    records.map { (id: $0.key, layer: $0.value.layer) }
      .sorted { $0.layer == $1.layer ? $0.id > $1.id : $0.layer > $1.layer }
      .map(\.id)
  }

  mutating func remove(_ id: ID, _ record: ServiceRecord<Handle>) {
    records[id] = nil
    names[record.name] = nil
    if record.holdsLayer { heldBy -= 1 }
  }

  mutating func finish() {
    stage = .over
    let all = failures.isEmpty ? [] : failures + ignored
    announce(.over(ServiceOutcome(failures: all, isCancelled: wish == .cancel)))
  }

  mutating func announce(_ milestone: Milestone) {
    milestones.append(milestone)
    actions.append(.announce)
  }

  mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }
}
