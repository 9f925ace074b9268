#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// The action that the process takes on a signal: a handler with its mask and flags, as in `sigaction()`
/// (POSIX.1-2024).
struct SignalDisposition: Sendable {
  private let action: sigaction

  private init(_ action: sigaction) {
    self.action = action
  }

  /// The default action of the system; for most signals it ends the process.
  static var byDefault: SignalDisposition { SignalDisposition(make(SIG_DFL)) }

  /// Ignores the signal.
  static var toIgnore: SignalDisposition { SignalDisposition(make(SIG_IGN)) }

  /// Creates a disposition that calls a function.
  ///
  /// Interrupted system calls are restarted (`SA_RESTART`), and threads with an alternate signal stack run
  /// the function on it (`SA_ONSTACK`).
  ///
  /// - Parameter handler: An async-signal-safe function.
  init(handler: @escaping @convention(c) (Int32) -> Void) {
    action = Self.make(handler, flags: SA_RESTART | SA_ONSTACK)
  }

  /// Returns the current disposition of a signal, or `nil` for an invalid signal number.
  static func current(of number: Int32) -> SignalDisposition? {
    var action = sigaction()
    let code = unsafe sigaction(number, nil, &action)  // Reason: outlives the call.
    return code == 0 ? SignalDisposition(action) : nil
  }

  /// Installs the disposition for a signal.
  ///
  /// - Returns: `true` if the system accepted it, which it does for every signal whose disposition can
  ///   change.
  @discardableResult
  func install(for number: Int32) -> Bool {
    var action = action
    return unsafe sigaction(number, &action, nil) == 0  // Reason: outlives the call.
  }

  /// A Boolean value that indicates whether the disposition ignores the signal.
  var isIgnoring: Bool { handlerWord == Self.toIgnore.handlerWord }

  /// Returns whether both dispositions call the same handler.
  func hasHandler(of other: SignalDisposition) -> Bool { handlerWord == other.handlerWord }

  /// The address of the handler, or the constant that stands for a system action.
  private var handlerWord: UInt {
    #if canImport(Glibc)
    unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)  // Reason: a number.
    #elseif canImport(Musl)
    unsafe unsafeBitCast(action.__sa_handler.sa_handler, to: UInt.self)  // Reason: a number.
    #else
    unsafe unsafeBitCast(action.__sigaction_u.__sa_handler, to: UInt.self)  // Reason: a number.
    #endif
  }

  private static func make(
    _ handler: (@convention(c) (Int32) -> Void)?,
    flags: Int32 = 0
  ) -> sigaction {
    var action = sigaction()
    #if canImport(Glibc)
    unsafe action.__sigaction_handler.sa_handler = handler  // Reason: a C function lives on.
    #elseif canImport(Musl)
    unsafe action.__sa_handler.sa_handler = handler  // Reason: a C function lives on.
    #else
    unsafe action.__sigaction_u.__sa_handler = handler  // Reason: a C function lives on.
    #endif
    action.sa_flags = flags
    return action
  }
}

/// The signal numbers of the operating system.
enum SignalNumber {
  static let terminate = SIGTERM
  static let interrupt = SIGINT
  static let hangup = SIGHUP
  static let quit = SIGQUIT
  static let stop = SIGTSTP
  static let resume = SIGCONT
  static let user1 = SIGUSR1
  static let user2 = SIGUSR2
  static let windowChanged = SIGWINCH

  /// The signals that accept no handler (POSIX.1-2024, `sigaction()`).
  static let unstoppable: Set<Int32> = [SIGKILL, SIGSTOP]

  /// The signals that a faulty instruction raises, and raises again when the handler returns.
  static let faults: Set<Int32> = [SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV]

  #if canImport(Darwin)
  /// The valid signal numbers.
  static let range: ClosedRange<Int32> = 1...31

  /// The signals that the C library reserves.
  static let reserved: Set<Int32> = []
  #else
  /// The valid signal numbers: 31 standard signals and the realtime signals (`signal(7)`).
  static let range: ClosedRange<Int32> = 1...64

  /// The signals that the C library reserves (`signal(7)`, "Real-time signals"); `sigaction` rejects them.
  static let reserved: Set<Int32> = {
    let first = __libc_current_sigrtmin()
    return Set((32...34).filter { $0 < first })
  }()
  #endif

  /// The names of the signals.
  static let names: [Int32: String] = {
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
