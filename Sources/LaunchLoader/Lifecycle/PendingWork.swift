internal import EventBus

/// The work that an application waits for besides its services: launch work, methods of the delegate and event
/// handlers.
///
/// Everything is listed from its beginning, so that messages name it. What has suspended can be abandoned;
/// what blocks its thread cannot.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Waiting tasks resume outside the lock.
final class PendingWork: Sendable {
  private struct Item: Sendable {
    let name: @Sendable () -> String
    /// Returns the names of the launch work that is meant.
    var workers: @Sendable () -> [String] = { [] }
    var hasFinished: @Sendable () -> Bool = { false }
    /// The task of a method.
    var call: LateTask?
    /// Ends when the handlers or the method have finished, or when it is cancelled.
    ///
    /// `nil` for launch work, and for other work before it has suspended, except a reload.
    var rest: Task<Void, Never>?
  }

  private struct State: ~Copyable {
    var items: [UInt: Item] = [:]
    var nextNumber: UInt = 0
    /// Indicates that the stop was requested: methods that do not belong to it are cancelled.
    var isStopping = false
    /// Work with a lower number is abandoned as soon as it suspends; ``UInt/max`` means all work.
    var firstKept: UInt = 0

    /// The items that can be abandoned, and that the stop waits for, oldest first.
    var suspended: [(number: UInt, item: Item)] {
      items.filter { $0.value.rest != nil }.ordered { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  private let state = Locked(State())
  private let alarms: ServiceAlarms
  private let loader: LaunchLoader
  private let onMessage: @Sendable (AppHostMessage) -> Void
  /// The result of the launch work; `nil` if it was abandoned.
  private let launchEnd = LatchedValue<Result<LaunchReport, any Error>?>()

  /// Creates a list without work.
  ///
  /// - Parameters:
  ///   - alarms: The alarms of the application.
  ///   - loader: The loader whose work is awaited.
  ///   - onMessage: Called with messages about work that takes long or is abandoned.
  init(
    _ alarms: ServiceAlarms,
    _ loader: LaunchLoader,
    onMessage: @escaping @Sendable (AppHostMessage) -> Void
  ) {
    (self.alarms, self.loader) = (alarms, loader)
    self.onMessage = onMessage
  }

  /// The descriptions of the pending work, oldest first, and the names of the launch work among it.
  var delays: ServiceRunner.Delays {
    let items = state.withLock { $0.items }.ordered { $0.key < $1.key }.map(\.value)
      .filter { !$0.hasFinished() }
    return (items.map { $0.name() }, items.flatMap { $0.workers() })
  }

  /// Waits for launch work, regardless of cancellation, and lists it meanwhile.
  ///
  /// - Parameters:
  ///   - task: The task that runs the work.
  ///   - begin: Called when the work is listed, to start the task.
  /// - Returns: The result; `nil` if the work was abandoned.
  nonisolated(nonsending) func launch(
    _ task: Task<LaunchReport, any Error>,
    begin: () -> Void
  ) async -> Result<LaunchReport, any Error>? {
    let workers: @Sendable () -> [String] = { [loader] in loader.unfinished.map(\.rawValue) }
    let item = Item(name: { Self.describe(workers()) }, workers: workers)
    let number = add(item)
    defer { end(number) }
    begin()
    Task { launchEnd.resolve(await task.result) }
    let waiting = Task { try await launchEnd.wait() }
    guard case .success(let end) = await waiting.result else { return nil }
    return end
  }

  /// Stops waiting for the launch work, which continues.
  func leaveLaunch() { launchEnd.resolve(nil) }

  /// Lists the handlers of an event that is about to be posted.
  ///
  /// - Returns: A number for ``end(_:)``, to be called when the post has returned.
  func beginPost(_ event: String, of app: AppHost) -> UInt {
    begin(Item(name: { Self.describe(event, app.bus) }), of: app)
  }

  /// Posts an event whose handlers are pending until they have finished, including asynchronous ones and
  /// those on actors.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - app: The application that posts it.
  ///   - precedesStop: Whether the event is not posted once the stop was requested. A stop requested during the
  ///     post waits for it; otherwise the caller delays the stop until the post has returned.
  ///   - isolation: The isolation of the caller.
  /// - Returns: A number for ``wait(_:)``, or `nil` if all handlers have finished or are abandoned.
  func postAwaited(
    _ name: EventName<Void>,
    of app: AppHost,
    precedesStop: Bool,
    isolation: isolated (any Actor)? = #isolation
  ) -> UInt? {
    let isDone = Latch()
    let rest = Task { _ = await isDone.wait() }
    let item = Item(
      name: { Self.describe(name.name, app.bus) },
      hasFinished: { isDone.isOpen },
      rest: precedesStop ? rest : nil
    )
    let number = begin(item, of: app)
    // Checked when it is listed, so that the stop waits for every post.
    let completion =
      precedesStop && app.runner.isStopRequested ? nil : app.bus.postCounting(name, (), from: app)
    guard let completion, !completion.isDone else {
      isDone.open()
      end(number)
      return nil
    }
    Task {
      await completion.wait()
      isDone.open()
    }
    return suspend(number, rest)
  }

  /// Calls the method of a delegate for an edge, which is pending until it has returned.
  ///
  /// The method is entered on the actor of the caller. It is cancelled when the application is requested to
  /// stop, unless it belongs to the stop, and when it is abandoned.
  ///
  /// - Parameters:
  ///   - delegate: The delegate.
  ///   - edge: The edge.
  ///   - app: The application.
  ///   - options: The options of the launch, for the edges that pass them.
  ///   - isOfStop: Whether the edge belongs to the stop.
  ///   - isolation: The isolation of the caller.
  /// - Returns: A number for ``wait(_:)``, or `nil` if the method has returned or is abandoned.
  func inform(
    _ delegate: any AppHostDelegate,
    of edge: AppStateMachine.Edge,
    from app: AppHost,
    _ options: LaunchOptions,
    isOfStop: Bool,
    isolation: isolated (any Actor)? = #isolation
  ) -> UInt? {
    let (hasEnded, call) = (Latch(), LateTask())
    let name = "delegate method \(edge.methodName)"
    let number = begin(Item(name: { name }, hasFinished: { hasEnded.isOpen }, call: call), of: app)
    // Queued before the stop, and reached after the request.
    if !isOfStop, state.withLock({ $0.isStopping }) { call.cancel() }
    let run: nonisolated(nonsending) @Sendable () async -> Void = {
      call.begin()
      await edge.inform(delegate, from: app, options)
      await call.end()?.waitUncancelled()
      hasEnded.open()
    }
    // Both tasks capture the actor, so that they run on it.
    let task: Task<Void, Never>
    if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
      task = Task.immediate {
        _ = isolation
        await run()
      }
    } else {
      task = Task {
        _ = isolation
        await run()
      }
    }
    call.adopt(task)
    if hasEnded.isOpen {
      end(number)
      return nil
    }
    return suspend(number, Task { _ = await hasEnded.wait() })
  }

  /// Cancels the methods of the delegate, so that they can end early: those in progress when the stop is
  /// requested, and later those of edges that precede the stop.
  ///
  /// Only the first call counts: a later one would cancel the methods of the stop.
  func cancelMethods() {
    let calls = state.withLock { state in
      defer { state.isStopping = true }
      return state.isStopping ? [] : state.items.values.compactMap(\.call)
    }
    for call in calls { call.cancel() }
  }

  /// Waits until the handlers of a post, or a method, have finished or are abandoned, regardless of
  /// cancellation.
  nonisolated(nonsending) func wait(_ number: UInt) async {
    await state.withLock { $0.items[number]?.rest }?.value
    end(number)
  }

  /// Waits until nothing that has suspended is pending, regardless of cancellation.
  nonisolated(nonsending) func untilHandlersAreDone() async {
    while let number = state.withLock({ $0.suspended.first?.number }) { await wait(number) }
  }

  /// Stops waiting for handlers and methods, which continue, and reports them.
  ///
  /// Those that have not suspended yet are abandoned as soon as they do.
  ///
  /// - Parameter isFinal: Pass `true` to abandon later ones, too.
  func leaveHandlers(isFinal: Bool) {
    let left = state.withLock { state in
      state.firstKept = isFinal ? .max : max(state.firstKept, state.nextNumber)
      let left = state.suspended
      for (number, _) in left { state.items[number] = nil }
      return left
    }
    for (number, item) in left { leave(number, item) }
  }

  /// Removes an item.
  func end(_ number: UInt) {
    alarms.remove(.work(number), upTo: .start)
    let item = state.withLock { $0.items.removeValue(forKey: number) }
    withExtendedLifetime(item) {}
  }

  private func add(_ item: Item) -> UInt {
    state.withLock { state in
      defer { state.nextNumber += 1 }
      state.items[state.nextNumber] = item
      return state.nextNumber
    }
  }

  /// Adds an item, and reports it for as long as it is listed, except during the start and the stop, whose
  /// messages name it.
  private func begin(_ item: Item, of app: AppHost) -> UInt {
    let number = add(item)
    alarms.setReports(.work(number)) { [self] waited in
      guard let item = state.withLock({ $0.items[number] }) else { return false }
      if !app.runner.isInTransition, !item.hasFinished() {
        let text = "waiting for \(item.name()), for \(waited.shortText) now"
        onMessage(AppHostMessage(text, elapsed: waited))
      }
      return true
    }
    return number
  }

  /// Records that the work of an item has suspended.
  ///
  /// - Parameters:
  ///   - number: The number of the item.
  ///   - rest: Ends when the work has finished, or when it is cancelled.
  /// - Returns: The number, or `nil` if the item is abandoned.
  private func suspend(_ number: UInt, _ rest: Task<Void, Never>) -> UInt? {
    let left: Item? = state.withLock { state in
      guard var item = state.items.removeValue(forKey: number) else { return nil }
      item.rest = rest
      if number < state.firstKept { return item }
      state.items[number] = item
      return nil
    }
    guard let left else { return number }
    leave(number, left)
    return nil
  }

  private func leave(_ number: UInt, _ item: Item) {
    alarms.remove(.work(number), upTo: .start)
    if !item.hasFinished() { onMessage(AppHostMessage("abandoned: \(item.name())")) }
    item.call?.cancel()
    item.rest?.cancel()
  }

  /// Returns a description of launch work, which names at most eight workers.
  private static func describe(_ workers: [String]) -> String {
    // Nothing runs: the work that has ended was the last, or the next has not begun.
    if workers.isEmpty { return "launch work" }
    let names = workers.prefix(8).map { "\"\($0)\"" }.joined(separator: ", ")
    let rest = workers.count - 8
    return "launch work \(names)" + (rest > 0 ? " and \(rest) more" : "")
  }

  /// Returns a description of the handlers of an event, with their source sites.
  static func describe(_ event: String, _ bus: EventBus) -> String {
    let sites = bus.snapshot().observations.filter { $0.name == event }.map { "\($0.site)" }
    let suffix = sites.isEmpty ? "" : " (registered at \(sites.joined(separator: ", ")))"
    return "handlers of \(event)\(suffix)"
  }
}
