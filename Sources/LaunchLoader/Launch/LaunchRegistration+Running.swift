internal import Synchronization

extension LaunchRegistration {
  /// Calls synchronous work on the current thread; if it has an actor, the caller must run on that
  /// actor.
  ///
  /// The closure has been released when this call returns, before the outcome is published.
  ///
  /// - Parameters:
  ///   - options: The options that the work receives.
  ///   - loader: The loader, which has the values that it needs.
  /// - Returns: The outcome.
  func call(_ options: LaunchOptions, of loader: LaunchLoader) -> LaunchOutcome {
    do {
      switch takeWork() {
      case .synchronous(let call): try call(options)
      case .exchange(let exchange):
        if let value = try exchange.call(options, loader.values(for: self)) { keep(value: value) }
      case .asynchronous, .type, nil: return .skipped(because: nil)
      }
      return .finished
    } catch {
      return .failed(error)
    }
  }

  /// Runs work of any kind where it belongs, unless it may no longer begin when it gets there.
  ///
  /// The closure has been released when this call returns, before the outcome is published. The actor
  /// of a type is unknown: its worker begins when it is created, and `launch(_:)` may then have to wait
  /// for an actor.
  ///
  /// - Parameters:
  ///   - options: The options that the work receives.
  ///   - loader: The loader whose launch waits for the work, if there is one.
  ///   - keepsWorker: `true` to keep a worker that finishes, for a rollback.
  ///   - begins: A closure that decides whether the work begins, called on its actor right before the
  ///     work. It returns the values that the work needs, or `nil` if it may no longer begin.
  /// - Returns: The outcome; `nil` if the work did not begin.
  nonisolated(nonsending) func run(
    _ options: LaunchOptions,
    for loader: ObjectIdentifier?,
    keepsWorker: Bool,
    ifStillWanted begins: @Sendable () -> LaunchValues?
  ) async -> LaunchOutcome? {
    let actor = actor
    guard isAsynchronous else {
      return await perform(options, keepsWorker: false, on: actor, begins)
    }
    return await marked(for: loader) {
      await self.perform(options, keepsWorker: keepsWorker, on: actor, begins)
    }
  }

  /// Undoes a worker that was kept, or the value that the work made, and releases it.
  ///
  /// - Parameters:
  ///   - value: The value that the work made, if it made one.
  ///   - loader: The loader whose launch waits for the clean-up.
  nonisolated(nonsending) func undo(
    _ value: consuming (any Sendable)?,
    for loader: ObjectIdentifier
  ) async {
    if let undo = takeUndo() { await marked(for: loader) { await undo(value) } }
  }

  private func perform(
    _ options: LaunchOptions,
    keepsWorker: Bool,
    on actor: isolated (any Actor)?,
    _ begins: @Sendable () -> LaunchValues?
  ) async -> LaunchOutcome? {
    guard let values = begins() else { return nil }
    do {
      switch takeWork() {
      case .synchronous(let call): try call(options)
      case .asynchronous(let body): try await body(options)
      case .exchange(let exchange):
        if let value = try await exchange.run(options, values) { keep(value: value) }
      case .type(let type):
        let worker = type.init()
        try await worker.launch(options)
        if keepsWorker { keep(worker: worker) }
      case nil: return .skipped(because: nil)
      }
      return .finished
    } catch {
      return .failed(error)
    }
  }

  nonisolated(nonsending) private func marked<Result: Sendable>(
    for loader: ObjectIdentifier?,
    _ body: nonisolated(nonsending) () async -> Result
  ) async -> Result {
    let context = LaunchContext(self, of: loader)
    defer { context.end() }
    return await LaunchContext.$current.withValue(context.withOuter) { await body() }
  }
}

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

  private let registration: LaunchRegistration
  private let loader: ObjectIdentifier?
  private let hasEnded = Atomic<Bool>(false)

  /// Creates a context for a worker that begins in the current task.
  ///
  /// - Parameters:
  ///   - registration: The registration of the worker.
  ///   - loader: The loader whose launch waits for the worker, if there is one.
  init(_ registration: LaunchRegistration, of loader: ObjectIdentifier?) {
    self.registration = registration
    self.loader = loader
  }

  /// The contexts of the current task whose workers still run, followed by this one.
  var withOuter: [LaunchContext] { Self.current.filter(\.isRunning) + [self] }

  /// Records that the worker has returned.
  func end() {
    hasEnded.store(true, ordering: .releasing)
  }

  /// Indicates whether the current task belongs to a running worker of the loader's launch.
  static func isInside(_ loader: LaunchLoader) -> Bool {
    isInside { $0.loader == ObjectIdentifier(loader) }
  }

  /// Indicates whether the current task belongs to this worker, while it runs.
  static func isInside(_ registration: LaunchRegistration) -> Bool {
    isInside { $0.registration === registration }
  }

  private static func isInside(_ matches: (LaunchContext) -> Bool) -> Bool {
    current.contains { matches($0) && $0.isRunning }
  }

  private var isRunning: Bool { !hasEnded.load(ordering: .acquiring) }
}
