extension EventBus {
  /// Waits until every event of the bus has been handled.
  ///
  /// The method returns when every event that was enqueued, waited for an actor or an asynchronous handler, or
  /// was being handled at the call has been handled, and whatever those have caused on this bus. Use it in
  /// tests of code that posts, and at the orderly end of a program.
  ///
  /// ```swift
  /// let bus = EventBus()
  /// let name = EventName<Int>("document.didSave")
  /// let token = bus.observe(name) { @MainActor size in print("saved", size) }
  /// bus.enqueue(name, 42)
  /// try await bus.waitUntilSettled(within: .seconds(5))  // saved 42
  /// token.cancel()
  /// ```
  ///
  /// The wait ends at a moment without any such event. It therefore includes the events that other code posts
  /// meanwhile, and does not end while code keeps posting to handlers that run later. It does not include
  /// events in the buffers of streams, tasks that a handler has started, timers, and other buses.
  ///
  /// An asynchronous handler may call the method in its own task. The wait then leaves out that call, the other
  /// events for the same handler, which wait for it, and calls of handlers that wait in the same way, here or in
  /// `postAndWait`. A task that the handler starts and waits for cannot be distinguished from others, so the
  /// handler would wait for itself: pass a limit.
  ///
  /// - Parameters:
  ///   - limit: The time after which the wait is given up; `nil` for no limit.
  ///   - clock: The clock that measures the limit.
  /// - Throws: ``EventBus/SettlingError``, which says what is left, when the time is up; `CancellationError` if the task
  ///   is cancelled.
  /// - Complexity: O(*n*) in the number of event names, each time that the queues are empty. Posts that call
  ///   their handlers directly pay nothing for it.
  public func waitUntilSettled<C: Clock>(
    within limit: Duration? = nil,
    clock: C = ContinuousClock()
  ) async throws where C.Duration == Duration {
    try await busState.waitUntilSettled(within: limit, clock) { self.lists }
  }

  /// The lists of all names, and that of the observers of every event.
  var lists: [any NamedObservers] {
    table.objects.compactMap { $0 as? any NamedObservers } + [wildcards]
  }
}

extension ReadableSignal {
  /// Waits until every event of the signal has been handled.
  ///
  /// The method does for a signal what ``EventBus/EventBus/waitUntilSettled(within:clock:)`` does for a bus. For
  /// the signal of a name of a bus, it also waits for the queues of that bus.
  ///
  /// ```swift
  /// let didSave = Signal<Int>()
  /// let token = didSave.observe { size async in print("saved", size) }
  /// didSave.send(42)
  /// try await didSave.waitUntilSettled(within: .seconds(5))  // saved 42
  /// token.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - limit: The time after which the wait is given up; `nil` for no limit.
  ///   - clock: The clock that measures the limit.
  /// - Throws: ``EventBus/SettlingError``, which says what is left, when the time is up; `CancellationError` if the task
  ///   is cancelled.
  public func waitUntilSettled<C: Clock>(
    within limit: Duration? = nil,
    clock: C = ContinuousClock()
  ) async throws where C.Duration == Duration {
    let core = readOnly.core
    try await core.busState.waitUntilSettled(within: limit, clock) { [core] }
  }
}

extension BusState {
  /// Waits until the queues are empty and no post is in progress in some lists.
  fileprivate func waitUntilSettled<C: Clock>(
    within limit: Duration?,
    _ clock: C,
    _ lists: @escaping @Sendable () -> [any NamedObservers]
  ) async throws where C.Duration == Duration {
    let call = RunningCall.current
    let isSettled = await completes(within: limit, on: clock) { [counts] in
      await counts.settle(call) {
        for list in lists() where await !list.waitForPosts() { return false }
        return true
      }
    }
    try Task.checkCancellation()
    if isSettled { return }
    let own = Set(call.map { $0.chain.map(\.registration) } ?? [])
    var remaining = lists().flatMap { $0.unhandled(except: own) }
    for (name, count) in Dictionary(enqueued.map { ($0.name, $0.count) }, uniquingKeysWith: +) {
      remaining.append(EventBus.SettlingError.Remainder(name: name, waitingCount: count))
    }
    if remaining.isEmpty {
      // Events move while the lists are looked at, one after another. The newest turn is that of such an event.
      let newest = counts.newestTurn
      let name = lists().first { ObjectAddress.of($0) == newest }?.name
      remaining.append(EventBus.SettlingError.Remainder(name: name ?? "an event"))
    }
    throw EventBus.SettlingError(
      label: label,
      limit: limit ?? .zero,
      remaining: remaining.ordered { $0.name < $1.name }
    )
  }
}

