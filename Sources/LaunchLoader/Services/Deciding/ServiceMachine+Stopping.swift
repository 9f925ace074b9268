internal import EventBus

/// The end of services: its effect on the others, restarts, and the stop of the run.
extension ServiceMachine {
  /// The effect of the end of an attempt.
  private enum Verdict {
    /// The service starts again after a pause: the number of restarts in a row, and the error because of which it does.
    case restarts(number: Int, after: Duration, any Error)
    /// The service has ended: its failure, whether that is ignored, and what it requests.
    case ends(Failure?, isIgnored: Bool, Request?)
  }

  /// Records the end of an attempt of a service.
  ///
  /// - Parameters:
  ///   - id: The service.
  ///   - attempt: The number of the attempt; one that is not the current one is ignored.
  ///   - error: The error that the service threw, or `nil`.
  ///   - isProgramStopping: Whether the program was asked to stop, even if these services, those of a group, were not
  ///     asked yet.
  /// - Complexity: Amortized O(log *n*).
  package mutating func ended(
    _ id: ID,
    attempt: Int,
    _ error: (any Error)?,
    isProgramStopping: Bool = false
  ) {
    guard let index = table.index(of: id, attempt: attempt) else { return }
    // What has ended has been entered.
    if table[index].state == .starting { entered(id, attempt: attempt) }
    let record = table[index]
    let isStopping = isStopRequested || isProgramStopping
    // The stop or a cancellation has ended a wait of the service, which is not a failure.
    let isExcused =
      error.map { $0.isOfEndedWait && (isStopping || record.state == .cancelled) } ?? true
    let thrown = isExcused ? nil : error
    switch judge(record, thrown, isStopping: isStopping) {
    case .restarts(let number, let pause, let cause):
      pauseBeforeRestart(index, number, pause, because: cause)
    case .ends(let failure, let isIgnored, let request):
      enter(.ended, index, because: thrown)
      remove(id)
      if let failure { if isIgnored { ignored.append(failure) } else { failures.append(failure) } }
      // One that has not started leaves its dependants nothing to wait for, even if only the program stops.
      if let request = request ?? (record.isSatisfied ? nil : .stop) { self.request(request) }
      if table.count == 0 { self.request(.stop) }
    }
    advance()
  }

  /// Determines the effect of the end of an attempt.
  ///
  /// - Parameters:
  ///   - record: The service, in the state in which it has ended.
  ///   - error: The error that it threw; `nil` if it returned, or if the stop has ended its wait.
  ///   - isStopping: Whether the services, or the program, were asked to stop.
  /// - Returns: The effect.
  private func judge(
    _ record: ServiceRecord,
    _ error: (any Error)?,
    isStopping: Bool
  ) -> Verdict {
    let (name, options) = (record.name, record.options)
    if isStopping {
      // One that returns after the request has not failed, even if its turn had not come.
      guard let error else { return .ends(nil, isIgnored: false, nil) }
      return .ends((name, error), isIgnored: options.onThrow.isIgnore, options.onThrow.request)
    }
    let failsToStart = record.failsToStart || record.missedStart
    let policy = error != nil || failsToStart ? options.onThrow : options.onReturn
    let own = AppServiceError(
      record.missedStart
        ? .notStarted(name) : failsToStart ? .endedBeforeReady(name) : .returned(name),
      limit: options.startTimeout
    )
    // What missed the limit of its start has thrown because of that.
    let cause: any Error = record.missedStart ? own : error ?? own
    if case .restart(let restart) = policy {
      let number =
        !record.missedStart && now - record.began >= restart.resetAfter ? 0 : record.restarts
      guard let limit = restart.limit, number >= limit else {
        return .restarts(number: number + 1, after: restart.pause(after: number), cause)
      }
      let failure = AppServiceError(.restartedTooOften(name, last: cause))
      return .ends((nil, failure), isIgnored: false, .stop)
    }
    let failure: Failure = (error == nil ? nil : name, cause)
    // A service that has not become ready leaves its dependants nothing to wait for.
    if failsToStart { return .ends(failure, isIgnored: false, .stop) }
    if error != nil { return .ends(failure, isIgnored: policy.isIgnore, policy.request) }
    switch policy {
    case .fail, .cancel: return .ends(failure, isIgnored: false, policy.request)
    case .shutdown, .ignore, .restart: return .ends(nil, isIgnored: false, policy.request)
    }
  }

