extension LaunchRegistration {
  /// Calls synchronous work; its actor, if it has one, must be the one that the caller runs on.
  ///
  /// The closure is gone when this returns, before anybody learns of the outcome.
  internal func call(_ options: LaunchOptions) -> LaunchOutcome {
    switch takeWork() {
    case .inline(let call): LaunchOutcome { try call.body(options) }
    case .isolated(let call, _): LaunchOutcome { try call.bare.body(options) }
    case .asynchronous, .type, nil: .skipped(because: nil)
    }
  }

  /// Runs work of any kind where it belongs.
  ///
  /// The closure is gone when this returns, before anybody learns of the outcome.
  ///
  /// - Parameters:
  ///   - options: What the work receives.
  ///   - loader: The loader whose launch waits for it, if one does.
  ///   - keepsWorker: Whether a worker that finishes is kept, to be undone.
  /// - Returns: How it ended.
  internal func run(
    _ options: LaunchOptions,
    for loader: ObjectIdentifier?,
    keepsWorker: Bool
  ) async -> LaunchOutcome {
    switch takeWork() {
    case .inline(let call):
      return LaunchOutcome { try call.body(options) }
    case .isolated(let call, _):
      return await LaunchOutcome { try await call.body(options) }
    case .asynchronous(let call):
      return await marked(for: loader) { try await call.body(options) }
    case .type(let type):
      return await marked(for: loader) {
        let worker = type.init()
        try await worker.launch(options)
        if keepsWorker { self.keep(worker) }
      }
    case nil:
      return .skipped(because: nil)
    }
  }

  /// Undoes a worker that was kept, and lets go of it.
  ///
  /// - Parameter loader: The loader whose launch waits for it.
  internal func undo(for loader: ObjectIdentifier) async {
    guard let worker = takeWorker() else { return }
    _ = await marked(for: loader) { await worker.undo() }
  }

  private func marked(
    for loader: ObjectIdentifier?,
    _ body: () async throws -> Void
  ) async -> LaunchOutcome {
    let context = LaunchContext(self, of: loader)
    defer { context.end() }
    return await LaunchContext.$current.withValue(context) { await LaunchOutcome(of: body) }
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

  /// The outcome of an asynchronous call.
  fileprivate init(of body: () async throws -> Void) async {
    do {
      try await body()
      self = .finished
    } catch {
      self = .failed(error)
    }
  }
}
