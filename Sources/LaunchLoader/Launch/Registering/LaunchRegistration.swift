public import EventBus

/// A registration of launch work, which gives access to its outcome and withdraws it.
///
/// Releasing this value changes nothing, because the loader keeps the registration.
///
/// ```swift
/// let registration = LaunchLoader.register("index") { options in await Task.yield() }
/// try await LaunchLoader.shared.launch()
/// print(try await registration.waitUntilFinished())
/// ```
///
/// ## Thread safety
///
/// All members may be called from any thread.
public struct LaunchRegistration: Sendable {
  private weak let loader: LaunchLoader?
  private let item: LaunchItem
  private let row: Int?

  /// Creates a registration.
  ///
  /// - Parameters:
  ///   - item: The work.
  ///   - loader: The loader that keeps it.
  ///   - row: The row that withdraws it, if it waits for its turn.
  init(_ item: LaunchItem, of loader: LaunchLoader, row: Int?) {
    (self.item, self.loader, self.row) = (item, loader, row)
  }

  /// The source site of the registration.
  public var site: SourceSite { item.site.source }

  /// The source site of the first registration of the same name; `nil` if this registration is the
  /// first.
  public var original: SourceSite? {
    loader?.readNames()
    return item.original?.source
  }

  /// The outcome of the work; `nil` until it has ended.
  ///
  /// Once set, the outcome stays the same, except that ``LaunchOutcome/finished`` may become
  /// ``LaunchOutcome/undone``, or ``LaunchOutcome/timedOut`` if the clean-up exceeds its time limit.
  public var outcome: LaunchOutcome? {
    loader?.readNames()
    return item.outcome.value
  }

  /// Withdraws the registration if it has not begun.
  ///
  /// A closure that waits for its actor has not begun. Work that was registered after the launch and
  /// runs immediately counts as begun.
  ///
  /// When the registration is withdrawn, its outcome is ``LaunchOutcome/skipped(because:)`` with `nil`,
  /// it is absent from the report, its name may be registered again, and its closure has been released
  /// when the call returns. Work that needs it is skipped.
  ///
  /// - Returns: `true` if this call withdrew the registration.
  /// - Complexity: O(log *n*) in the number of registrations.
  @discardableResult
  public func cancel() -> Bool {
    guard let row, let loader, let item = loader.change({ $0.withdraw(row) }) else { return false }
    item.settle(.skipped(because: nil))
    return true
  }

  /// Waits until the work has ended.
  ///
  /// - Returns: The outcome, immediately if the work has ended.
  /// - Throws: `CancellationError` as soon as the waiting task is cancelled; ``LaunchError`` with the code
  ///   `reentrant` if the worker waits for itself. The error is untyped because it may be either of these.
  nonisolated(nonsending) public func waitUntilFinished() async throws -> LaunchOutcome {
    if LaunchContext.isInside(item) { throw LaunchError(.reentrant, worker: item.place) }
    loader?.readNames()
    return try await item.outcome.wait()
  }
}

extension LaunchLoader {
  /// Registers work of any form.
  @inline(never)  // Each of the 24 forms of `register` would contain it, 1.3 kB.
  func add(
    _ id: LaunchID?,
    _ dependencies: [LaunchID],
    _ others: [LaunchID],
    _ phase: LaunchPhase,
    _ timeout: Duration?,
    _ condition: LaunchItem.Condition?,
    _ fileID: StaticString,
    _ line: UInt,
    _ work: LaunchWork
  ) -> LaunchRegistration {
    let item = LaunchItem(
      id,
      LaunchSite(fileID: fileID, line: line),
      after: dependencies,
      afterIfPresent: others,
      phase: phase,
      timeout: timeout,
      when: condition,
      work
    )
    let (row, runsNow) = change { $0.register(item) }
    if let id { openArrival(of: id) }
    guard runsNow, let row, let run = state.withLock({ $0.run }) else {
      return LaunchRegistration(item, of: self, row: row)
    }
    callLate(item, row, run)
    return LaunchRegistration(item, of: self, row: nil)
  }
}
