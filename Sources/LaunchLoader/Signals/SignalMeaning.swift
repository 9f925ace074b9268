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
