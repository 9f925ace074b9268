internal import Synchronization

/// Identifies the task of an asynchronous worker, and the tasks it starts, while the worker runs.
///
/// It is used to refuse waits that could never end. Tasks inherit the context and may outlive the
/// worker, so `hasEnded` records its end. Synchronous workers need no context, because they cannot
/// wait.
final class LaunchContext: Sendable {
  /// The workers that the current task belongs to, from the outermost to the innermost.
  ///
  /// Contexts do not refer to each other, so work that repeatedly starts work leaves no chain behind.
  @TaskLocal static var current: [LaunchContext] = []

  private let item: LaunchItem
  private let loader: ObjectIdentifier?
  private let hasEnded = Atomic<Bool>(false)

  /// Creates a context for a worker that begins in the current task.
  ///
  /// - Parameters:
  ///   - item: The item of the worker.
  ///   - loader: The loader whose launch waits for the worker, if there is one.
  init(_ item: LaunchItem, of loader: ObjectIdentifier?) {
    self.item = item
    self.loader = loader
  }

  /// The contexts of the current task whose workers still run, followed by this one.
  var withOuter: [LaunchContext] {
    Self.current.filter(\.isRunning) + CollectionOfOne(self)
  }

  /// Records that the worker has returned.
  func end() { hasEnded.store(true, ordering: .releasing) }

  /// Indicates whether the current task belongs to a running worker of the loader's launch.
  static func isInside(_ loader: ObjectIdentifier) -> Bool {
    isInside { $0.loader == loader }
  }

  /// Indicates whether the current task belongs to this worker, while it runs.
  static func isInside(_ item: LaunchItem) -> Bool {
    isInside { $0.item === item }
  }

  private static func isInside(_ matches: (LaunchContext) -> Bool) -> Bool {
    current.contains { matches($0) && $0.isRunning }
  }

  private var isRunning: Bool { !hasEnded.load(ordering: .acquiring) }
}
