#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif

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
  public static let terminate = UnixSignal(rawValue: SIGTERM)
  /// `SIGINT`: the user interrupts the program, usually with Control-C.
  public static let interrupt = UnixSignal(rawValue: SIGINT)
  /// `SIGHUP`: the terminal was closed.
  ///
  /// In a program without a terminal, it conventionally requests a reload of the configuration.
  public static let hangup = UnixSignal(rawValue: SIGHUP)
  /// `SIGQUIT`: the user requests the end with a core dump, usually with Control-\\.
  public static let quit = UnixSignal(rawValue: SIGQUIT)
  /// `SIGTSTP`: the user suspends the program, usually with Control-Z.
  ///
  /// Unlike `SIGSTOP`, it accepts listeners.
  public static let terminalStop = UnixSignal(rawValue: SIGTSTP)
  /// `SIGCONT`: the program continues after it was stopped.
  public static let resume = UnixSignal(rawValue: SIGCONT)
  /// `SIGUSR1`: defined by the program.
  public static let user1 = UnixSignal(rawValue: SIGUSR1)
  /// `SIGUSR2`: defined by the program.
  public static let user2 = UnixSignal(rawValue: SIGUSR2)
  /// `SIGPIPE`: the program has written into a pipe or a socket without a reader.
  public static let pipe = UnixSignal(rawValue: SIGPIPE)
  /// `SIGWINCH`: the size of the terminal has changed.
  public static let windowChanged = UnixSignal(rawValue: SIGWINCH)
}

extension UnixSignal: CustomStringConvertible {
  /// The name of the signal, such as `SIGTERM`, or `signal 40` for a number without a name.
  public var description: String { Self.names[rawValue] ?? "signal \(rawValue)" }
}

extension UnixSignal {
  /// The signals that accept no handler (POSIX.1-2024, `sigaction()`).
  private static let unstoppable: Set<Int32> = [SIGKILL, SIGSTOP]

  /// The signals that a faulty instruction raises, and raises again when the handler returns.
  private static let faults: Set<Int32> = [SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV]

  #if canImport(Darwin)
  /// The valid signal numbers.
  static let numbers: ClosedRange<Int32> = 1...31

  /// The signals that the C library reserves.
  private static let reserved: Set<Int32> = []
  #else
  /// The valid signal numbers: 31 standard signals and the realtime signals (`signal(7)`).
  static let numbers: ClosedRange<Int32> = 1...64

  /// The signals that the C library reserves (`signal(7)`, "Real-time signals"); `sigaction` rejects them.
  private static let reserved: Set<Int32> = {
    let first = __libc_current_sigrtmin()
    return Set((32...34).filter { $0 < first })
  }()
  #endif

  /// The names of signals by number.
  private static let names: [Int32: String] = {
    var names = [
      SIGABRT: "SIGABRT", SIGALRM: "SIGALRM", SIGBUS: "SIGBUS", SIGCHLD: "SIGCHLD",
      SIGCONT: "SIGCONT", SIGFPE: "SIGFPE", SIGHUP: "SIGHUP", SIGILL: "SIGILL", SIGINT: "SIGINT",
      SIGIO: "SIGIO", SIGKILL: "SIGKILL", SIGPIPE: "SIGPIPE", SIGPROF: "SIGPROF",
      SIGQUIT: "SIGQUIT", SIGSEGV: "SIGSEGV", SIGSTOP: "SIGSTOP", SIGSYS: "SIGSYS",
      SIGTERM: "SIGTERM", SIGTRAP: "SIGTRAP", SIGTSTP: "SIGTSTP", SIGTTIN: "SIGTTIN",
      SIGTTOU: "SIGTTOU", SIGURG: "SIGURG", SIGUSR1: "SIGUSR1", SIGUSR2: "SIGUSR2",
      SIGVTALRM: "SIGVTALRM", SIGWINCH: "SIGWINCH", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ",
    ]
    #if canImport(Darwin)
    names[SIGEMT] = "SIGEMT"
    names[SIGINFO] = "SIGINFO"
    #else
    names[SIGPWR] = "SIGPWR"
    names[SIGSTKFLT] = "SIGSTKFLT"
    #endif
    return names
  }()

  /// The reason why the signal does not accept listeners, phrased to follow its name, and the alternative;
  /// `nil` if it accepts them.
  package var refusal: (reason: String, remedy: String)? {
    if Self.unstoppable.contains(rawValue) {
      return ("accepts no handler", "Listen to SIGTERM or SIGTSTP, which request the same")
    }
    if Self.faults.contains(rawValue) {
      return (
        "comes from a fault that repeats after its handler returns",
        "Leave it to the system, or to a crash reporter"
      )
    }
    if Self.numbers.contains(rawValue) && !Self.reserved.contains(rawValue) { return nil }
    let (first, last) = (Self.numbers.lowerBound, Self.numbers.upperBound)
    return (
      "is not a signal of this system",
      "Use one from \(first) to \(last), or a member of UnixSignal"
    )
  }
}
