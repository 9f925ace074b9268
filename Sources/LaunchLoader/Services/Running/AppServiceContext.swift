public import EventBus

/// The connection of a running service to its host or group: shutdown requests, readiness, and the
/// values of launch work.
///
/// ```swift
/// let app = AppHost()
/// try app.add("web", after: ["database"]) { context in
///   context.onShutdown { print("no more connections") }
///   context.markReady()
///   try await context.waitUntilShutdown()
/// }
/// ```
///
/// The request to stop reaches the service in five forms, of which it uses those that suit its work:
///
/// - ``lifetime`` ends, and with it the sequences and timers that are attached to it.
/// - ``cancelOnShutdown(_:)`` and ``unlessShuttingDown(_:)`` cancel work that reacts only to cancellation.
/// - ``onShutdown(_:)`` runs a closure.
/// - ``waitUntilShutdown()`` returns.
/// - ``isShuttingDown`` becomes `true`.
///
/// A service that is cancelled, because it exceeded a time limit or because everything is cancelled, receives the
/// request to stop as well, immediately after the cancellation: the lifetime ends, the closures run, and
/// ``isShuttingDown`` is `true` from then on. Every wait of the service throws `CancellationError`, including
/// ``waitUntilShutdown()`` unless the request to stop came first: when the time for the whole stop has passed,
/// services whose turn has not come are asked to stop before they are cancelled.
///
/// ## Thread safety
///
/// Every member may be called from any thread, even inside a closure passed to ``onShutdown(_:)``. After the
/// service has ended, calls have no effect.
public struct AppServiceContext: Sendable {
  /// The attempt that the context belongs to.
  let handle: ServiceAttempt
  /// The runner of the service.
  let runner: ServiceRunner

  init(_ handle: ServiceAttempt, of runner: ServiceRunner) {
    (self.handle, self.runner) = (handle, runner)
  }

  /// The name that the service was added with; `nil` after it has ended.
  var name: String? { runner.machine { $0.name(of: handle.id) } }

  /// True if the host that runs the service stops, or the service alone.
  var isProgramStopping: Bool { runner.isProgramStopping }

  /// The number of the attempt, from 1: one more than the number of times that the service was restarted.
  public var attempt: Int { handle.number }

  /// Reports that the service is ready, so that services waiting for it may start.
  ///
  /// The first call of the first attempt starts them, if ``AppServiceOptions/reportsReadiness`` is set. After that, a call
  /// only ends the effect of ``markUnready()``.
  public func markReady() { runner.send { $0.ready(handle.id, attempt: handle.number) } }

  /// Reports that the service is not ready for a while, for example because it has lost a connection.
  ///
  /// ```swift
  /// let app = AppHost()
  /// try app.add("feed", reportsReadiness: true) { context in
  ///   context.markReady()
  ///   context.markUnready()  // the connection is lost: app.isReady is false
  ///   context.markReady()  // and here again
  ///   try await context.waitUntilShutdown()
  /// }
  /// ```
  ///
  /// This is for probes: ``AppHost/isReady`` is `false`, and the state of the service is ``AppServiceState/unready``, until
  /// it calls ``markReady()``. It neither stops nor delays another service. A service that is not ready yet, or that stops,
  /// is not affected.
  public func markUnready() { runner.send { $0.unready(handle.id, attempt: handle.number) } }

  /// A Boolean value that indicates whether the service was asked to stop.
  ///
  /// A cancelled service was asked to stop as well: immediately after its task is cancelled.
  public var isShuttingDown: Bool { handle.isRaised }

  /// The lifetime of the service, which ends when the service is asked to stop, and at the latest when its
  /// `run` method has returned.
  ///
  /// ```swift
  /// import EventBus
  /// import LaunchLoader
  ///
  /// struct Cache: AppService {
  ///   func run(_ context: AppServiceContext) async throws {
  ///     every(.seconds(60)) { _ in print("remove what is old") }.attach(to: context.lifetime)
  ///     try await context.waitUntilShutdown()
  ///   }
  /// }
  /// ```
  ///
  /// Tokens attached to the lifetime end before the closures passed to ``onShutdown(_:)`` run, in the order
  /// of attachment, and with no lock held; ``isShuttingDown`` is `true` by then, unless the service ended by
  /// itself. Every context of an attempt returns the same lifetime; a restarted service has a new one.
  public var lifetime: Lifetime { handle.lifetime }

  /// Waits until the service is asked to stop.
  ///
  /// Returns after the closures passed to ``onShutdown(_:)`` have returned.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first, or when the service has ended without
  ///   being asked to stop.
  nonisolated(nonsending) public func waitUntilShutdown() async throws(CancellationError) {
    try await handle.wait()
  }

