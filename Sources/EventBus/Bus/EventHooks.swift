/// What a bus tells its maker: nothing is lost in silence.
///
/// Hooks are called outside every lock, on the thread where the thing happened. A hook may use the bus;
/// what happens inside a hook is not told to hooks again.
public struct EventHooks: Sendable {
  /// Told of every error a handler throws.
  ///
  /// Without it one line goes to standard error. An error that comes up while a hook is running on this
  /// thread goes to standard error, and is not told again.
  public var onError: (@Sendable (HandlerFailure) -> Void)?
  /// Told of every event that reached no handler.
  public var onUnhandled: (@Sendable (AnyEvent) -> Void)?
  /// Told of every step of every post.
  ///
  /// Without it posts pay nothing for it.
  public var onTrace: (@Sendable (TraceEvent) -> Void)?
  /// Told once a name, when it first has more observers than ``manyObserversThreshold``: a sign that
  /// somebody registers again and again.
  public var onManyObservers: (@Sendable (_ name: String, _ count: Int) -> Void)?
  /// How many observers of one name are not yet many: 1,000.
  public var manyObserversThreshold = 1_000

  /// Hooks that do nothing.
  public init() {}
}
