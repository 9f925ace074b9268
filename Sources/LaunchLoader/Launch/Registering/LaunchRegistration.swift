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
  private let registration: LaunchItem
  private let row: Int?
  private let first: LaunchSite?

  /// Creates a registration.
  ///
  /// - Parameters:
  ///   - registration: The registration.
  ///   - loader: The loader that keeps it.
  ///   - row: The row that withdraws it, if it waits for its turn.
  ///   - original: The source site of the first registration of its name, if this is a duplicate.
  init(
    _ registration: LaunchItem,
    of loader: LaunchLoader,
    row: Int? = nil,
    original: LaunchSite? = nil
  ) {
    first = original
    self.registration = registration
    self.loader = loader
    self.row = row
  }

  /// The source site of the registration.
  public var site: SourceSite { registration.site.source }

  /// The source site of the first registration of the same name; `nil` if this registration is the
  /// first.
  public var original: SourceSite? { first?.source }

  /// The outcome of the work; `nil` until it has ended.
  ///
  /// Once set, the outcome stays the same, except that ``LaunchOutcome/finished`` may become
  /// ``LaunchOutcome/undone``, or ``LaunchOutcome/timedOut`` if the clean-up exceeds its time limit.
  public var outcome: LaunchOutcome? { registration.outcome.value }

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
    guard let row, let loader, let registration = loader.withdraw(row) else { return false }
    registration.dismiss(.skipped(because: nil))
    return true
  }

  /// Waits until the work has ended.
  ///
  /// - Returns: The outcome, immediately if the work has ended.
  /// - Throws: `CancellationError` as soon as the waiting task is cancelled; ``LaunchError`` with the
  ///   code `reentrant` if the worker waits for itself. The type of the error is open because there are these
  ///   two.
  nonisolated(nonsending) public func waitUntilFinished() async throws -> LaunchOutcome {
    if LaunchContext.isInside(registration) { throw LaunchError(.reentrant) }
    return try await registration.outcome.wait()
  }
}
