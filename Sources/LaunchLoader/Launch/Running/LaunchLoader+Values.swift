internal import EventBus

/// The values that launch work makes.
extension LaunchLoader {
  /// Returns the value that launch work makes for a key, as soon as the work has finished.
  ///
  /// The call does not start the launch. It waits for the work, which may be registered later, and returns
  /// immediately if the work has finished. If no launch has begun after five seconds, and then every ten
  /// seconds, a message names the value. It goes to the host or ``AppServiceGroup`` of the service that
  /// waits; otherwise to the host that was created with the loader, on whose clock the time is measured;
  /// otherwise to standard error. The loader keeps the value as long as it lives, unless a rollback undoes
  /// the work, or work whose value it needed.
  ///
  /// - Parameter key: The key of the value.
  /// - Returns: The value.
  /// - Throws: ``LaunchError`` with the code `noValue` if the work did not finish or was undone, or if the
  ///   launch has ended, or there will be none, and no work makes the value; `mismatch` if work of this name
  ///   makes no value or one of another type; `reentrant` inside a running asynchronous worker of the loader
  ///   and in the tasks that it starts, unless the value has been made: there, name the key in `needs:`.
  ///   `CancellationError` if the waiting task is cancelled. The error is untyped because it may be either of
  ///   these.
  /// - Complexity: O(1), apart from the wait.
  nonisolated(nonsending) public func value<Value>(of key: LaunchKey<Value>) async throws -> Value {
    try await value(of: key, nil)
  }

  /// Returns the value that launch work makes for a key, and reports to an audience that no launch begins.
  nonisolated(nonsending) func value<Value>(
    of key: LaunchKey<Value>,
    _ audience: Audience?
  ) async throws -> Value {
    readNames()
    // The work that was awaited last.
    var ended: (item: LaunchItem, outcome: LaunchOutcome)?
    var wait: Int?
    defer { if let wait { endWait(wait, for: key.name) } }
    while true {
      let (stored, pending, arrival) = try source(of: key)
      if let stored, let value = stored as? Value { return value }
      if let worker = LaunchContext.worker(of: ObjectIdentifier(self)) {
        if let arrival { state.withLock { $0.leave(arrival, for: key.name) } }
        throw LaunchError(.reentrant, worker: worker)
      }
      if wait == nil { wait = beginWait(for: key.name, audience) }
      if let pending, pending !== ended?.item {
        // If it was withdrawn, other work may make the value.
        ended = (pending, try await pending.outcome.wait())
      } else if let arrival {
        guard await arrival.wait() else {
          state.withLock { $0.leave(arrival, for: key.name) }
          throw CancellationError()
        }
      } else {
        // A value that was made has been undone or closed, perhaps before the end of its maker is recorded.
        let failure = ended.flatMap { $0.outcome.isFinished ? nil : $0.outcome }
        throw try await noValue(key.name, failure ?? outcome(of: key.name) ?? ended?.outcome)
      }
    }
  }

  /// The number of calls that wait for values of work that is not registered.
  package var awaitedCount: Int {
    state.withLock { $0.arrivals.values.reduce(0) { $0 + $1.callers } }
  }

  /// Resumes the callers that wait for work of a name, because it was registered.
  func openArrival(of id: LaunchID) {
    // Before `main`, when a dictionary must not be filled, it is empty.
    let arrival = state.withLock { state in
      state.arrivals.isEmpty ? nil : state.arrivals.removeValue(forKey: id)
    }
    arrival?.latch.open()
  }

  /// Resumes the callers that wait for work of any name, because none will be registered.
  func openArrivals() {
    let arrivals = state.withLock { state in
      defer { state.arrivals = [:] }
      return state.arrivals
    }
    for arrival in arrivals.values { arrival.latch.open() }
  }

  /// Returns the value of a key, the work that is yet to make it, or the latch that opens when its work is
  /// registered; nothing if it was not made, or was undone.
  private func source<Value>(
    of key: LaunchKey<Value>
  ) throws -> (value: (any Sendable)?, pending: LaunchItem?, arrival: Latch?) {
    let (value, work, arrival) = state.withLock { state in
      let work = state.machine.work(of: key.name)
      let isOpen = work == nil && !state.machine.isOver
      return (state.values[key.name], work, isOpen ? state.enterArrival(of: key.name) : nil)
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
      let pending = state.withLock { $0.machine.work(of: cause)?.pending }
      next = try await pending?.outcome.wait() ?? self.outcome(of: cause)
      if let next { origin = (cause, next) }
    }
    return LaunchError(.noValue(id, outcome), origin: origin)
  }

  /// Returns the outcome of work that has ended, if it is still known.
  private func outcome(of id: LaunchID) -> LaunchOutcome? {
    state.withLock { $0.machine.work(of: id)?.outcome }
      ?? result.value?.report?.entries.first { $0.id == id }?.outcome
  }
}

