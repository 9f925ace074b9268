extension Application {
  /// How an application launches and stops.
  public struct Configuration: Sendable {
    /// How long a service may take to stop before it is cancelled, if its options do not say; at first
    /// `nil`: as long as it likes.
    public var stopTimeout: Duration?

    /// How long a service may take to end after it was cancelled, before it is left behind and named; at
    /// first `nil`: as long as it likes.
    public var cancelTimeout: Duration?

    /// Measures both.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// What the launch work and the delegate are given; at first `nil`: ``LaunchOptions/current``.
    public var launchOptions: LaunchOptions?

    /// Whether signals of the operating system are heard while the application runs; at first `true`.
    ///
    /// The first `SIGTERM` or `SIGINT` stops everything in order, the second cancels, the third ends the
    /// process at once with 128 plus its number. `SIGTSTP` and `SIGCONT` send to the background and back,
    /// `SIGHUP` posts `shouldReload`, `SIGWINCH` posts `terminalDidResize`. What the process did on them
    /// before is restored when ``Application/run()`` returns.
    public var handlesSignals = true

    /// Whether the application shuts down when the process that started it has ended; at first `false`.
    ///
    /// It is looked for once a second.
    public var endsWithParent = false

    /// Creates a configuration without limits.
    public init() {}
  }
}
