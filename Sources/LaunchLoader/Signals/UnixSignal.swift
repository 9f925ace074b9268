/// A signal of the operating system.
///
/// The static members cover the signals that programs commonly listen to. Create any other signal from its
/// number.
///
/// ```swift
/// let reloads = UnixSignal.stream(.hangup)
/// for await _ in reloads {
///   print("reload the configuration")
/// }
/// ```
///
/// ## Thread safety
///
/// A plain value. ``stream(_:)`` and ``inject(_:)`` may be called from any thread, but not from a signal
/// handler.
public struct UnixSignal: RawRepresentable, Hashable, Sendable {
  /// The number of the signal.
  public let rawValue: Int32

  /// Creates a signal from its number, even if the system has no such signal.
  ///
  /// - Parameter rawValue: The number of the signal.
  public init(rawValue: Int32) { self.rawValue = rawValue }
}

/// The names follow POSIX.1-2024, `<signal.h>`; the numbers are those of the system.
extension UnixSignal {
  /// `SIGTERM`: requests the end of the program.
  public static let terminate = UnixSignal(rawValue: SignalNumber.terminate)
  /// `SIGINT`: the user interrupts the program, usually with Control-C.
  public static let interrupt = UnixSignal(rawValue: SignalNumber.interrupt)
  /// `SIGHUP`: the terminal was closed.
  ///
  /// In a program without a terminal, it conventionally requests a reload of the configuration.
  public static let hangup = UnixSignal(rawValue: SignalNumber.hangup)
  /// `SIGQUIT`: the user requests the end with a core dump, usually with Control-\\.
  public static let quit = UnixSignal(rawValue: SignalNumber.quit)
  /// `SIGTSTP`: the user suspends the program, usually with Control-Z.
  ///
  /// Unlike `SIGSTOP`, it accepts listeners.
  public static let stop = UnixSignal(rawValue: SignalNumber.stop)
  /// `SIGCONT`: the program continues after it was stopped.
  public static let resume = UnixSignal(rawValue: SignalNumber.resume)
  /// `SIGUSR1`: defined by the program.
  public static let user1 = UnixSignal(rawValue: SignalNumber.user1)
  /// `SIGUSR2`: defined by the program.
  public static let user2 = UnixSignal(rawValue: SignalNumber.user2)
  /// `SIGWINCH`: the size of the terminal has changed.
  public static let windowChanged = UnixSignal(rawValue: SignalNumber.windowChanged)
}

extension UnixSignal: CustomStringConvertible {
  /// The name of the signal, such as `SIGTERM`, or `signal 40` for a number without a name.
  public var description: String { SignalNumber.names[rawValue] ?? "signal \(rawValue)" }
}

extension UnixSignal {
  /// Returns the signals of this process as a stream for one task.
  ///
  /// Listening begins before this method returns: no signal is lost between the call and the iteration. While
  /// a signal has listeners, its previous disposition is suspended: the signal neither ends nor stops the
  /// process, and no other handler is called. Every listener receives the signal. The previous disposition is
  /// restored after the last listener.
  ///
  /// Listening ends when the waiting task is cancelled, or when the stream and its iterators are released. A
  /// signal that arrived before and that no listener took is then sent to the process again, so that it has
  /// the effect it would have had without listeners. Keep the stream for as long as the program handles the
  /// signal.
  ///
  /// Signals do not count: several of one kind that arrive before the task takes them coalesce (POSIX.1-2024,
  /// 2.4.1). Different signals keep their order.
  ///
  /// There are two limits. Signals that a thread raises by a fault, such as `SIGSEGV`, have no safe handler
  /// (POSIX.1-2024, 2.4.3: the behaviour after the handler returns is undefined), and `SIGKILL` and `SIGSTOP`
  /// have none at all: requesting them traps. After `fork`, only `exec` is supported: the child has none of
  /// the threads of its parent, so nothing listens there, and a signal has its default effect.
  ///
  /// A program that closes descriptors it did not open, as daemons do, also closes the pipe between the
  /// handler and the task. The pipe is then replaced, and one message reports it.
  ///
  /// - Parameter signals: The signals to listen to. Without any, the stream waits until it ends.
  /// - Returns: The stream. If the system has no descriptors or threads left, the stream ends immediately,
  ///   and a line on standard error reports it.
  /// - Complexity: O(*n*) in the number of listeners. Between a signal and the task are the thread that the
  ///   system interrupts and one thread that resumes the task.
  public static func stream(_ signals: UnixSignal...) -> AsyncStream<UnixSignal> {
    let listener = SignalListener(signals)
    return AsyncStream {
      await listener.next()
    } onCancel: {
      listener.end()
    }
  }

  /// Delivers a signal to its listeners without sending it to the process, for tests.
  ///
  /// It takes the path of a real signal, from the first step after the handler. Without a listener that takes
  /// it, it has no effect.
  ///
  /// - Parameter signal: The signal to deliver.
  public static func inject(_ signal: UnixSignal) { SignalCenter.shared.inject(signal.rawValue) }
}

/// A request that a signal makes to an application.
public enum SignalMeaning: Sendable, Hashable {
  /// Stop in order; the second signal cancels everything, and the third ends the process immediately.
  ///
  /// `SIGHUP` requests only the orderly stop, however often it arrives.
  case graceful
  /// Reload the configuration: the application posts `shouldReload`.
  ///
  /// Instead, `SIGHUP` is ``graceful`` if the program has lost its controlling terminal.
  case reload
  /// Go to the background, and then stop as the system does by default, if a terminal controls the process.
  case background
  /// Return to the foreground.
  case foreground
  /// Read the size of the terminal: the application posts `terminalDidResize`.
  case resize
  /// Do nothing: the signal is swallowed.
  case ignore

  /// The default meanings: `SIGTERM` and `SIGINT` are ``graceful``, `SIGHUP` is ``reload``, `SIGTSTP`
  /// ``background``, `SIGCONT` ``foreground`` and `SIGWINCH` ``resize``.
  ///
  /// On systems other than Linux and macOS, no signal has a meaning.
  public static var usual: [UnixSignal: SignalMeaning] {
    #if os(Linux) || os(macOS)
    [
      .terminate: .graceful, .interrupt: .graceful, .hangup: .reload, .stop: .background,
      .resume: .foreground, .windowChanged: .resize,
    ]
    #else
    [:]
    #endif
  }
}
