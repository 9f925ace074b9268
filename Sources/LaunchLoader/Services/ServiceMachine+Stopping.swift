/// Who is stopped or cancelled, and what an end means for the others.
extension ServiceMachine {
  /// Decides what the end of a service means for the others.
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
      // A service that returns after shutdown was requested has not failed, whatever its turn.
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

  /// Keeps an error that makes the run fail.
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

  /// Notes what is wished; its time begins, unless there is no run yet.
  mutating func request(_ newWish: Wish) {
    wish = newWish
    if isClaimed { armWish() }
  }

  /// Begins the time for stopping in order, or that for launch work to end after it was cancelled.
  mutating func armWish() {
    if wish == .shutdown, let timeout = limits.stopTimeout {
      actions.append(.armAll(.stop, timeout))
    }
    if wish == .cancel, stage == .collecting, let timeout = limits.cancelTimeout {
      actions.append(.armAll(.cancel, timeout))
    }
  }

  /// Forgets the services that have not been started.
  mutating func dropWaiting() {
    let waiting = records.filter { $0.value.phase == .waiting }
    for (id, record) in waiting { remove(id, record) }
    startable.removeAll()
    if !waiting.isEmpty { actions.append(.drop(waiting.values.map(\.handle))) }
  }

  /// Does what is wished.
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
        // One whose turn has not come learns of both at once, of the request first.
        if hasPassedDeadline, record.phase == .running { actions.append(.stop(record.handle)) }
        cancel(id, record, after: limit)
      }
    }
    advance()
  }

  /// Stops the next layer when the one before has ended, and ends when nobody is left.
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
        tellToStop(id, record)
      }
      stopped += 1
    }
  }

  mutating func tellToStop(_ id: ID, _ record: ServiceRecord<Handle>) {
    records[id]?.phase = .stopping
    records[id]?.holdsLayer = true
    heldBy += 1
    // Its time begins before it can notice.
    if let timeout = record.options.stopTimeout {
      actions.append(.arm(id, .stop, timeout))
    }
    actions.append(.stop(record.handle))
  }

  /// Cancels a service, and says so.
  ///
  /// - Parameters:
  ///   - id: The service.
  ///   - record: What is known of it.
  ///   - limit: How long it had; `nil` if it is not its time that is up.
  mutating func cancel(_ id: ID, _ record: ServiceRecord<Handle>, after limit: Duration?) {
    records[id]?.phase = .cancelled
    actions.append(.cancel(record.handle))
    let reason = limit.map { ": it did not stop within \($0.shortText)" } ?? ""
    actions.append(.say("service \"\(path + record.name)\" is cancelled\(reason)"))
  }

  /// Leaves a service behind that does not end, and says so.
  mutating func leave(_ id: ID, _ record: ServiceRecord<Handle>) {
    remove(id, record)
    actions.append(.disarm(id, .cancel))
    actions.append(.say(ServiceError(.stuck(path + record.name)).description))
    fail(nil, ServiceError(.stuck(record.name)))
  }

  /// Those that run: higher layers first, inside a layer the last one first.
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
