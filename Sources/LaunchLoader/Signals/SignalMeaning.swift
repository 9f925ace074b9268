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
