/// How a service gets on with its neighbours.
///
/// ## Thread safety
///
/// A value: copies are independent and may be used on any thread.
public struct ServiceOptions: Sendable {
  /// What the end of one service means for the others.
  public enum Ending: Sendable {
    /// All others are cancelled at once. If the service returned, that is an error.
    case cancel
    /// All others are stopped, in reverse order.
    case shutdown
    /// The others go on.
    case ignore
  }

  /// What happens when the service returns without having been told to stop; at first `shutdown`.
  ///
  /// It holds while others are being stopped, too.
  public var onReturn = Ending.shutdown

  /// What happens when the service throws; at first `shutdown`.
  ///
  /// It holds while others, or the service itself, are being stopped, too. An error that is ignored does
  /// not make anything fail; if something else fails, it is listed behind that.
  public var onThrow = Ending.shutdown

  /// The names of the services that are started before this one, and stopped after it.
  ///
  /// As soon as one service of a program names another, the order of registration means nothing any more
  /// to those that name none: they start without waiting, and services that do not need each other stop
  /// together.
  public var after: [String] = []

  /// Whether those that come after this one wait for its ``ServiceContext/ready()``; at first not.
  ///
  /// A service that ends before it is ready has failed to start, whatever its endings say: what was
  /// started is stopped, in reverse.
  public var waitsForReady = false

  /// How long the service may take to stop before it is cancelled.
  ///
  /// At first `nil`: as long as the one that runs it allows.
  public var stopTimeout: Duration?

  /// Creates options: stop everything in order when the service ends by itself, wait for nothing.
  public init() {}
}
