internal import EventBus

/// The work that an application waits for besides its services: launch work and event handlers.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Waiters are resumed outside the lock.
final class PendingWork: Sendable {
  private struct Item: Sendable {
    let name: @Sendable () -> String
    /// Opened when the handlers have finished or are left behind; `nil` for launch work.
    let latch: Latch?
    var task: Task<Void, Never>?
  }

  private struct State: Sendable {
    var items: [Int: Item] = [:]
    var nextKey = 0

    mutating func add(_ item: Item) -> Int {
      defer { nextKey += 1 }
      items[nextKey] = item
      return nextKey
    }
  }

  private let state = Locked(State())
  /// The result of the launch work; `nil` if it was left behind.
  private let launchEnd = LatchedValue<Result<LaunchReport, any Error>?>()

  init() {}

  /// The descriptions of the pending work, oldest first.
  var names: [String] {
    let items = state.withLock { $0.items }
    return items.sorted { $0.key < $1.key }.map { $0.value.name() }
  }

  /// Waits for launch work, regardless of cancellation, and lists it in ``names`` meanwhile.
  ///
  /// - Parameters:
  ///   - task: The task that runs the work.
  ///   - begin: Called when the work is listed, to start the task.
  /// - Returns: The result; `nil` if the work was left behind.
  func launch(
    _ task: Task<LaunchReport, any Error>,
    begin: () -> Void
  ) async -> Result<LaunchReport, any Error>? {
    let key = state.withLock { $0.add(Item(name: { "launch work" }, latch: nil)) }
    defer { end(key) }
    begin()
    Task { launchEnd.resolve(await task.result) }
    let waiting = Task { try await launchEnd.wait() }
    guard case .success(let end) = await waiting.result else { return nil }
    return end
  }

  /// Stops waiting for the launch work, which continues.
  func leaveLaunch() { launchEnd.resolve(nil) }

  /// Posts an event and waits for its handlers, including asynchronous ones and those on actors, until they
  /// have finished or are left behind.
  ///
  /// - Returns: A latch that opens then.
  func post(
    _ name: EventName<Void>,
    on bus: EventBus,
    from sender: Application,
    isolation: isolated (any Actor)? = #isolation
  ) -> Latch {
    let latch = Latch()
    let completion = bus.postCounting(name, (), from: sender).completion
    if completion.isDone {
      latch.open()
      return latch
    }
    let text = { @Sendable in Self.describe(name, bus) }
    let key = state.withLock { $0.add(Item(name: text, latch: latch)) }
    let task = Task {
      await completion.wait()
      end(key)
    }
    let isLeft = state.withLock { state in
      state.items[key]?.task = task
      return state.items[key] == nil
    }
    if isLeft { task.cancel() }
    return latch
  }

  /// Waits until no handler is pending, regardless of cancellation.
  func untilHandlersAreDone() async {
    while let latch = state.withLock({ $0.items.values.lazy.compactMap(\.latch).first }) {
      await Task { _ = await latch.wait() }.value
    }
  }

  /// Stops waiting for the handlers, which continue.
  ///
  /// - Returns: The descriptions of the handlers.
  func leaveHandlers() -> [String] {
    let items = state.withLock { state in
      let items = state.items.filter { $0.value.latch != nil }
      for key in items.keys { state.items[key] = nil }
      return items.sorted { $0.key < $1.key }.map(\.value)
    }
    for item in items {
      item.task?.cancel()
      item.latch?.open()
    }
    return items.map { $0.name() }
  }

  private func end(_ key: Int) {
    state.withLock { $0.items.removeValue(forKey: key) }?.latch?.open()
  }

  private static func describe(_ name: EventName<Void>, _ bus: EventBus) -> String {
    let sites = bus.snapshot().observations.filter { $0.name == name.rawValue }.map { "\($0.site)" }
    let suffix = sites.isEmpty ? "" : " (registered at \(sites.joined(separator: ", ")))"
    return "handlers of \(name)\(suffix)"
  }
}
