/// What a bus tells its maker: nothing is lost in silence.
///
/// Hooks are called outside every lock, on the thread where the thing happened.
public struct EventHooks: Sendable {
  /// Told of every error a handler throws.
  ///
  /// Without it one line goes to standard error.
  ///
  /// An error that comes up while the hook is running on this thread is written to standard error once
  /// and not told again.
  public var onError: (@Sendable (HandlerFailure) -> Void)?
  /// Told of every event that reached no handler.
  public var onUnhandled: (@Sendable (AnyEvent) -> Void)?

  /// Hooks that do nothing.
  public init() {}
}