  private mutating func pauseBeforeRestart(
    _ index: Int,
    _ number: Int,
    _ pause: Duration,
    because cause: any Error
  ) {
    let name = fullName(table[index].name)
    table[index].restarts = number
    late.remove(table[index].id)
    enter(.pausing, index, limit: pause, because: cause)
    let what =
      if case .returned? = (cause as? AppServiceError)?.code { "has returned" } else {
        "has failed"
      }
    say(
      "Service \"\(name)\" \(what) and starts again in \(pause.shortText), restart \(number) in a row: \(cause)"
        .asSentence,
      of: name,
      .pausing,
      pause,
      because: cause
    )
  }

  /// Removes a service that has ended, never started or is abandoned.
  private mutating func remove(_ id: ID) {
    guard let index = table.index(of: id) else { return }
    if !table[index].isSatisfied { unstarted -= 1 }
    late.remove(id)
    table.remove(id)
    actions.append(.drop(id))
  }

  // MARK: Requests

  /// Requests an orderly stop of all services; repeated calls have no effect.
  package mutating func shutdown() { request(.stop) }

  /// Requests the cancellation of all services, without waiting for permission.
  package mutating func cancel() { cancel(after: nil) }

  private mutating func cancel(after limit: Duration?) {
    // Before the announcement: a method that the announcement calls is not one to abandon.
    if needsPermission { actions.append(.abandonHandlers) }
    request(.cancel, after: limit)
    permitStop(after: limit)
  }

  /// Requests an orderly stop because of an error.
  ///
  /// - Parameter error: The error, which makes the run fail; it does not come from a service.
  package mutating func fail(_ error: any Error) {
    if isOver { return }
    failures.append((nil, error))
    request(.stop)
  }

