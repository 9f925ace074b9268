public import EventBus
public import LaunchLoader
public import Logging

extension AppHost.Configuration {
  /// Creates a configuration whose messages go to a logger.
  ///
  /// ```swift
  /// import EventBusLogging
  /// import LaunchLoader
  /// import Logging
  ///
  /// let logger = Logger(label: "shop")
  /// let app = AppHost(configuration: AppHost.Configuration(logger: logger))
  /// ```
  ///
  /// Messages about failed launch work have the level `error`; others have the level `warning`: they concern delayed,
  /// restarted, cancelled and abandoned services. An error that a message reports is the error of its entry. The
  /// subjects of a message are in its metadata:
  ///
  /// | key | value |
  /// | --- | --- |
  /// | `service` | the service, or an array of several |
  /// | `worker` | the launch work, or an array |
  /// | `state` | `starting` or `stopping` if their start or stop takes long; `pausing` if a service starts again; `cancelled`, `abandoned`; `ended` if launch work has failed |
  /// | `elapsed` | the time of the wait so far, of the pause, of the limit that expired, or of the launch work |
  ///
  /// The other parameters are those of the initializer without a logger.
  ///
  /// - Parameters:
  ///   - logger: The logger, called on a separate thread, with no lock held.
  ///   - stopTimeout: The time for an orderly stop; `nil` means no limit.
  ///   - cancelTimeout: The time in which cancelled services must end; `nil` means no limit.
  ///   - clock: The clock that measures all time limits.
  ///   - signals: The meanings of signals; `[:]` leaves all signals alone.
  ///   - launchOptions: The launch options for the launch work; `nil` means `LaunchOptions.current`.
  ///   - watchdog: Returns whether the program is healthy, for the watchdog of the service manager.
  ///   - endsWithParent: Whether the application ends with its parent process.
  public init(
    logger: Logger,
    stopTimeout: Duration? = .seconds(20),
    cancelTimeout: Duration? = .seconds(5),
    clock: any Clock<Duration> = ContinuousClock(),
    signals: [UnixSignal: UnixSignal.Meaning] = UnixSignal.Meaning.standard,
    launchOptions: LaunchOptions? = nil,
    watchdog: (@Sendable () -> Bool)? = nil,
    endsWithParent: Bool = false
  ) {
    self.init(
      stopTimeout: stopTimeout,
      cancelTimeout: cancelTimeout,
      clock: clock,
      signals: signals,
      launchOptions: launchOptions,
      watchdog: watchdog,
      endsWithParent: endsWithParent
    )
    onMessage = { message in
      let level: Logger.Level = message.state == .ended ? .error : .warning
      let text: Logger.Message = "\(message.description)"
      logger.log(level: level, text, error: message.error, metadata: message.metadata)
    }
  }
}

extension AppHostMessage {
  /// The subjects of the message.
  fileprivate var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = [:]
    metadata["service"] = Self.value(services)
    metadata["worker"] = Self.value(workers)
    if let state { metadata["state"] = .string(state.rawValue) }
    if let elapsed { metadata["elapsed"] = .stringConvertible(elapsed) }
    return metadata
  }

  private static func value(_ names: [String]) -> Logger.MetadataValue? {
    names.count < 2 ? names.first.map { .string($0) } : .array(names.map { .string($0) })
  }
}

extension AppHost {
  /// Logs the states of the application and of its services, and its launch work, until a token ends.
  ///
  /// | message | level | metadata |
  /// | --- | --- | --- |
  /// | application changed state | `level` | `state`, and `elapsed` since the previous entry of this kind |
  /// | launch work ended | `level` | `worker`, `outcome`, `elapsed` |
  /// | launch work failed | `error` | `worker`, `outcome`, `elapsed`, and the error, if it has thrown one |
  /// | launch finished | `level` | `elapsed` |
  /// | service changed state | `level` | `service`, `state`, `attempt`, and `elapsed` in the state before |
  /// | service failed | `error`, or `warning` before a restart | the same, and the error |
  ///
  /// Call it before `run()`. The events of the application are read from its bus; an application
  /// whose bus has other applications shares their entries.
  ///
  /// - Parameters:
  ///   - logger: The logger.
  ///   - level: The level of states and launch work.
  ///   - clock: The clock that measures the time between states.
  /// - Returns: The token. Dropping it ends the logging; it does not keep the application.
  public func startLogging(
    to logger: Logger,
    level: Logger.Level = .info,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> Token {
    let lap = LapTimer(clock)
    let tokens = TokenBag()
    bus.observe(.appStateDidChange) { state in
      let elapsed = lap.next()
      logger.log(
        level: level,
        "application changed state",
        metadata: ["state": "\(state)", "elapsed": .stringConvertible(elapsed)]
      )
    }.store(in: tokens)
    bus.observe(.appServiceStateDidChange) { change in
      let metadata: Logger.Metadata = [
        "service": .string(change.service), "state": .string(change.state.rawValue),
        "attempt": .stringConvertible(change.attempt),
        "elapsed": .stringConvertible(change.elapsed),
      ]
      logger.log(level: level, "service changed state", metadata: metadata)
      guard let error = change.error else { return }
      logger.log(
        level: change.state == .pausing ? .warning : .error,
        "service failed",
        error: error,
        metadata: metadata
      )
    }.store(in: tokens)
    bus.observe(.didFinishLaunching) { [loader] _ async throws in
      let report = try await loader.report()
      for entry in report.entries {
        let metadata: Logger.Metadata = [
          "worker": .string(entry.id.rawValue), "outcome": "\(entry.outcome)",
          "elapsed": .stringConvertible(entry.duration),
        ]
        switch entry.outcome {
        case .failed(let error):
          logger.log(level: .error, "launch work failed", error: error, metadata: metadata)
        case .timedOut: logger.log(level: .error, "launch work failed", metadata: metadata)
        default: logger.log(level: level, "launch work ended", metadata: metadata)
        }
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
