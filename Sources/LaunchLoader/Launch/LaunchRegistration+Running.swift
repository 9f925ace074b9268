internal import Synchronization

extension LaunchRegistration {
  /// Calls synchronous work; its actor, if it has one, must be the one that the caller runs on.
  ///
  /// The closure is gone when this returns, before anybody learns of the outcome.
  func call(_ options: LaunchOptions) -> LaunchOutcome {
    switch takeWork() {
    case .inline(let call): LaunchOutcome { try call.body(options) }
    case .isolated(let call, _): LaunchOutcome { try call.bare.body(options) }
    case .asynchronous, .type, nil: .skipped(because: nil)
    }
  }

  /// Runs work of any kind where it belongs, unless it may not begin any more once it is there.
  ///
  /// The closure is gone when this returns, before anybody learns of the outcome. A type has no actor that
  /// is known: its worker begins when it is created, and `launch(_:)` may have to wait for an actor then.
  ///
  /// - Parameters:
  ///   - options: What the work receives.
  ///   - loader: The loader whose launch waits for it, if one does.
  ///   - keepsWorker: Whether a worker that finishes is kept, to be undone.
  ///   - begins: Asked on the actor of the work, right before the call.
  /// - Returns: How it ended; `nil` if it did not begin.
  func run(
    _ options: LaunchOptions,
    for loader: ObjectIdentifier?,
    keepsWorker: Bool,
    ifStillWanted begins: @Sendable () -> Bool
  ) async -> LaunchOutcome? {
    let actor = actor
    guard kind == .asynchronous else {
      return await perform(options, keepsWorker: false, on: actor, begins)
    }
    return await marked(for: loader) {
      await self.perform(options, keepsWorker: keepsWorker, on: actor, begins)
    }
  }

  /// Undoes a worker that was kept, and lets go of it.
  ///
  /// - Parameter loader: The loader whose launch waits for it.
  func undo(for loader: ObjectIdentifier) async {
    guard let worker = takeWorker() else { return }
    await marked(for: loader) { await worker.undo() }
  }

  private func perform(
    _ options: LaunchOptions,
    keepsWorker: Bool,
    on actor: isolated (any Actor)?,
    _ begins: @Sendable () -> Bool
  ) async -> LaunchOutcome? {
    guard begins() else { return nil }
    do {
      switch takeWork() {
      case .inline(let call): try call.body(options)
      case .isolated(let call, _): try call.bare.body(options)
      case .asynchronous(let call): try await call.body(options)
      case .type(let type):
        let worker = type.init()
        try await worker.launch(options)
        if keepsWorker { keep(worker) }
      case nil: return .skipped(because: nil)
      }
      return .finished
    } catch {
      return .failed(error)
    }
  }

  private func marked<Result: Sendable>(
    for loader: ObjectIdentifier?,
    _ body: () async -> Result
  ) async -> Result {
    let context = LaunchContext(self, of: loader)
    defer { context.end() }
    return await LaunchContext.$current.withValue(context.withOuter) { await body() }
  }
}

extension LaunchOutcome {
  /// The outcome of a call.
  fileprivate init(of body: () throws -> Void) {
    do {
      try body()
      self = .finished
    } catch {
      self = .failed(error)
    }
  }
}

/// Marks the task of an asynchronous worker, and everything it starts, for as long as the worker runs.
///
/// It lets a wait that can never end be refused. A task inherits the mark, so the mark alone does not
/// say that the worker is still running: that is what `hasEnded` is for. Synchronous workers need no
/// mark, because they cannot wait.
final class LaunchContext: Sendable {
  /// The workers that the current task belongs to, the innermost last.
  ///
  /// Marks do not refer to each other: work that starts work, and so on, leaves no chain behind.
  @TaskLocal static var current: [LaunchContext] = []

  private let registration: LaunchRegistration
  private let loader: ObjectIdentifier?
  private let hasEnded = Atomic<Bool>(false)

  /// Creates a mark for a worker that begins in the current task.
  ///
  /// - Parameters:
  ///   - registration: The worker.
  ///   - loader: The loader whose launch waits for it, if one does.
  init(_ registration: LaunchRegistration, of loader: ObjectIdentifier?) {
    self.registration = registration
    self.loader = loader
  }

  /// This mark after those of the current task whose workers still run.
  var withOuter: [LaunchContext] { Self.current.filter(\.isRunning) + [self] }

  /// Records that the worker has returned.
  func end() {
    hasEnded.store(true, ordering: .releasing)
  }

  /// Whether the current task belongs to a running worker that a launch of this loader waits for.
  static func isInside(_ loader: LaunchLoader) -> Bool {
    isInside { $0.loader == ObjectIdentifier(loader) }
  }

  /// Whether the current task belongs to this worker, and it is running.
  static func isInside(_ registration: LaunchRegistration) -> Bool {
    isInside { $0.registration === registration }
  }

  private static func isInside(_ matches: (LaunchContext) -> Bool) -> Bool {
    current.contains { matches($0) && $0.isRunning }
  }

  private var isRunning: Bool { !hasEnded.load(ordering: .acquiring) }
}