  /// Permits the stop that ``Action/stopping`` announced.
  package mutating func permitStop(after limit: Duration? = nil) {
    needsPermission = false
    if case .announced(let request) = stage { carryOut(request, after: limit) }
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
      limitLaunch(after: request)
    case .running:
      announceStop(request)
    case .announced(let former) where request.overrules(former):
      stage = .announced(request)
    case .stopping where request == .cancel:
      carryOut(.cancel, after: limit)
    case .collecting, .launching, .announced, .stopping, .cancelling, .over:
      break
    }
  }

  /// Starts the time limit of launch work that was asked to end.
  mutating func limitLaunch(after request: Request) {
    setRunDeadline(in: request == .stop ? stopTimeout : cancelTimeout)
  }

  /// Announces that the run ends, and carries out the request if it is permitted.
  mutating func announceStop(_ request: Request) {
    for id in table.ids(where: { !$0.hasTask }) {
      // One that never started is not reported.
      if let index = table.index(of: id), table[index].state != nil { enter(.ended, index) }
      remove(id)
    }
    actions.append(.stopping)
    guard needsPermission else { return carryOut(request) }
    stage = .announced(request)
    setRunDeadline(in: cancelTimeout ?? stopTimeout)
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
      setRunDeadline(in: stopTimeout)
    case .cancel:
      stage = .cancelling
      wasCancelled = true
      setRunDeadline(in: cancelTimeout)
      for id in idsInReverse() {
        guard let index = table.index(of: id), table[index].state != .cancelled else { continue }
        // A service whose turn had not come receives the stop request before the cancellation.
        cancel(index, after: limit, stopsFirst: limit != nil && table[index].isRunning)
      }
    }
    advance()
  }

  /// Stops the next layer once the previous one has ended, and finishes when no service remains.
  private mutating func advance() {
    switch stage {
    case .stopping where table.count == 0, .cancelling where table.count == 0:
      guard leaving.isEmpty else { return }
      stage = .over
      setRunDeadline(in: nil)
      actions.append(.over)
    case .stopping(let waiting) where mayStopLayer(waiting): stopLayer(waiting)
    default: break
    }
  }

  /// Returns whether every service above the next layer has ended.
  ///
  /// One that has missed its start delays only what it starts after.
  private func mayStopLayer(_ waiting: ArraySlice<ID>) -> Bool {
    if ending == 0 { return true }
    guard ending == late.count, let next = waiting.lazy.compactMap(table.index).first else {
      return false
    }
    let layer = table[next].layer
    return late.allSatisfy { table.index(of: $0).map { table[$0].layer <= layer } ?? true }
  }

  /// Asks the first layer of the services that have not ended to stop.
  private mutating func stopLayer(_ order: ArraySlice<ID>) {
    var (waiting, layer) = (order, Int?.none)
    while let id = waiting.first {
      if let index = table.index(of: id) {
        if let layer, table[index].layer != layer { break }
        layer = table[index].layer
        // Otherwise its start took too long.
        if table[index].isRunning {
          enter(.stopping, index, limit: table[index].options.stopTimeout)
          actions.append(.stop(id))
        }
      }
      waiting = waiting.dropFirst()
    }
    stage = .stopping(waiting)
  }

  /// The services in stop order: higher layers first, and the last added first within a layer.
  private func idsInReverse() -> [ID] {
    isChain
      ? table.ids().reversed()
      : table.living.map { ($0.layer, $0.id) }.sorted { $0 > $1 }.map(\.1)
  }

  // MARK: Limits

  /// Handles the deadline of the state of a service.
  mutating func passed(_ id: ID) {
    guard let index = table.index(of: id) else { return }
    let options = table[index].options
    table[index].deadline = nil
    switch table[index].state {
    case .pausing: start(index)
    case .starting:
      if isStopRequested { return }
      table[index].missedStart = true
      late.insert(id)
      // Without waiting for the permission to stop the others.
      cancel(index, after: options.startTimeout, toStart: true)
      // One that may start again is judged when it has ended.
      if case .restart = options.onThrow { return }
      fail(AppServiceError(.notStarted(table[index].name), limit: options.startTimeout))
    case .stopping: cancel(index, after: options.stopTimeout)
    case .cancelled:
      leave(id)
      // If it missed its start, the others have not been asked to stop yet.
      request(.stop)
      advance()
    case .ready, .unready, .ended, .abandoned, nil: break
    }
  }

  /// Handles the limit of the stage of the run.
  mutating func runLimitPassed() {
    takeRunDeadline()
    switch stage {
    case .launching(.stop), .stopping: cancel(after: stopTimeout)
    case .launching: actions.append(.abandonLaunch)
    case .announced:
      actions.append(.abandonHandlers)
      permitStop()
    case .cancelling: leaveEach()
    case .collecting, .running, .over: break
    }
  }

  /// Cancels a service and reports it.
  ///
  /// - Parameters:
  ///   - index: The index of the service.
  ///   - limit: The limit that expired; otherwise `nil`.
  ///   - toStart: Whether the limit is that of the start, and not of the stop.
  ///   - stopsFirst: Whether to request the stop of the service before its cancellation.
  private mutating func cancel(
    _ index: Int,
    after limit: Duration?,
    toStart: Bool = false,
    stopsFirst: Bool = false
  ) {
    // With all services, it has the limit of the run.
    let isAlone = if case .cancelling = stage { false } else { true }
    enter(.cancelled, index, limit: isAlone ? cancelTimeout : nil)
    // The message comes first: the service may now end, and with it the program.
    let reason =
      limit.map { ": it did not \(toStart ? "start" : "stop") within \($0.shortText)" } ?? ""
    let name = fullName(table[index].name)
    say("Service \"\(name)\" is cancelled\(reason).", of: name, .cancelled, limit)
    actions.append(.cancel(table[index].id, stopsFirst: stopsFirst))
  }

  // MARK: Abandoning

  /// Stops waiting for a service that did not end; ``abandoned(_:_:)`` reports it.
  private mutating func leave(_ id: ID) {
    guard let index = table.index(of: id) else { return }
    enter(.abandoned, index)
    leaving[id] = table[index]
    actions.append(.abandon(id))
    remove(id)
  }

  private mutating func leaveEach() {
    for id in idsInReverse() { leave(id) }
    advance()
  }

  /// Records the errors of the groups of a service that is abandoned.
  ///
  /// - Parameters:
  ///   - id: The service.
  ///   - groups: The errors of its groups, which name the services that are abandoned with it; `nil` if it runs none.
  package mutating func abandoned(_ id: ID, _ groups: [any Error]?) {
    guard let record = leaving.removeValue(forKey: id) else { return }
    var errors = groups ?? []
    if AppServiceError.abandonedServices(in: errors).isEmpty {
      // The cause of its delay is not in its groups.
      let name = fullName(record.name)
      let error = AppServiceError(.abandoned(name), limit: cancelTimeout)
      say(error.description, of: name, .abandoned, because: error)
      errors.append(error)
    }
    let error =
      groups == nil ? errors[0] : AppServiceError(.failed(group: record.name, errors: errors))
    failures.append((nil, error))
    advance()
  }

  /// Abandons all services that have not ended, because the service that runs them as its group is abandoned.
  package mutating func abandonAll() {
    request(.cancel)
    permitStop()
    // Before the run has begun, the request prevents every start.
    if case .cancelling = stage { leaveEach() }
  }
}

extension AppServiceOptions.EndPolicy {
  /// True if the others go on.
  fileprivate var isIgnore: Bool { if case .ignore = self { true } else { false } }

  /// The request that follows from an end that is a failure.
  fileprivate var request: ServiceMachine.Request? {
    switch self {
    case .fail, .shutdown, .restart: .stop
    case .cancel: .cancel
    case .ignore: nil
    }
  }
}
