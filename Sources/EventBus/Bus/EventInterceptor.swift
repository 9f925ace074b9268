/// Carries a value from a post to the handlers of the event, such as a task-local or a span.
///
/// The value is captured where the event is posted or enqueued, and each handler runs inside `run(_:_:)`:
/// handlers that the posting code calls, handlers on an actor after the hop, and asynchronous handlers.
///
/// ```swift
/// struct RequestInterceptor: EventInterceptor {
///   @TaskLocal static var id = "none"
///
///   func capture(_ event: AnyEvent) -> String { Self.id }
///   func run(_ id: String, _ body: () -> Void) { Self.$id.withValue(id) { body() } }
///   nonisolated(nonsending) func run(
///     _ id: String,
///     _ body: nonisolated(nonsending) () async -> Void
///   ) async {
///     await Self.$id.withValue(id) { await body() }
///   }
/// }
/// ```
///
/// If the last interceptor is removed while an event waits for an asynchronous handler with `once: true` and
/// `.bufferingOldest`, an event that is posted just as that call begins, and that the full buffer discards,
/// may prevent the call. The handler then takes the next event.
///
/// Interceptors nest: the one installed first is outermost. An event that is replayed to a later observer
/// brings the value of its post. For an event that only a stream receives, `capture` is called, but `run`
/// is not.
///
/// `run` must call its body once. If it does not, the handler is skipped: a trace reports
/// ``TraceStep/SkipReason/intercepted``, a post does not count the handler as reached unless the event was
/// queued for it, and a registration with `once: true` keeps its call. A second run of the body is ignored,
/// with a message to ``EventHooks/onMessage``. Errors of handlers do not pass through `run`; they are
/// reported to ``EventHooks/onError`` after it has returned.
///
/// Posts inside ``capture(_:)``, and in `run` outside its body, are not reported to hooks and not
/// intercepted.
///
/// ## The asynchronous `run`
///
/// The method and its body stay on the caller's actor until the handler needs another. A module that enables the
/// upcoming feature `NonisolatedNonsendingByDefault` may leave out `nonisolated(nonsending)` in both places. An
/// interceptor with nothing to add to asynchronous handlers just calls the body: `await body()`.
///
/// ## Thread safety
///
/// An interceptor is called by all posting code and all handlers of the bus, on any thread, with no
/// lock held.
public protocol EventInterceptor: Sendable {
  /// The value to carry from a post to the handlers of the event.
  associatedtype Context: Sendable

  /// Returns the value to carry to the handlers.
  ///
  /// Called once per post, by the posting code, before the first handler. For an event that is enqueued,
  /// called by the code that enqueues it.
  ///
  /// - Parameter event: The event.
  /// - Returns: The value, which is retained until the last handler has finished, or, with replay, until
  ///   the event is no longer kept.
  func capture(_ event: AnyEvent) -> Context

  /// Runs a handler.
  ///
  /// - Parameters:
  ///   - context: The value that ``capture(_:)`` returned for the event.
  ///   - body: Calls the handler; run it once.
  func run(_ context: Context, _ body: () -> Void)

  /// Runs an asynchronous handler, on the caller's actor.
  ///
  /// - Parameters:
  ///   - context: The value that ``capture(_:)`` returned for the event.
  ///   - body: Calls the handler; run it once.
  nonisolated(nonsending) func run(
    _ context: Context,
    _ body: nonisolated(nonsending) () async -> Void
  ) async
}

extension EventInterceptor {
  /// Runs an asynchronous handler as if there were no interceptor.
  ///
  /// Deprecated, so that the compiler names a type whose method has another form than the required one.
  @available(*, deprecated, message: "also write the asynchronous run, as EventInterceptor shows")
  public nonisolated(nonsending) func run(
    _ context: Context,
    _ body: nonisolated(nonsending) () async -> Void
  ) async {
    await body()
  }
}

/// A value that an interceptor has captured for one post.
///
/// It holds the hooks weakly: an event may be kept for replay long after they were removed.
final class Interception: Sendable {
  private weak let installed: InstalledHooks?
  private let context: any Sendable

  /// Captures the value of the interceptor, if the hooks have one.
  init?(_ event: AnyEvent, by installed: InstalledHooks) {
    guard let interceptor = installed.hooks.interceptor else { return nil }
    self.installed = installed
    context = interceptor.capture(event)
  }

  /// Runs a body inside the interceptor; directly if the hooks were removed.
  ///
  /// - Returns: The hooks, if their interceptor ran the body more than once.
  func run(_ body: () -> Void) -> InstalledHooks? {
    guard let installed, let interceptor = installed.hooks.interceptor, installed.begin() else {
      body()
      return nil
    }
    defer { installed.finish() }
    var runs = 0
    RunningHook.run {
      surround(interceptor) {
        runs += 1
        if runs == 1 { RunningHook.suspend(body) }
      }
    }
    return runs > 1 ? installed : nil
  }

  /// Runs an asynchronous body inside the interceptor; directly if the hooks were removed.
  ///
  /// - Returns: The hooks, if their interceptor ran the body more than once.
  func run(_ body: () async -> Void) async -> InstalledHooks? {
    guard let installed, let interceptor = installed.hooks.interceptor, installed.begin() else {
      await body()
      return nil
    }
    defer { installed.finish() }
    var runs = 0
    await installed.runAsync {
      await RunningHook.run {
        await surround(interceptor) {
          runs += 1
          if runs == 1 { await RunningHook.suspend(body) }
        }
      }
    }
    return runs > 1 ? installed : nil
  }

  private func surround<Interceptor: EventInterceptor>(
    _ interceptor: Interceptor,
    _ body: () -> Void
  ) {
    guard let context = context as? Interceptor.Context else { return body() }
    interceptor.run(context, body)
  }

  private func surround<Interceptor: EventInterceptor>(
    _ interceptor: Interceptor,
    _ body: () async -> Void
  ) async {
    guard let context = context as? Interceptor.Context else { return await body() }
    await interceptor.run(context, body)
  }
}
