private import EventBus

extension Application {
  /// How an application launches and stops.
  public struct Configuration: Sendable {
    /// How long the stop may take in order, from the request on; `nil` is for ever.
    ///
    /// It is one deadline for the handlers of `willTerminate` and `shouldReload` and for all services
    /// together. When it has passed the handlers are left behind, and all services that still run are
    /// cancelled.
    public var stopTimeout: Duration?

    /// How long services, and launch work, may take to end after they were cancelled, before they are left
    /// behind and named; `nil` is for ever.
    public var cancelTimeout: Duration?

    /// Measures all times of the application and its services.
    public var clock: any Clock<Duration>

    /// What the signals of the operating system mean to the application while it runs; those that are not in
    /// the table are left alone.
    ///
    /// The first signal that means ``SignalMeaning/graceful`` stops everything in order, the second cancels,
    /// the third ends the process at once with 128 plus its number, even if every thread of the concurrency
    /// runtime is blocked. A signal that was ignored when the program started stays ignored. What the process
    /// did on the others before is restored when ``Application/run()`` returns; one that came before that has
    /// no further effect.
    public var signals: [UnixSignal: SignalMeaning]

    /// Called with every message for the one who runs the program: who is waited for, who is cancelled or left
    /// behind, what the operating system refused.
    ///
    /// Messages are single lines. They arrive in order, one at a time, on a thread of their own and under no
    /// lock: a call that blocks delays the messages behind it, but no service and no deadline. ``Application/run()``
    /// returns when the last call has returned, or ``cancelTimeout`` after everything else has ended; then the
    /// call goes on without it.
    public var onMessage: @Sendable (String) -> Void

    /// What the launch work and the delegate receive; `nil` is ``LaunchOptions/current``.
    public var launchOptions: LaunchOptions?

    /// Whether the application shuts down when the process that started it has ended.
    ///
    /// It is looked for once a second.
    public var endsWithParent: Bool

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - stopTimeout: How long the stop may take in order; `nil` is for ever.
    ///   - cancelTimeout: How long services may take to end after they were cancelled; `nil` is for ever.
    ///   - clock: Measures all times.
    ///   - signals: What signals mean; without any, `[:]`, they are left alone.
    ///   - onMessage: Called with every message; unless given, each is a line on standard error.
    ///   - launchOptions: What the launch work receives; `nil` is ``LaunchOptions/current``.
    ///   - endsWithParent: Whether the application ends with the process that started it.
    public init(
      stopTimeout: Duration? = .seconds(20),
      cancelTimeout: Duration? = .seconds(5),
      clock: any Clock<Duration> = ContinuousClock(),
      signals: [UnixSignal: SignalMeaning] = SignalMeaning.usual,
      onMessage: (@Sendable (String) -> Void)? = nil,
      launchOptions: LaunchOptions? = nil,
      endsWithParent: Bool = false
    ) {
      self.stopTimeout = stopTimeout
      self.cancelTimeout = cancelTimeout
      self.clock = clock
      self.signals = signals
      self.onMessage = onMessage ?? { StandardError.print("LaunchLoader: \($0)") }
      self.launchOptions = launchOptions
      self.endsWithParent = endsWithParent
    }
  }
}
