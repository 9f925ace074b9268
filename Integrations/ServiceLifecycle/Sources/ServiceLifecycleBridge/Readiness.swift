internal import LaunchLoader
private import _EventBusLocks

/// Reports that an adopted service is ready.
///
/// Packages whose services become ready some time after they have started call a closure then, such as the
/// `onServerRunning` of a Hummingbird application.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
public final class Readiness: Sendable {
  private struct State {
    var isReady = false
    var context: AppServiceContext?
  }

  private let state = Locked(State())

  /// Creates a report that has not been made.
  public init() {}

  /// Whether the service has reported that it is ready.
  public var isReady: Bool { state.withLock { $0.isReady } }

  /// Reports that the service is ready.
  ///
  /// Only the first call has an effect.
  public func markReady() {
    let context = state.withLock { state in
      state.isReady = true
      return state.context
    }
    context?.markReady()
  }

  /// Passes the report on to a running service.
  func connect(_ context: AppServiceContext) {
    let isReady = state.withLock { state in
      state.context = context
      return state.isReady
    }
    if isReady { context.markReady() }
  }
}