/// The ends of values.
extension LaunchLoader {
  /// Undoes or closes what work has made, in a task that no cancellation reaches.
  ///
  /// - Returns: The end of the clean-up; `nil` if it exceeded the limit, and is abandoned.
  nonisolated(nonsending) func cleanUp(
    _ item: LaunchItem,
    undoes: Bool,
    within limit: Duration?,
    _ stopwatch: Stopwatch
  ) async -> Result<Void, any Error>? {
    let (ends, end) = AsyncStream.makeStream(of: Result<Void, any Error>?.self)
    Task { end.yield(await cleanUp(item, undoes: undoes)) }
    let watch = limit.map { limit in
      stopwatch.alarm(at: stopwatch.elapsed().adding(limit)) { end.yield(nil) }
    }
    let result = await Task { await ends.first { _ in true } }.value ?? nil
    watch?.cancel()
    return result
  }

  /// Undoes or closes what work has made, and has released that when it returns.
  nonisolated(nonsending) private func cleanUp(
    _ item: LaunchItem,
    undoes: Bool
  ) async -> Result<Void, any Error> {
    let (cleanUp, kept) = item.takeCleanUp(undoes: undoes)
    let value: (any Sendable)? = takeValue(of: item) ?? kept
    return await item.marked(for: ObjectIdentifier(self)) {
      guard let cleanUp, let value else { return .success(()) }
      do { return .success(try await cleanUp(value)) } catch { return .failure(error) }
    }
  }

  /// Closes a value that was made after the others were closed.
  ///
  /// Nothing waits for that.
  nonisolated(nonsending) func closeLate(_ item: LaunchItem) async {
    if case .failure(let error) = await cleanUp(item, undoes: false) { sayUnclosed(item, error) }
  }

  /// Closes the values that launch work has made and that are not undone, the last one first.
  ///
  /// Called when nothing uses the values any more, not even work after the launch that the stop has cancelled. Each is closed once, in a task that no cancellation reaches. Values
  /// that work makes after that are closed when they are made.
  ///
  /// - Parameters:
  ///   - limit: The time limit of each closure, which is abandoned when it is reached; `nil` means no limit.
  ///   - clock: The clock that measures the limit.
  ///   - say: Receives messages about a closure that takes long, under a lock.
  ///   - report: Receives each value whose closure threw, with the error, or was abandoned, with `nil`.
  nonisolated(nonsending) package func closeValues(
    within limit: Duration?,
    on clock: any Clock<Duration>,
    say: @escaping @Sendable (AppHostMessage) -> Void = { _ in },
    report: (LaunchID, (any Error)?) -> Void
  ) async {
    while let item = state.withLock({ $0.machine.nextToClose() }), let id = item.id {
      let delay = DelayReport(clock) { waited in
        let text = "Still waiting, after \(waited.shortText), for launch value \"\(id)\" to close."
        return AppHostMessage(text, workers: [id.rawValue], state: .stopping, elapsed: waited)
      } send: {
        say($0)
      }
      let end = await cleanUp(item, undoes: false, within: limit, Stopwatch(clock))
      // Before the error is reported.
      delay.end()
      switch end {
      case .success?: break
      case .failure(let error)?: report(id, error)
      case nil: report(id, nil)
      }
    }
  }

  /// Removes the value that a worker made, to undo or close it.
  private func takeValue(of item: LaunchItem) -> (any Sendable)? {
    guard let key = item.makes else { return nil }
    return state.withLock { $0.values.removeValue(forKey: key.name) }
  }
}

/// Waits for the work after the launch, which may use values.
extension [LaunchMachine.Row] {
  /// The names of the work without an outcome.
  var unfinished: [LaunchID] { filter { $0.item.outcome.value == nil }.map(\.id) }

  /// Waits until all of the work has its outcome, regardless of cancellation.
  ///
  /// - Parameters:
  ///   - limit: The maximum time to wait; `nil` means no limit.
  ///   - clock: The clock that measures the limit.
  nonisolated(nonsending) func untilFinished(
    within limit: Duration?,
    on clock: any Clock<Duration>
  ) async {
    let latch = Latch()
    Task {
      for row in self {
        _ = try? await row.item.outcome.wait()  // Reason: nothing cancels the task.
      }
      latch.open()
    }
    await latch.waitUncancelled(within: limit, on: clock)
  }
}

extension LaunchLoader.State {
  /// Returns the latch that opens when work of a name is registered, or when none will be, for one more caller.
  fileprivate mutating func enterArrival(of id: LaunchID) -> Latch {
    let (latch, callers) = arrivals[id] ?? (Latch(), 0)
    arrivals[id] = (latch, callers + 1)
    return latch
  }

  /// Records that a caller no longer waits for a latch, and removes the latch after the last one.
  fileprivate mutating func leave(_ latch: Latch, for id: LaunchID) {
    // Otherwise, the latch was opened meanwhile.
    guard let (current, callers) = arrivals[id], current === latch else { return }
    arrivals[id] = callers > 1 ? (latch, callers - 1) : nil
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
