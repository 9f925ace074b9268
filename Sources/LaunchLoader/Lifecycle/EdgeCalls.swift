internal import EventBus

/// The methods of the delegate and the event handlers that a host waits for.
///
/// Work is listed when it begins, so that messages can name it. Suspended work can be abandoned; blocked work
/// cannot.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Tasks are cancelled, and waiters resumed, outside the lock.
final class EdgeCalls: Sendable {
  /// A method, or the handlers of a post.
  final class Call: Sendable {
    fileprivate struct State {
      var hasFinished = false
      var isCancelled = false
      var task: Task<Void, Never>?
    }

    /// Opens when the method or the handlers have finished, or are abandoned.
    let end = Latch()
    fileprivate let number: UInt
    fileprivate let name: @Sendable () -> String
    fileprivate let state = Locked(State())
    fileprivate let report: DelayReport

    fileprivate init(
      _ number: UInt,
      _ name: @escaping @Sendable () -> String,
      _ report: DelayReport
    ) {
      (self.number, self.name, self.report) = (number, name, report)
    }

    fileprivate var hasFinished: Bool { state.withLock { $0.hasFinished } }

    /// Stores the task of a method, and cancels it if the cancellation came first.
    fileprivate func adopt(_ task: Task<Void, Never>) {
      let isLate = state.withLock { state in
        if !state.hasFinished { state.task = task }
        return state.isCancelled
      }
      if isLate { Task.detached { task.cancel() } }
    }

    /// Cancels the method, in a task, because cancellation handlers are code of the program.
    fileprivate func cancel() {
      let task = state.withLock { state in
        state.isCancelled = true
        return state.task
      }
      if let task { Task.detached { task.cancel() } }
    }
  }

  private struct State: ~Copyable {
    var calls: [UInt: Call] = [:]
    /// The numbers of the calls that can be abandoned, and that the stop waits for.
    var suspended: Set<UInt> = []
    var nextNumber: UInt = 0
    /// True if the stop was requested: methods that do not belong to it are cancelled.
    var isStopping = false
    /// A call with a lower number is abandoned as soon as it can be.
    var firstKept: UInt = 0

    /// The calls that can be abandoned, oldest first.
    var suspendedCalls: [Call] {
      calls.values.filter { suspended.contains($0.number) }.ordered { $0.number < $1.number }
    }
  }

  private let state = Locked(State())
  private let clock: any Clock<Duration>
  private let onMessage: @Sendable (AppHostMessage) -> Void

  /// Creates a list without calls.
  ///
  /// - Parameters:
  ///   - clock: The clock of the messages about delays.
  ///   - onMessage: Called with messages about calls that take long or are abandoned, possibly under a lock.
  init(_ clock: any Clock<Duration>, onMessage: @escaping @Sendable (AppHostMessage) -> Void) {
    (self.clock, self.onMessage) = (clock, onMessage)
  }

  /// The descriptions of the calls in progress, oldest first.
  var names: [String] {
    state.withLock { $0.calls }.values.ordered { $0.number < $1.number }.filter { !$0.hasFinished }
      .map { $0.name() }
  }

  // MARK: Posts

  /// Lists the handlers of an event that is about to be posted.
  ///
  /// - Parameters:
  ///   - event: The name of the event.
  ///   - app: The host that posts it.
  ///   - mayBeAbandoned: Whether the wait for the handlers is in another task than the post.
  /// - Returns: The call, for ``finish(_:)`` or ``suspend(_:until:)``.
  func list(handlersOf event: String, of app: AppHost, mayBeAbandoned: Bool = false) -> Call {
    begin({ Self.describe(event, app.bus) }, of: app, mayBeAbandoned: mayBeAbandoned)
  }

  /// Records that a post has returned, and that its handlers go on until a completion.
  func suspend(_ call: Call, until completion: Completion) {
    if completion.isDone { return finish(call) }
    Task {
      await completion.wait()
      finish(call)
    }
    let isLeft = state.withLock { state in
      guard state.calls[call.number] != nil else { return false }
      state.suspended.insert(call.number)
      return call.number < state.firstKept
    }
    if isLeft { abandon(call) }
  }

  // MARK: Methods

