extension EventBridge {
  /// The number of attempts to handle a durable event, and the pauses between them.
  public struct RetryPolicy: Sendable, Equatable {
    /// The number of failed attempts in one process after which an event becomes a dead letter.
    public var attempts: Int
    /// The number of deliveries to any process after which one failure makes an event a dead letter: more than
    /// ``attempts``, as the death of a process is not a failure of its handlers.
    public var deliveries: Int
    /// The pause after the first failure; each later one is twice as long.
    public var firstPause: Duration
    /// The longest pause.
    public var longestPause: Duration

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - attempts: The calls of the handlers in one process; at least one.
    ///   - deliveries: The deliveries to any process; at least `attempts`.
    ///   - firstPause: The pause after the first failure.
    ///   - longestPause: The longest pause.
    public init(
      attempts: Int = 5,
      deliveries: Int = 50,
      firstPause: Duration = .milliseconds(100),
      longestPause: Duration = .seconds(30)
    ) {
      self.attempts = max(1, attempts)
      self.deliveries = max(self.attempts, deliveries)
      self.firstPause = firstPause
      self.longestPause = longestPause
    }

    /// The pause after a number of failures.
    package func pause(after failures: Int) -> Duration {
      min(longestPause, firstPause * (1 << max(0, min(failures - 1, 20))))
    }
  }
}
