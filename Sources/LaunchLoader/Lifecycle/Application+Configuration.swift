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

    /// Creates a configuration without limits.
    public init() {}
  }
}