extension SignalCore {
  func waitForPosts() async -> Bool {
    let stamp = stamp
    return stamp == 0 ? true : await waitUntilFree(stamp)
  }

  func unhandled(except own: Set<ObjectIdentifier>) -> [EventBus.SettlingError.Remainder] {
    // Read first: looking at the observers counts as a visit.
    let posts = runningPostCount
    var remaining: [EventBus.SettlingError.Remainder] = []
    func add(_ registration: ObserverRegistration, waitingCount: Int) {
      let running = registration.runningCount
      if own.contains(ObjectIdentifier(registration)) || waitingCount == 0 && running == 0 {
        return
      }
      remaining.append(
        EventBus.SettlingError.Remainder(
          name: name,
          registeredAt: SourceSite(registration.site),
          waitingCount: waitingCount,
          runningCount: running
        )
      )
    }
    forEach { sink in
      let content = sink.content
      if content?.isStream == true { return }
      add(sink.registration, waitingCount: content?.waitingCount ?? 0)
    }
    for registration in endedInCall { add(registration, waitingCount: 0) }
    if posts > 0 {
      remaining.append(EventBus.SettlingError.Remainder(name: name, runningCount: posts))
    }
    return remaining
  }
}

extension EventBus {
  /// The error of a wait for a bus or a signal that has not settled in time.
  public struct SettlingError: Error, CustomStringConvertible {
    /// Events of one name, or of one handler, that have not been handled.
    public struct Remainder: Hashable, Sendable, CustomStringConvertible {
      /// The string of the event's name, or the label of a signal.
      public let name: String
      /// The source site of the handler; `nil` for events that were enqueued, for posts in progress, and for an event that
      /// is about to be enqueued or to reach its handler.
      public let registeredAt: SourceSite?
      /// The number of events that wait for the handler, or, without a handler, for a turn.
      public let waitingCount: Int
      /// The number of running calls of the handler, or, without a handler, of posts in progress.
      public let runningCount: Int

      init(
        name: String,
        registeredAt: SourceSite? = nil,
        waitingCount: Int = 0,
        runningCount: Int = 0
      ) {
        (self.name, self.registeredAt) = (name, registeredAt)
        (self.waitingCount, self.runningCount) = (waitingCount, runningCount)
      }

      /// The name, the handler and the numbers.
      public var description: String {
        let name = name.isEmpty ? "a signal" : name
        guard let registeredAt else {
          if waitingCount > 0 { return "\(name), enqueued: \(waitingCount)" }
          return runningCount > 0
            ? "\(name), posts in progress: \(runningCount)" : "\(name), on its way"
        }
        return
          "\(name), handler registered at \(registeredAt): \(waitingCount) waiting,"
          + " \(runningCount) running"
      }
    }

    /// The label of the bus or signal.
    public let label: String
    /// The time after which the wait was given up.
    public let limit: Duration
    /// What is left, by name; never empty.
    ///
    /// If handlers keep causing each other's events, these can move from one handler to the next while they are
    /// counted. If no event is found waiting or being handled, this contains the newest one, with zero counts.
    public let remaining: [Remainder]

    /// A line that says what is left; control characters in names are escaped.
    public var description: String {
      let left = remaining.map(\.description).joined(separator: "; ")
      let text =
        "EventBus: \(label.isEmpty ? "Did" : "\"\(label)\" did") not settle within \(limit)."
        + " Still busy: \(left). Let these handlers return, or pass a longer limit."
      return text.onOneLine
    }
  }
}
