internal import Synchronization

/// Marks the task of an asynchronous worker, and everything it starts, for as long as the worker runs.
///
/// It lets a wait that can never end be refused. A task inherits the mark, so the mark alone does not
/// say that the worker is still running: that is what `hasEnded` is for. Synchronous workers need no
/// mark, because they cannot wait.
internal final class LaunchContext: Sendable {
  /// The workers that the current task belongs to, the innermost last.
  ///
  /// Marks do not refer to each other: work that starts work, and so on, leaves no chain behind.
  @TaskLocal internal static var current: [LaunchContext] = []

  private let registration: LaunchRegistration
  private let loader: ObjectIdentifier?
  private let hasEnded = Atomic<Bool>(false)

  /// Creates a mark for a worker that begins in the current task.
  ///
  /// - Parameters:
  ///   - registration: The worker.
  ///   - loader: The loader whose launch waits for it, if one does.
  internal init(_ registration: LaunchRegistration, of loader: ObjectIdentifier?) {
    self.registration = registration
    self.loader = loader
  }

  /// This mark after those of the current task whose workers still run.
  internal var withOuter: [LaunchContext] { Self.current.filter(\.isRunning) + [self] }

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
    current.contains { matches($0) && $0.isRunning }
  }

  private var isRunning: Bool { !hasEnded.load(ordering: .acquiring) }
}
