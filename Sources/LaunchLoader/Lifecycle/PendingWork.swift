internal import EventBus

/// The work that an application waits for besides its services: launch work, methods of the delegate and event
/// handlers.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Waiting tasks resume outside the lock.
final class PendingWork: Sendable {
  private struct Item: Sendable {
    let name: @Sendable () -> String
    /// Ends when the handlers or the method have finished, or when it is cancelled; `nil` for launch work.
    let handlers: Task<Void, Never>?
    let hasFinished: @Sendable () -> Bool
  }

  private struct State {
    var items = NumberedList<Item>()
    /// Indicates that handlers are left behind at once.
    var isClosed = false
  }

  private let state = Locked(State())
  private let onLeave: @Sendable (String) -> Void
  /// The result of the launch work; `nil` if it was left behind.
  private let launchEnd = LatchedValue<Result<LaunchReport, any Error>?>()

  /// Creates a list without work.
  ///
  /// - Parameter onLeave: Called with the description of handlers that are left behind.
  init(onLeave: @escaping @Sendable (String) -> Void) { self.onLeave = onLeave }

  /// The descriptions of the pending work, oldest first.
  var names: [String] {
    state.withLock { $0.items.elements }.filter { !$0.hasFinished() }.map { $0.name() }
  }

  /// Waits for launch work, regardless of cancellation, and lists it in ``names`` meanwhile.
  ///
  /// - Parameters:
  ///   - task: The task that runs the work.
  ///   - begin: Called when the work is listed, to start the task.
  /// - Returns: The result; `nil` if the work was left behind.
  nonisolated(nonsending) func launch(
    _ task: Task<LaunchReport, any Error>,
    begin: () -> Void
  ) async -> Result<LaunchReport, any Error>? {
    let item = Item(name: { "launch work" }, handlers: nil, hasFinished: { false })
    let number = state.withLock { $0.items.append(item) }
    defer { remove(number) }
    begin()
    Task { launchEnd.resolve(await task.result) }
    let waiting = Task { try await launchEnd.wait() }
    guard case .success(let end) = await waiting.result else { return nil }
    return end
  }

  /// Stops waiting for the launch work, which continues.
  func leaveLaunch() { launchEnd.resolve(nil) }

  /// Posts an event whose handlers are pending until they have finished, including asynchronous ones and
  /// those on actors.
  ///
  /// - Returns: A number for ``wait(_:)``, or `nil` if all handlers have finished or are left behind.
  func post(
    _ name: EventName<Void>,
    on bus: EventBus,
    from sender: Application,
    isolation: isolated (any Actor)? = #isolation
  ) -> UInt? {
    let completion = bus.postCounting(name, (), from: sender)
    if completion.isDone { return nil }
    let handlers = Task { await completion.wait() }
    return add(
      Item(
        name: { Self.describe(name, bus) },
        handlers: handlers,
        hasFinished: { completion.isDone }
      )
    )
  }

  /// Calls the method of a delegate for an edge, which is pending until it has returned.
  ///
  /// The method is entered on the actor of the caller, and cancelled when it is left behind.
  ///
  /// - Returns: A number for ``wait(_:)``, or `nil` if the method has returned or is left behind.
  func inform(
    _ delegate: any ApplicationDelegate,
    of edge: AppStateMachine.Edge,
    from app: Application,
    _ options: LaunchOptions,
    isolation: isolated (any Actor)? = #isolation
  ) -> UInt? {
    let end = Latch()
    let call: Task<Void, Never>
    // Both tasks capture the actor, so that they run on it.
    if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
      call = Task.immediate {
        _ = isolation
        await edge.inform(delegate, from: app, options)
        end.open()
      }
    } else {
      call = Task {
        _ = isolation
        await edge.inform(delegate, from: app, options)
        end.open()
      }
    }
    if end.isOpen { return nil }
    // In a task, because cancellation handlers may block.
    let waiting = Task { if await !end.wait() { Task.detached { call.cancel() } } }
    let name = "delegate method \(edge.methodName)"
    return add(Item(name: { name }, handlers: waiting, hasFinished: { end.isOpen }))
  }

  /// Adds an item.
  ///
  /// - Returns: Its number, or `nil` if it is left behind.
  private func add(_ item: Item) -> UInt? {
    let number: UInt? = state.withLock { $0.isClosed ? nil : $0.items.append(item) }
    if number == nil { leave(item) }
    return number
  }

  /// Waits until the handlers of a post, or a method, have finished or are left behind, regardless of
  /// cancellation.
  nonisolated(nonsending) func wait(_ number: UInt) async {
    await state.withLock { $0.items.element(number: number) }?.handlers?.value
    remove(number)
  }

  /// Waits until no handler is pending, regardless of cancellation.
  nonisolated(nonsending) func untilHandlersAreDone() async {
    while let number = state.withLock({ Self.handlers(in: $0.items).first?.number }) {
      await wait(number)
    }
  }

  /// Stops waiting for the handlers, which continue, and reports them.
  ///
  /// - Parameter isFinal: Pass `true` to leave the handlers of later posts behind at once.
  func leaveHandlers(isFinal: Bool) {
    let left = state.withLock { state in
      if isFinal { state.isClosed = true }
      let left = Self.handlers(in: state.items)
      for (number, _) in left { _ = state.items.remove(number: number) }
      return left.map(\.element)
    }
    for item in left { leave(item) }
  }

  private func leave(_ item: Item) {
    if !item.hasFinished() { onLeave(item.name()) }
    item.handlers?.cancel()
  }

  private func remove(_ number: UInt) {
    let item = state.withLock { $0.items.remove(number: number) }
    withExtendedLifetime(item) {}
  }

  private static func handlers(
    in items: NumberedList<Item>
  ) -> [(number: UInt, element: Item)] {
    items.entries.filter { $0.element.handlers != nil }
  }

  private static func describe(_ name: EventName<Void>, _ bus: EventBus) -> String {
    let sites = bus.snapshot().observations.filter { $0.name == name.rawValue }.map { "\($0.site)" }
    let suffix = sites.isEmpty ? "" : " (registered at \(sites.joined(separator: ", ")))"
    return "handlers of \(name)\(suffix)"
  }
}
