internal import Synchronization

/// Marks the task of an asynchronous worker, and everything it starts, for as long as the worker runs.
///
/// It lets a wait that can never end be refused. A task inherits the mark, so the mark alone does not
/// say that the worker is still running: that is what `hasEnded` is for. Synchronous workers need no
/// mark, because they cannot wait.
internal final class LaunchContext: Sendable {
  /// The innermost worker that the current task belongs to.
  @TaskLocal internal static var current: LaunchContext?

  private let registration: LaunchRegistration
  private let loader: ObjectIdentifier?
  private let outer: LaunchContext?
  private let hasEnded = Atomic<Bool>(false)

  /// Creates a mark for a worker that begins in the current task.
  ///
  /// - Parameters:
  ///   - registration: The worker.
  ///   - loader: The loader whose launch waits for it, if one does.
  internal init(_ registration: LaunchRegistration, of loader: ObjectIdentifier?) {
    self.registration = registration
    self.loader = loader
    outer = Self.current
  }

  /// Records that the worker has returned.
  internal func end() {
    hasEnded.store(true, ordering: .releasing)
  }

  /// Whether the current task belongs to a running worker that a launch of this loader waits for.
  internal static func isInside(_ loader: LaunchLoader) -> Bool {
    isInside { $0.loader == ObjectIdentifier(loader) }
  }

  /// Whether the current task belongs to this worker, and it is running.
  internal static func isInside(_ registration: LaunchRegistration) -> Bool {
    isInside { $0.registration === registration }
  }

  private static func isInside(_ matches: (LaunchContext) -> Bool) -> Bool {
    var context = current
    while let candidate = context {
      if matches(candidate) && !candidate.hasEnded.load(ordering: .acquiring) { return true }
      context = candidate.outer
    }
    return false
  }
}