  /// Runs a closure when the service is asked to stop, or immediately if it already was.
  ///
  /// Closures run in registration order, with no lock held; ``isShuttingDown`` is `true` in all of them. The
  /// service counts as running until they have returned. They also run when the service is cancelled, because
  /// that asks it to stop. If the service ends without being asked to stop, the closures are released without
  /// running.
  ///
  /// - Parameter handler: Called at most once.
  /// - Returns: A token that removes the closure. Dropping the token has no effect.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func onShutdown(_ handler: @escaping @Sendable () -> Void) -> Token {
    handle.onRaise(handler)
  }

  /// Returns a value that launch work makes, as soon as the work has finished.
  ///
  /// Reads it from the loader of the host that runs the service, or of its ``AppServiceGroup``; see
  /// ``LaunchLoader/LaunchLoader/value(of:)``. A host starts its services after the launch, so there
  /// the call waits only for work that was registered later, or that runs in the phase `idle`.
  ///
  /// A request to stop does not end the wait; ``cancelOnShutdown(_:)`` does that. Work that has not begun when
  /// the host begins to stop never will; a call that waits for it throws when this service is asked to
  /// stop in its turn.
  ///
  /// - Parameter key: The key of the value.
  /// - Returns: The value.
  /// - Throws: ``LaunchError``, for example with the code `noValue` if the launch has ended without the value;
  ///   `CancellationError` when the waiting task is cancelled, or when the stop has prevented the work.
  nonisolated(nonsending) public func value<Value>(of key: LaunchKey<Value>) async throws -> Value {
    guard let place = runner.place else { throw LaunchError(.stopped) }
    do {
      let say: @Sendable (AppHostMessage) -> Void = { place.report(.message($0)) }
      return try await place.loader.value(of: key, (place.clock, say))
    } catch let error as LaunchError where !place.hasLoader {
      throw LaunchError(error.code, isWithoutLoader: true)
    } catch let error as LaunchError where error.isStoppedValue && isProgramStopping {
      // Not a failure of the service, which may not have been asked to stop yet.
      try await waitUntilShutdown()
      throw CancellationError()
    }
  }
}

extension AppServiceContext {
  /// Not available: the values of the key have another type.
  @_disfavoredOverload
  @_documentation(visibility: private)
  @available(*, unavailable, message: "the key's values have another type; see its declaration")
  nonisolated(nonsending) public func value<Value, Other>(
    of key: LaunchKey<Value>
  ) async throws -> Other {
    throw LaunchError(.reentrant)
  }
}

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
  /// The body runs in a separate task, in its own isolation, with the priority and the task-local values of
  /// the caller. Cancelling the caller's task also cancels it. If the service was asked to stop before, or the
  /// caller's task is already cancelled, the body still runs, cancelled from the beginning.
  ///
  /// The call returns when the body has ended, however long that takes, with the result of the body: its value,
  /// even if the service was asked to stop meanwhile, or its error. A body that the request to stop has
  /// cancelled usually throws `CancellationError`, and so does the call. A service may throw that error: after
  /// the request, it is not a failure. To continue instead, for example to save the position, catch it or use
  /// ``unlessShuttingDown(_:)``; the task of the service is not cancelled.
  ///
  /// If `run` returns while the body still runs, in a task that the service started, the body is cancelled.
  ///
  /// - Parameter body: The work.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body: `CancellationError` if the request to stop, the caller's task or the body
  ///   itself cancelled it. The error is untyped because the body runs in a task, whose errors are untyped.
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
  /// Works like ``cancelOnShutdown(_:)``, except that a `CancellationError` of the body makes the call return
  /// `nil` if the service was asked to stop by then, unless the caller's task is cancelled as well. So does
  /// the error of a wait of this library that the stop of the program has ended, such as ``AppStateError``;
  /// if the service has not been asked to stop yet, the call returns when it is. If the body ends at the same
  /// time as the request to stop arrives, the result of the body decides: a value is returned, and any other
  /// error is thrown.
  ///
  /// - Parameter body: The work.
  /// - Returns: The result of the body, or `nil` if the request to stop ended it.
  /// - Throws: The error of the body; `CancellationError` if the caller's task or the body itself cancelled it. The
  ///   error is untyped for the same reason as that of ``cancelOnShutdown(_:)``.
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

/// A long-running part of a program, such as a server, a consumer or a connection pool.
///
/// ```swift
/// struct Heartbeat: AppService {
///   func run(_ context: AppServiceContext) async throws {
///     context.markReady()
///     try await context.waitUntilShutdown()
///   }
/// }
/// ```
///
/// A host or a group starts a service once, asks it to stop through its context, and waits until
/// ``run(_:)`` returns. Any `Sendable` type can be a service; for a service of a few lines there is a form of
/// `add` that takes a closure.
public protocol AppService: Sendable {
  /// The name of the service in `after:` and in messages, unless it is added under another.
  ///
  /// By default, it is the name of the type. Of services that were added without another name, the second of a
  /// type gets a number: `Poller`, `Poller 2`. A name that a program needs in `after:` is best given where the
  /// service is added: `app.add(poller, named: "orders")`.
  var serviceName: String { get }

  /// Runs the service until it is asked to stop.
  ///
  /// Each service has its own task, which begins to run in the start order; the first statements of two services may
  /// then overlap. When the context requests the stop, the service finishes its current work and returns. If it
  /// exceeds its time limit, its task is cancelled.
  ///
  /// - Parameter context: Requests the stop, and accepts the report that the service is ready.
  /// - Throws: Any error. The options of the service determine its effect on the other services. After shutdown
  ///   was requested, `CancellationError` and the errors of waits that the stop ends, such as ``AppStateError``,
  ///   are not failures.
  func run(_ context: AppServiceContext) async throws
}

extension AppService {
  /// The name of the type.
  public var serviceName: String { "\(type(of: self))" }
}
