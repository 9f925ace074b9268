/// Who is stopped or cancelled, and what an end means for the others.
extension ServiceMachine {
  /// Decides what the end of a service means for the others.
  internal mutating func judge(_ record: ServiceRecord<Handle>, _ error: (any Error)?) {
    if let error, !(record.phase == .cancelled && error is CancellationError) {
      actions.append(.report(name: record.name, error))
      if record.failsToStart, wish == nil {
        errors.append(error)
        return want(.shutdown)
      }
      if record.options.onThrow == .ignore { ignored.append(error) } else { errors.append(error) }
      follow(record.options.onThrow)
    } else if record.phase == .running {
      if record.failsToStart, wish == nil {
        errors.append(ServiceError(.endedBeforeReady(record.name)))
        return want(.shutdown)
      }
      if record.options.onReturn == .cancel {
        errors.append(ServiceError(.returned(record.name)))
      }
      follow(record.options.onReturn)
    }
  }

  internal mutating func follow(_ ending: ServiceOptions.Ending) {
    switch ending {
    case .cancel: want(.cancel)
    case .shutdown: want(.shutdown)
    case .ignore: break
    }
  }

  internal mutating func want(_ newWish: Wish) {
    guard stage != .over, wish != .cancel, wish != newWish else { return }
    let isFirst = wish == nil
    wish = newWish
    guard stage != .collecting else { return }
    if isFirst {
      dropWaiting()
      announce(.stopping)
    }
    if mayStop { stop() }
  }

  /// Forgets the services that have not been started.
  internal mutating func dropWaiting() {
    let waiting = records.filter { $0.value.phase == .waiting }
    for (id, record) in waiting { remove(id, record) }
    startable.removeAll()
    if !waiting.isEmpty { actions.append(.drop(waiting.values.map(\.handle))) }
  }

  /// Does what is wished.
  internal mutating func stop() {
    if stage == .running {
      stage = .stopping
      if wish == .shutdown { stopOrder = idsInReverse() }
    }
    if wish == .cancel {
      for id in idsInReverse() {
        if let record = records[id], record.phase != .cancelled { cancel(id, record) }
      }
    }
    advance()
  }

  /// Stops the next layer when the one before has ended, and ends when nobody is left.
  internal mutating func advance() {
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

  internal mutating func tellToStop(_ id: ID, _ record: ServiceRecord<Handle>) {
    records[id]?.phase = .stopping
    records[id]?.holdsLayer = true
    heldBy += 1
    actions.append(.stop(record.handle))
    if let timeout = record.options.stopTimeout ?? limits.stopTimeout {
      actions.append(.arm(id, record.handle, .stop, timeout))
    }
  }

  internal mutating func cancel(_ id: ID, _ record: ServiceRecord<Handle>) {
    records[id]?.phase = .cancelled
    actions.append(.cancel(record.handle))
    if let timeout = limits.cancelTimeout {
      actions.append(.arm(id, record.handle, .cancel, timeout))
    }
  }

  /// Those that run: higher layers first, inside a layer the last one first.
  internal func idsInReverse() -> [ID] {
    records.map { (id: $0.key, layer: $0.value.layer) }
      .sorted { $0.layer == $1.layer ? $0.id > $1.id : $0.layer > $1.layer }
      .map(\.id)
  }

  internal mutating func remove(_ id: ID, _ record: ServiceRecord<Handle>) {
    records[id] = nil
    names[record.name] = nil
    if record.holdsLayer { heldBy -= 1 }
  }

  internal mutating func finish() {
    stage = .over
    let all = errors.isEmpty ? [] : errors + ignored
    announce(.over(ServiceOutcome(errors: all, isCancelled: wish == .cancel)))
  }

  internal mutating func announce(_ milestone: Milestone) {
    milestones.append(milestone)
    actions.append(.announce)
  }

  internal mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }
}
