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
