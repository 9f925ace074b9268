/// How a service gets on with its neighbours.
///
/// ## Thread safety
///
/// A value: copies are independent and may be used on any thread.
public struct ServiceOptions: Sendable {
  /// What the end of one service means for the others.
  public enum Ending: Sendable {
    /// All others are stopped, in reverse order, and `run()` throws an error that names the service, also if
    /// it returned: nothing ends a program in silence.
    case fail
    /// All others are stopped, in reverse order. If the service returned, nothing has failed: its end is the
    /// end of the work. If it threw, `run()` throws that error.
    case shutdown
    /// All others are cancelled at once. If the service returned, that is an error.
    case cancel
    /// The others go on.
    case ignore
  }

  /// The names of the services that are started before this one, and stopped after it.
  ///
  /// As soon as one service of a program names another, the order of registration means nothing any more
  /// to those that name none: they start without waiting, and services that do not need each other stop
  /// together.
  public var after: [String]

  /// What happens when the service returns although no shutdown was requested.
  public var onReturn: Ending

  /// What happens when the service throws.
  ///
  /// It holds while others, or the service itself, are being stopped, too. An error that is ignored does
  /// not make anything fail; if something else fails, it is listed behind that.
  public var onThrow: Ending

  /// Whether those that come after this one wait for its ``ServiceContext/ready()``.
  ///
  /// A service that ends before it is ready has failed to start, whatever its endings say: what was
  /// started is stopped, in reverse.
  public var waitsForReady: Bool

  /// How long the service may take to start, or to be ready if that is waited for; `nil` is for ever.
  ///
  /// One that takes longer has failed to start: what was started is stopped, in reverse, and `run()` throws
  /// an error that names the service.
  public var startTimeout: Duration?

  /// How long the service may take to stop, from its turn on, before it is cancelled.
  ///
  /// It ends with the deadline that all services have together, whatever it says: with `nil` there is only
  /// that one.
  public var stopTimeout: Duration?

  /// Creates options.
  ///
  /// - Parameters:
  ///   - after: The names of the services that are started before this one, and stopped after it.
  ///   - onReturn: What happens when the service returns although no shutdown was requested.
  ///   - onThrow: What happens when the service throws.
  ///   - waitsForReady: Whether those that come after this one wait for its ``ServiceContext/ready()``.
  ///   - startTimeout: How long the service may take to start; `nil` is for ever.
  ///   - stopTimeout: How long the service may take to stop, within the deadline that all have together.
  public init(
    after: [String] = [],
    onReturn: Ending = .fail,
    onThrow: Ending = .fail,
    waitsForReady: Bool = false,
    startTimeout: Duration? = nil,
    stopTimeout: Duration? = nil
  ) {
    self.after = after
    self.onReturn = onReturn
    self.onThrow = onThrow
    self.waitsForReady = waitsForReady
    self.startTimeout = startTimeout
    self.stopTimeout = stopTimeout
  }
}
