#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// The signals of the operating system by number.
internal enum SignalNumber {
  internal static let terminate = SIGTERM
  internal static let interrupt = SIGINT
  internal static let hangup = SIGHUP
  internal static let quit = SIGQUIT
  internal static let stop = SIGTSTP
  internal static let resume = SIGCONT
  internal static let user1 = SIGUSR1
  internal static let user2 = SIGUSR2
  internal static let windowChanged = SIGWINCH

  /// Those for which the system accepts no handler (POSIX.1-2024, `sigaction()`).
  internal static let unstoppable: Set<Int32> = [SIGKILL, SIGSTOP]

  /// Those that a faulty instruction raises, and raises again when its handler returns.
  internal static let faults: Set<Int32> = [SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV]

  #if canImport(Darwin)
  /// Every number that is one of a signal.
  internal static let range: ClosedRange<Int32> = 1...31

  /// Those that the C library keeps for itself.
  internal static let reserved: Set<Int32> = []
  #else
  /// Every number that is one of a signal: 31 kinds and the realtime signals (`signal(7)`).
  internal static let range: ClosedRange<Int32> = 1...64

  /// Those that the C library keeps for itself (`signal(7)`, "Real-time signals"; `sigaction` refuses
  /// them).
  internal static let reserved: Set<Int32> = {
    let first = __libc_current_sigrtmin()
    return Set((32...34).filter { $0 < first })
  }()
  #endif

  /// What the system calls them.
  internal static let names: [Int32: String] = {
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
}
