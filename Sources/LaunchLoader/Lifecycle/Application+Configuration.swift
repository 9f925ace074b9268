private import EventBus

extension Application {
  /// The time limits, clock, signals and message output of an application.
  public struct Configuration: Sendable {
    /// The time for an orderly stop, from the request; `nil` means no limit.
    ///
    /// This deadline applies to the methods of the delegate, to the handlers of `willTerminate` and
    /// `shouldReload`, and to all services together. When it expires, methods and handlers are left behind, and
    /// all running services are cancelled. At Control-Z, it limits how long the process waits for the delegate
    /// before it stops.
    public var stopTimeout: Duration?

    /// The time in which cancelled services and launch work must end, before they are left behind and named;
    /// `nil` means no limit.
    public var cancelTimeout: Duration?

    /// The clock that measures all time limits of the application and its services.
    public var clock: any Clock<Duration>

    /// The meanings of signals while the application runs.
    ///
    /// Signals that are not in the table are left alone. The default, ``SignalMeaning/usual``, is empty on
    /// systems other than Linux and macOS, and inside the bundle of an app or of an extension.
    ///
    /// The first signal that means ``SignalMeaning/graceful`` requests an orderly stop, the second cancels
    /// everything, and the third ends the process immediately with 128 plus its number, even if every thread
    /// of the concurrency runtime is blocked. A signal that was ignored when the program started stays
    /// ignored. The previous dispositions of the others are restored when ``Application/run()`` returns; a
    /// signal that arrived before has no further effect.
    public var signals: [UnixSignal: SignalMeaning]

    /// Called with every message for the user of the program: delayed, cancelled and abandoned services, event
    /// handlers and methods of the delegate, and errors of the operating system.
    ///
    /// Messages are single lines. They arrive in order, one at a time, on a thread of their own and outside
    /// every lock. A call that blocks delays later messages, but no service and no deadline.
    /// ``Application/run()`` returns when the last call has returned, at most ``cancelTimeout`` after
    /// everything else has ended; after that, the call continues in the background.
    public var onMessage: @Sendable (String) -> Void

    /// Called instead of ``onMessage`` for every message, with what the message names; `nil`, the default, means
    /// that ``onMessage`` is called.
    ///
    /// Order, thread and limits are those of ``onMessage``. Use it for a log with structured entries.
    public var onDetailedMessage: (@Sendable (ApplicationMessage) -> Void)?

    /// The launch options for the launch work and the delegate; `nil` means ``LaunchOptions/current``.
    public var launchOptions: LaunchOptions?

    /// A Boolean value that indicates whether the application shuts down when its parent process has ended.
    ///
    /// The parent is checked once a second.
    public var endsWithParent: Bool

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - stopTimeout: The time for an orderly stop; `nil` means no limit.
    ///   - cancelTimeout: The time in which cancelled services must end; `nil` means no limit.
    ///   - clock: The clock that measures all time limits.
    ///   - signals: The meanings of signals; `[:]` leaves all signals alone.
    ///   - onMessage: Called with every message. By default, each message is a line on standard error.
    ///   - launchOptions: The launch options for the launch work; `nil` means ``LaunchOptions/current``.
    ///   - endsWithParent: Whether the application ends with its parent process.
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
      self.onMessage = onMessage ?? { printError("LaunchLoader: \($0)") }
      self.launchOptions = launchOptions
      self.endsWithParent = endsWithParent
    }
  }
}