  /// Calls the method of a delegate for a state change, in a task on the actor of the caller.
  ///
  /// It is cancelled when the host is requested to stop, unless it belongs to the stop, and when it is abandoned.
  ///
  /// - Parameters:
  ///   - delegate: The delegate.
  ///   - edge: The state change.
  ///   - app: The host.
  ///   - options: The options of the launch, for the methods that receive them.
  ///   - isOfStop: Whether the state change belongs to the stop.
  ///   - isolation: The isolation of the caller.
  /// - Returns: The call.
  func inform(
    _ delegate: any AppHostDelegate,
    of edge: AppStateMachine.Edge,
    from app: AppHost,
    _ options: LaunchOptions,
    isOfStop: Bool,
    isolation: isolated (any Actor)? = #isolation
  ) -> Call {
    let name = "delegate method \(edge.methodName)"
    let call = begin({ name }, of: app, mayBeAbandoned: true)
    let task = Task {
      // Captured so that the task runs on this actor.
      _ = isolation
      // Queued before the stop, and reached after the request.
      if !isOfStop, state.withLock({ $0.isStopping }) {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }  // Reason: within the call.
      }
      await edge.inform(delegate, from: app, options)
      finish(call)
    }
    call.adopt(task)
    return call
  }

  /// Cancels the methods of the delegate, so that they can end early: those in progress when the stop is
  /// requested, and later those of state changes that precede the stop.
  ///
  /// Only the first call has an effect: a later one would cancel the methods of the stop.
  func cancelMethods() {
    let calls = state.withLock { state in
      defer { state.isStopping = true }
      return state.isStopping ? [] : Array(state.calls.values)
    }
    for call in calls { call.cancel() }
  }

  // MARK: Ends

  /// Waits until nothing that can be abandoned is in progress, regardless of cancellation.
  nonisolated(nonsending) func untilDone() async {
    while let call = state.withLock({ $0.suspendedCalls.first }) {
      await call.end.waitUncancelled()
    }
  }

  /// Records that a call has finished.
  func finish(_ call: Call) {
    remove(call)
    let task = call.state.withLock { state in
      state.hasFinished = true
      return state.task.take()
    }
    withExtendedLifetime(task) {}
    call.end.open()
  }

  /// Stops waiting for the calls that can be abandoned, which continue, and reports them.
  ///
  /// Others are abandoned as soon as they can be; later ones are not.
  func abandonAll() {
    let calls = state.withLock { state in
      state.firstKept = state.nextNumber
      return state.suspendedCalls
    }
    for call in calls { abandon(call) }
  }

  /// Abandons what can be abandoned, and reports nothing any more.
  func close() {
    abandonAll()
    for call in state.withLock({ $0.calls }).values { call.report.end() }
  }

  /// Stops waiting for a call, which continues, and reports it.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - reason: The reason, for the message.
  func abandon(_ call: Call, because reason: String = "") {
    guard remove(call) else { return }
    if !call.hasFinished { onMessage(AppHostMessage("Abandoned: \(call.name())\(reason).")) }
    call.cancel()
    call.end.open()
  }

  /// Removes a call from the list.
  ///
  /// - Returns: `false` if it was removed before.
  @discardableResult
  private func remove(_ call: Call) -> Bool {
    call.report.end()
    return state.withLock { state in
      state.suspended.remove(call.number)
      return state.calls.removeValue(forKey: call.number) != nil
    }
  }

  /// Lists a call, and reports it for as long as it is listed, except during the start and the stop, whose
  /// messages name it.
  private func begin(
    _ name: @escaping @Sendable () -> String,
    of app: AppHost,
    mayBeAbandoned: Bool
  ) -> Call {
    let report = DelayReport(clock) { [runner = app.runner] waited in
      if runner.machine({ $0.transition != nil }) { return nil }
      let text = "Still waiting, after \(waited.shortText), for \(name())."
      return AppHostMessage(text, elapsed: waited)
    } send: { [onMessage] in
      onMessage($0)
    }
    return state.withLock { state in
      let call = Call(state.nextNumber, name, report)
      state.calls[call.number] = call
      if mayBeAbandoned { state.suspended.insert(call.number) }
      state.nextNumber += 1
      return call
    }
  }

  /// Returns a description of the handlers of an event, with their source sites.
  static func describe(_ event: String, _ bus: EventBus) -> String {
    let sites = bus.snapshot().observations.filter { $0.name == event }.map { "\($0.site)" }
    let suffix = sites.isEmpty ? "" : " (registered at \(sites.joined(separator: ", ")))"
    return "handlers of \(event)\(suffix)"
  }
}
