public import EventBus
public import LaunchLoader
public import Logging

extension Application.Configuration {
  /// Creates a configuration whose messages go to a logger.
  ///
  /// ```swift
  /// import EventBusLogging
  /// import LaunchLoader
  /// import Logging
  ///
  /// let logger = Logger(label: "shop")
  /// let app = Application(configuration: Application.Configuration(logger: logger))
  /// ```
  ///
  /// Messages have the level `warning`: they concern delayed, cancelled and abandoned services and failed
  /// launch work. What a message names is in its metadata:
  ///
  /// | key | value |
  /// | --- | --- |
  /// | `service` | the service, or an array of several |
  /// | `worker` | the launch work, or an array |
  /// | `state` | `starting` or `stopping` if the message says what is waited for; `cancelled`, `stuck` |
  /// | `elapsed` | the time of the wait so far, for example `5 s` |
  ///
  /// The other parameters are those of the initializer without a logger.
  ///
  /// - Parameters:
  ///   - logger: The logger, called on a thread of its own, under no lock.
  ///   - stopTimeout: The time for an orderly stop; `nil` means no limit.
  ///   - cancelTimeout: The time in which cancelled services must end; `nil` means no limit.
  ///   - clock: The clock that measures all time limits.
  ///   - signals: The meanings of signals; `[:]` leaves all signals alone.
  ///   - launchOptions: The launch options for the launch work; `nil` means `LaunchOptions.current`.
  ///   - endsWithParent: Whether the application ends with its parent process.
  public init(
    logger: Logger,
    stopTimeout: Duration? = .seconds(20),
    cancelTimeout: Duration? = .seconds(5),
    clock: any Clock<Duration> = ContinuousClock(),
    signals: [UnixSignal: SignalMeaning] = SignalMeaning.usual,
    launchOptions: LaunchOptions? = nil,
    endsWithParent: Bool = false
  ) {
    self.init(
      stopTimeout: stopTimeout,
      cancelTimeout: cancelTimeout,
      clock: clock,
      signals: signals,
      onMessage: { text in
        logger.log(level: .warning, "\(text)", metadata: LibraryMessage(text).metadata)
      },
      launchOptions: launchOptions,
      endsWithParent: endsWithParent
    )
  }
}

extension Application {
  /// Logs the states of the application, its launch work and its failed services, until a token ends.
  ///
  /// | message | level | metadata |
  /// | --- | --- | --- |
  /// | application is *state* | `level` | `state`, and `elapsed` since the previous entry of this kind |
  /// | launch work *outcome* | `level` | `worker`, `elapsed` |
  /// | launch finished | `level` | `elapsed` |
  /// | service failed | `error` | `service`, and the error |
  ///
  /// Call it before ``Application/run()``. The events of the application are read from its bus; an application
  /// whose bus has other applications shares their entries.
  ///
  /// - Parameters:
  ///   - logger: The logger.
  ///   - level: The level of states and launch work.
  ///   - clock: The clock that measures the time between states.
  /// - Returns: The token. Dropping it ends the logging; it does not keep the application.
  public func log(
    to logger: Logger,
    level: Logger.Level = .info,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> Token {
    let lap = LapTimer(clock)
    let tokens = TokenBag()
    bus.observe(.stateDidChange) { state in
      let elapsed = lap.next()
      logger.log(
        level: level,
        "application is \(state)",
        metadata: ["state": "\(state)", "elapsed": .stringConvertible(elapsed)]
      )
    }.store(in: tokens)
    bus.observe(.serviceDidFail) { failure in
      logger.log(
        level: .error,
        "service failed",
        error: failure.error,
        metadata: ["service": .string(failure.service)]
      )
    }.store(in: tokens)
    bus.observe(.didFinishLaunching) { [loader] _ async throws in
      let report = try await loader.report
      for entry in report.entries {
        logger.log(
          level: level,
          "launch work \(entry.outcome)",
          metadata: [
            "worker": .string(entry.id.rawValue), "elapsed": .stringConvertible(entry.duration),
          ]
        )
      }
      logger.log(
        level: level,
        "launch finished",
        metadata: ["elapsed": .stringConvertible(report.total)]
      )
    }.store(in: tokens)
    return Token { tokens.end() }
  }
}
