/// A signal of the operating system.
///
/// The members stand for the signals that programs commonly listen to; every other one is made from its
/// number.
///
/// ```swift
/// let reloads = UnixSignal.stream(.hangup)
/// for await _ in reloads {
///   reloadConfiguration()
/// }
/// ```
///
/// ## Thread safety
///
/// A plain value. ``stream(_:)`` and ``inject(_:)`` may be called from any thread, except in the handler
/// of a signal.
public struct UnixSignal: RawRepresentable, Hashable, Sendable {
  /// The number of the signal.
  public let rawValue: Int32

  /// Makes a signal from its number, whether or not the system has such a one.
  ///
  /// - Parameter rawValue: The number.
  public init(rawValue: Int32) { self.rawValue = rawValue }
}

/// The names are those of POSIX.1-2024, `<signal.h>`; the numbers are the system's.
extension UnixSignal {
  /// `SIGTERM`: the program is asked to end.
  public static let terminate = UnixSignal(rawValue: SignalNumber.terminate)
  /// `SIGINT`: the user interrupts the program, usually with Control-C.
  public static let interrupt = UnixSignal(rawValue: SignalNumber.interrupt)
  /// `SIGHUP`: the terminal is gone; to a program without one, by custom: read the configuration anew.
  public static let hangup = UnixSignal(rawValue: SignalNumber.hangup)
  /// `SIGQUIT`: the user wants the program to end with a core dump, usually with Control-\\.
  public static let quit = UnixSignal(rawValue: SignalNumber.quit)
  /// `SIGTSTP`: the user wants the program to stop for a while, usually with Control-Z.
  ///
  /// Not `SIGSTOP`, which nobody can hear.
  public static let stop = UnixSignal(rawValue: SignalNumber.stop)
  /// `SIGCONT`: the program goes on after it was stopped.
  public static let resume = UnixSignal(rawValue: SignalNumber.resume)
  /// `SIGUSR1`: whatever the program says it is.
  public static let user1 = UnixSignal(rawValue: SignalNumber.user1)
  /// `SIGUSR2`: whatever the program says it is.
  public static let user2 = UnixSignal(rawValue: SignalNumber.user2)
  /// `SIGWINCH`: the terminal has another size.
  public static let windowChanged = UnixSignal(rawValue: SignalNumber.windowChanged)
}

extension UnixSignal: CustomStringConvertible {
  /// The name that the system gives it, such as `SIGTERM`, or `signal 40` for a number without a name.
  public var description: String { SignalNumber.names[rawValue] ?? "signal \(rawValue)" }
}

extension UnixSignal {
  /// The signals that come to this process, for one task to take.
  ///
  /// Listening begins before this returns: no signal is lost between this call and the iteration. While
  /// anybody listens to a signal, what the process did with it before is suspended: it neither ends nor
  /// stops the process, and no other handler is called. Everybody who listens to a signal hears it. When
  /// the last one has gone, what was there before is restored.
  ///
  /// Listening ends when the task that waits is cancelled, or when the stream and its iterators are gone.
  /// A signal that has come by then and that nobody took is sent to the process again, so that it has the
  /// effect it would have had without anybody listening. Hold the stream for as long as the program has
  /// an answer to the signal.
  ///
  /// Signals are no counters: several of one kind that have come before the task takes them are one
  /// (POSIX.1-2024, 2.4.1). Different ones keep their order.
  ///
  /// Two things are not possible. Signals that a thread raises by what it does, such as `SIGSEGV`, cannot
  /// be heard (POSIX.1-2024, 2.4.3: what happens after their handler returns is undefined), nor can
  /// `SIGKILL` and `SIGSTOP`: asking for them stops the program. And after `fork` only `exec` is supported: the
  /// child has none of the threads of its parent, so nothing listens there, and a signal does what it does by
  /// default.
  ///
  /// A program that closes descriptors it did not open, as daemons do, closes the pipe between the handler and
  /// the task, too. It is replaced, and one line says so.
  ///
  /// - Parameter signals: What to listen to. Of no signal the stream waits until it ends.
  /// - Returns: The stream. It ends at once, and a line is written to standard error, when the system has no
  ///   descriptors or threads left.
  /// - Complexity: O(*n*) in the number of those who listen. Between a signal and the task stand the thread
  ///   that the system interrupts and one that resumes the task.
  public static func stream(_ signals: UnixSignal...) -> AsyncStream<UnixSignal> {
    let listener = SignalListener(signals)
    return AsyncStream {
      await listener.next()
    } onCancel: {
      listener.end()
    }
  }

  /// Lets those who listen to a signal hear it, without sending it to the process: for tests.
  ///
  /// It takes the way of a signal that has come, from the first step after the handler. If nobody listens,
  /// or nobody takes it, nothing happens.
  ///
  /// - Parameter signal: What they hear.
  public static func inject(_ signal: UnixSignal) { SignalCenter.shared.inject(signal.rawValue) }
}

/// What a signal asks of an application.
public enum SignalMeaning: Sendable, Hashable {
  /// To stop in order; asked again, to cancel everything; asked a third time, to end at once.
  ///
  /// `SIGHUP` asks only for the stop in order, however often it comes.
  case graceful
  /// To read its configuration again: the application posts `shouldReload`.
  ///
  /// `SIGHUP` is ``graceful`` instead if the terminal that controlled the program is gone.
  case reload
  /// To go to the background, and then to stop as the system does by itself, if a terminal controls the
  /// process.
  case background
  /// To come back to the foreground.
  case foreground
  /// To look at the size of its terminal: the application posts `terminalDidResize`.
  case resize
  /// To do nothing: the signal is swallowed.
  case ignore

  /// What signals mean unless the configuration says otherwise: `SIGTERM` and `SIGINT` are ``graceful``,
  /// `SIGHUP` is ``reload``, `SIGTSTP` ``background``, `SIGCONT` ``foreground`` and `SIGWINCH` ``resize``; on
  /// other systems than Linux and macOS no signal means anything.
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
