internal import EventBus

/// The values that launch work makes.
extension LaunchLoader {
  /// Returns the value that launch work makes for a key, as soon as the work has finished.
  ///
  /// The call does not launch. It waits for the work, which may be registered later, and returns
  /// immediately if the work has finished. If no launch has begun after five seconds,
  /// and then every ten seconds, a message names the value: to the application or ``AppServiceGroup`` of the
  /// service that waits, to the application that was created with the loader, on whose clock the time is
  /// measured, or on standard error. The loader keeps the value as long as it lives, unless a rollback undoes
  /// the work, or work whose value it needed.
  ///
  /// - Parameter key: The key of the value.
  /// - Returns: The value.
  /// - Throws: ``LaunchError`` with the code `noValue` if the work did not finish or was undone, or if
  ///   the launch has ended, or there will be none, and no work makes the value; `mismatch` if work of
  ///   this name makes no value or one of another type; `reentrant` inside a running asynchronous worker
  ///   of the loader and in the tasks that it starts, unless the value has been made: there, name the
  ///   key in `needs:`. `CancellationError` if the waiting task is cancelled. The type of the error is open
  ///   because there are these two.
  /// - Complexity: O(1), apart from the wait.
  nonisolated(nonsending) public func value<Value>(of key: LaunchKey<Value>) async throws -> Value {
    try await value(of: key, nil)
  }

  /// Returns the value that launch work makes for a key, and reports to an audience that no launch begins.
  nonisolated(nonsending) func value<Value>(
    of key: LaunchKey<Value>,
    _ audience: Audience?
  ) async throws -> Value {
    // The work that was awaited last, which did not finish.
    var failed: (registration: LaunchItem, outcome: LaunchOutcome)?
    var wait: Int?
    defer { if let wait { endWait(wait, for: key.name) } }
    while true {
      let (stored, pending, arrival) = try source(of: key)
      if let stored, let value = stored as? Value { return value }
      if LaunchContext.isInside(ObjectIdentifier(self)) { throw LaunchError(.reentrant) }
      if wait == nil { wait = beginWait(for: key.name, audience) }
      if let pending, pending !== failed?.registration {
        let outcome = try await pending.outcome.wait()
        // If it was withdrawn, other work may make the value.
        failed = outcome.isFinished ? nil : (pending, outcome)
      } else if let arrival {
        guard await arrival.wait() else {
          state.withLock { $0.leave(arrival, of: key.name) }
          throw CancellationError()
        }
      } else {
        throw try await noValue(key.name, failed?.outcome ?? outcome(of: key.name))
      }
    }
  }

  /// The number of calls that wait for values of work that is not registered.
  package var awaitedCount: Int {
    state.withLock { $0.arrivals.values.reduce(0) { $0 + $1.callers } }
  }

  /// Returns the values that a worker needs.
  func values(for registration: LaunchItem) -> LaunchValues {
    guard !registration.needs.isEmpty else { return [:] }
    return state.withLock { $0.values.picked(registration.needs) }
  }

  /// Stores the value that a worker made if it finished in time, and releases it otherwise.
  ///
  /// Called before the outcome is published, so that the value is there for all code that runs as a
  /// result.
  func storeValue(of registration: LaunchItem, _ outcome: LaunchOutcome) {
    guard let key = registration.makes, let value = registration.takeValue(),
      outcome.isFinished
    else { return }
    state.withLock { $0.values[key.name] = value }
  }

  /// Removes the value that a worker made, to undo it.
  func takeValue(of registration: LaunchItem) -> (any Sendable)? {
    guard let key = registration.makes else { return nil }
    return state.withLock { $0.values.removeValue(forKey: key.name) }
  }

  /// Resumes the callers that wait for work that was not registered before the end of the launch.
  func openArrivals() {
    for latch in state.withLock({ $0.takeArrivals() }) { latch.open() }
  }

  /// Returns the value of a key, the work that is yet to make it, or the latch that opens when its work is
  /// registered; nothing if it was not made, or was undone.
  private func source<Value>(
    of key: LaunchKey<Value>
  ) throws -> (value: (any Sendable)?, pending: LaunchItem?, arrival: Latch?) {
    let (value, work, arrival) = state.withLock { state in
      let work = state.registry.work(of: key.name)
      let isOpen = work == nil && !state.registry.isOver
      return (state.values[key.name], work, isOpen ? state.arrival(of: key.name) : nil)
    }
    if let work, work.makes != key {
      throw LaunchError(mismatch: key, work.makes, at: work.site)
    }
    return (value, work?.pending, arrival)
  }

  /// Returns the error for a value that was not made, with the failure behind the worker that was skipped.
  private nonisolated(nonsending) func noValue(
    _ id: LaunchID,
    _ outcome: LaunchOutcome?
  ) async throws -> LaunchError {
    var origin: (id: LaunchID, outcome: LaunchOutcome)?
    var (next, seen) = (outcome, Set([id]))
    while case .skipped(let cause?)? = next, seen.insert(cause).inserted {
      // Has ended, or ends now: its end made others skip.
      let pending = state.withLock { $0.registry.work(of: cause)?.pending }
      next = try await pending?.outcome.wait() ?? self.outcome(of: cause)
      if let next { origin = (cause, next) }
    }
    return LaunchError(.noValue(id, outcome), origin: origin)
  }

  /// Returns the outcome of work that has ended, if it is still known.
  private func outcome(of id: LaunchID) -> LaunchOutcome? {
    state.withLock { $0.registry.work(of: id)?.outcome }
      ?? result.value?.report?.entries.first { $0.id == id }?.outcome
  }
}

extension LaunchError {
  /// A Boolean value that indicates whether a value is missing because the loader was stopped before the work
  /// that makes it began.
  var isRefusedValue: Bool { if case .noValue(_, .refused?) = code { true } else { false } }
}

extension LaunchLoader.State {
  /// Returns the latch that opens when work of a name is registered, or when none will be.
  fileprivate mutating func arrival(of id: LaunchID) -> Latch {
    let (latch, callers) = arrivals[id] ?? (Latch(), 0)
    arrivals[id] = (latch, callers + 1)
    return latch
  }

  /// Records that a caller no longer waits for a latch, and removes the latch after the last one.
  fileprivate mutating func leave(_ latch: Latch, of id: LaunchID) {
    // Otherwise, the latch was opened meanwhile.
    guard let arrival = arrivals[id], arrival.latch === latch else { return }
    arrivals[id] = arrival.callers > 1 ? (latch, arrival.callers - 1) : nil
  }

  /// Removes the latch of the callers that wait for work of a name.
  mutating func takeArrival(of id: LaunchID?) -> Latch? {
    guard !arrivals.isEmpty, let id else { return nil }
    return arrivals.removeValue(forKey: id)?.latch
  }

  /// Removes all latches.
  fileprivate mutating func takeArrivals() -> [Latch] {
    defer { arrivals = [:] }
    return arrivals.values.map(\.latch)
  }
}

// Only catches a mistake, like the overloads in `LaunchRegistrar+Misuse.swift`.
@available(*, unavailable, message: "the key's values have another type; see its declaration")
extension LaunchLoader {
  /// Not available: the values of the key have another type.
  @_disfavoredOverload
  @_documentation(visibility: private)
  nonisolated(nonsending) public func value<Value, Other>(
    of key: LaunchKey<Value>
  ) async throws -> Other {
    throw LaunchError(.reentrant)
  }
}
