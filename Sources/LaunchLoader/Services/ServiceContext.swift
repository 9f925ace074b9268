public import EventBus

/// The connection of a running service to its application or group: shutdown requests, readiness, and the
/// values of launch work.
///
/// ```swift
/// let app = Application()
/// try app.add("web", ServiceOptions(after: ["database"])) { context in
///   context.onShutdown { print("no more connections") }
///   context.ready()
///   try await context.untilShutdown()
/// }
/// ```
///
/// The request to stop reaches the service in five forms, of which it uses those that suit its work:
///
/// - ``lifetime`` ends, and with it the sequences and timers that are attached to it.
/// - ``cancelOnShutdown(_:)`` cancels work that reacts only to cancellation.
/// - ``onShutdown(_:)`` runs a closure.
/// - ``untilShutdown()`` returns.
/// - ``isShuttingDown`` becomes `true`.
///
/// ## Thread safety
///
/// Every member may be called from any thread, also inside a closure passed to ``onShutdown(_:)``. After the
/// service has ended, calls have no effect.
public struct ServiceContext: Sendable {
  private let handle: ServiceHandle
  private let id: Int
  private let runner: ServiceRunner

  init(_ handle: ServiceHandle, _ id: Int, of runner: ServiceRunner) {
    self.handle = handle
    self.id = id
    self.runner = runner
  }

  /// Claims the run of a group for the service that this context belongs to.
  func claim(_ inner: ServiceRunner, named name: String) -> Bool {
    inner.claim(for: (name, runner))
  }

  /// Reports that the service is ready, so that services waiting for it may start.
  ///
  /// Only the first call has an effect, and only if ``ServiceOptions/waitsForReady`` is set, or in a
  /// ``ServiceRun``.
  public func ready() { runner.send { $0.ready(id) } }

  /// A Boolean value that indicates whether the service was asked to stop.
  ///
  /// A cancelled service was asked to stop as well.
  public var isShuttingDown: Bool { handle.signal.isRaised }

  /// The lifetime of the service, which ends when the service is asked to stop, and at the latest when its
  /// `run` method has returned.
  ///
  /// ```swift
  /// import EventBus
  /// import LaunchLoader
  ///
  /// struct Cache: Service {
  ///   let name = "cache"
  ///
  ///   func run(_ context: ServiceContext) async throws {
  ///     every(.seconds(60)) { _ in print("remove what is old") }.attach(to: context.lifetime)
  ///     try await context.untilShutdown()
  ///   }
  /// }
  /// ```
  ///
  /// What is attached to the lifetime ends before the closures passed to ``onShutdown(_:)`` run, in the order
  /// of attachment, and outside every lock; ``isShuttingDown`` is `true` by then, unless the service ended by
  /// itself. Every context of a service returns the same lifetime.
  public var lifetime: Lifetime { handle.signal.lifetime }

  /// Waits until the service is asked to stop.
  ///
  /// Returns after the closures passed to ``onShutdown(_:)`` have returned.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first, or when the service has ended without
  ///   being asked to stop.
  nonisolated(nonsending) public func untilShutdown() async throws {
    try await handle.signal.wait()
  }

  /// Runs a closure when the service is asked to stop, or immediately if it already was.
  ///
  /// Closures run in registration order, outside every lock; ``isShuttingDown`` is `true` in all of them. The
  /// service counts as running until they have returned. If the service ends without being asked to stop, the
  /// closures are released without running.
  ///
  /// - Parameter body: Called at most once.
  /// - Returns: A token that removes the closure. Dropping the token has no effect.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func onShutdown(_ body: @escaping @Sendable () -> Void) -> Token {
    handle.signal.onRaise(body)
  }

  /// Returns a value that launch work makes, as soon as the work has finished.
  ///
  /// Reads it from the loader of the application that runs the service, or of its ``ServiceRun``; see
  /// ``LaunchLoader/LaunchLoader/value(of:)``. An application starts its services after the launch, so there
  /// the call waits only for work that was registered later, or that runs in the phase `idle`.
  ///
  /// A request to stop does not end the wait; ``cancelOnShutdown(_:)`` does that.
  ///
  /// - Parameter key: The key of the value.
  /// - Returns: The value.
  /// - Throws: ``LaunchError``, for example with the code `noValue` if the launch has ended without the value;
  ///   `CancellationError` when the waiting task is cancelled.
  nonisolated(nonsending) public func value<Value>(of key: LaunchKey<Value>) async throws -> Value {
    try await runner.loader.value(of: key)
  }

  /// Runs work that is cancelled when the service is asked to stop.
  ///
  /// ```swift
  /// struct Poller: Service {
  ///   let name = "poller"
  ///
  ///   func run(_ context: ServiceContext) async throws {
  ///     context.ready()
  ///     try await context.cancelOnShutdown {
  ///       while true {
  ///         try await Task.sleep(for: .seconds(10))
  ///         print("poll")
  ///       }
  ///     }
  ///     print("stopped: save the position")  // the task of the service is not cancelled
  ///   }
  /// }
  /// ```
  ///
  /// The body runs in a task of its own, in its own isolation, with the priority and the task-local values of
  /// the caller. Cancelling the caller's task cancels it, too. If the service was asked to stop before, or the
  /// caller's task is already cancelled, the body still runs, cancelled from the beginning.
  ///
  /// The call returns when the body has ended, however long that takes. A body that ends and a request to
  /// stop may race; what the body did decides:
  ///
  /// - A value is returned, even if the service was asked to stop meanwhile.
  /// - A `CancellationError` makes the call return `nil` if the service was asked to stop by then, unless the
  ///   caller's task is cancelled as well. Otherwise it is thrown.
  /// - Any other error is thrown, even if the body throws it because it was cancelled.
  ///
  /// If `run` returns while the body still runs, in a task that the service started, the body is cancelled.
  ///
  /// - Parameter body: The work.
  /// - Returns: The result of the body, or `nil` if the request to stop cancelled it.
  /// - Throws: The error of the body; `CancellationError` if the caller's task or the body itself cancelled it.
  @discardableResult
  nonisolated(nonsending) public func cancelOnShutdown<Result: Sendable>(
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () async throws -> Result
  ) async throws -> Result? {
    let mayBegin = Latch()
    let task = Task {
      // A request or a cancellation that came first has cancelled this task by then.
      _ = await mayBegin.wait()
      return try await body()
    }
    let token = handle.signal.onEnd { task.cancel() }
    defer { token.cancel() }
    let result = await withCancellationHandling {
      mayBegin.open()
      return await task.result
    } onCancel: {
      task.cancel()
    }
    do {
      return try result.get()
    } catch is CancellationError where isShuttingDown && !Task.isCancelled {
      return nil
    }
  }
}

extension ServiceContext {
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
