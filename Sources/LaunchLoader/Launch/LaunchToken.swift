public import EventBus

/// One registration of launch work: its outcome, and the way to take it back.
///
/// Dropping it changes nothing; the registration is kept by its loader.
///
/// ```swift
/// let token = LaunchLoader.register("index") { options in try await Index.open() }
/// let outcome = try await token.wait()
/// ```
///
/// ## Thread safety
///
/// Every member may be called from any thread.
public struct LaunchToken: Sendable {
  private weak let loader: LaunchLoader?
  private let registration: LaunchRegistration
  private let serial: UInt64?
  private let first: LaunchSite?

  /// Creates a token.
  ///
  /// - Parameters:
  ///   - registration: The registration.
  ///   - loader: The loader that keeps it.
  ///   - serial: The number that withdraws it, if it waits for its turn.
  ///   - original: Where its name was taken before, if it was.
  init(
    _ registration: LaunchRegistration,
    of loader: LaunchLoader,
    serial: UInt64?,
    original: LaunchSite? = nil
  ) {
    first = original
    self.registration = registration
    self.loader = loader
    self.serial = serial
  }

  /// Where the registration is written.
  public var site: SourceSite { registration.site.source }

  /// Where the registration is written that took the name first; `nil` if this one has it.
  public var original: SourceSite? { first?.source }

  /// How the work ended; `nil` before that.
  ///
  /// Once there it stays, except that what finished may become ``LaunchOutcome/undone``.
  public var outcome: LaunchOutcome? { registration.outcome.value }

  /// Takes the registration back, unless it has begun.
  ///
  /// A closure that waits for its actor has not begun; one that was registered after the launch counts as
  /// begun.
  ///
  /// Its outcome is then ``LaunchOutcome/skipped(because:)`` with `nil`, it is not in the report, its
  /// name may be registered anew, and its closure has been let go of when the call returns. What needs it is
  /// skipped.
  ///
  /// - Returns: Whether this call took it back.
  /// - Complexity: O(log *n*) in the number of registrations.
  @discardableResult
  public func cancel() -> Bool {
    guard let serial, let loader, let registration = loader.withdraw(serial) else { return false }
    registration.dismiss(.skipped(because: nil))
    return true
  }

  /// Waits for the end of the work.
  ///
  /// - Returns: How it ended; at once if it has.
  /// - Throws: `CancellationError` as soon as the waiting task is cancelled; ``LaunchError`` with the
  ///   code `reentrant` when the worker waits for itself.
  public func wait() async throws -> LaunchOutcome {
    if LaunchContext.isInside(registration) { throw LaunchError(.reentrant) }
    return try await registration.outcome.wait()
  }
}
