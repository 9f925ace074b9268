internal import EventBus

/// Work that the request to stop cancels.
extension AppServiceContext {
  /// Runs work that is cancelled when the service is asked to stop.
  ///
  /// ```swift
  /// struct Reporter: AppService {
  ///   func run(_ context: AppServiceContext) async throws {
  ///     context.markReady()
  ///     while true {
  ///       try await context.cancelOnShutdown { try await Task.sleep(for: .seconds(10)) }
  ///       print("report")
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// The body runs in a task of its own, in its own isolation, with the priority and the task-local values of
  /// the caller. Cancelling the caller's task cancels it, too. If the service was asked to stop before, or the
  /// caller's task is already cancelled, the body still runs, cancelled from the beginning.
  ///
  /// The call returns when the body has ended, however long that takes, with the result of the body: its value,
  /// even if the service was asked to stop meanwhile, or its error. A body that the request to stop has
  /// cancelled usually throws `CancellationError`, and so does the call. A service may let that error out:
  /// after the request, it is not a failure. To continue instead, for example to save the position, catch it or
  /// use ``unlessShuttingDown(_:)``; the task of the service is not cancelled.
  ///
  /// If `run` returns while the body still runs, in a task that the service started, the body is cancelled.
  ///
  /// - Parameter body: The work.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body: `CancellationError` if the request to stop, the caller's task or the body
  ///   itself cancelled it. The type is open because the body runs in a task, whose errors have no narrower one.
  nonisolated(nonsending) public func cancelOnShutdown<Result: Sendable>(
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () async throws -> Result
  ) async throws -> Result {
    let mayBegin = Latch()
    let task = Task {
      // A request or a cancellation that came first has cancelled this task by then.
      _ = await mayBegin.wait()
      return try await body()
    }
    let token = handle.onEnd { task.cancel() }
    defer { token.cancel() }
    let result = await withCancellationHandling {
      mayBegin.open()
      return await task.result
    } onCancel: {
      task.cancel()
    }
    return try result.get()
  }

  /// Runs work that is cancelled when the service is asked to stop, and returns `nil` if that ended it.
  ///
  /// ```swift
  /// struct Poller: AppService {
  ///   func run(_ context: AppServiceContext) async throws {
  ///     context.markReady()
  ///     while try await context.unlessShuttingDown({ try await Task.sleep(for: .seconds(10)) }) != nil {
  ///       print("poll")
  ///     }
  ///     print("stopped: save the position")  // the task of the service is not cancelled
  ///   }
  /// }
  /// ```
  ///
  /// Like ``cancelOnShutdown(_:)`` in all but this: a `CancellationError` of the body makes the call return
  /// `nil` if the service was asked to stop by then, unless the caller's task is cancelled as well. So does the
  /// error of a wait of this library that the stop of the program has ended, such as ``AppStateError``; if the
  /// service has not been asked to stop yet, the call returns when it is. A body that ends and a request to stop may
  /// race, and what the body did decides: a value is returned, and any other error is thrown.
  ///
  /// - Parameter body: The work.
  /// - Returns: The result of the body, or `nil` if the request to stop ended it.
  /// - Throws: The error of the body; `CancellationError` if the caller's task or the body itself cancelled it. The
  ///   type is open for the same reason.
  nonisolated(nonsending) public func unlessShuttingDown<Result: Sendable>(
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () async throws -> Result
  ) async throws -> Result? {
    do {
      return try await cancelOnShutdown(body)
    } catch  where error.isOfEndedWait && !Task.isCancelled {
      if isShuttingDown { return nil }
      if error is CancellationError || !isProgramStopping { throw error }
      try await waitUntilShutdown()
      return nil
    }
  }
}
