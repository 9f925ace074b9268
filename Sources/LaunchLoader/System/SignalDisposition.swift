#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// What the process does when one signal arrives, as `sigaction` takes and returns it (POSIX.1-2024,
/// `sigaction()`): the handler with its mask and its flags.
struct SignalDisposition: Sendable {
  private let action: sigaction

  private init(_ action: sigaction) {
    self.action = action
  }

  /// What the system does by itself: mostly the end of the process.
  static var byDefault: SignalDisposition { SignalDisposition(make(SIG_DFL)) }

  /// Nothing.
  static var toIgnore: SignalDisposition { SignalDisposition(make(SIG_IGN)) }

  /// A call of a function.
  ///
  /// System calls that the signal interrupts begin anew (`SA_RESTART`), and threads that have a stack of
  /// their own for signals run the function there (`SA_ONSTACK`).
  ///
  /// - Parameter handler: Safe to be called between any two instructions.
  init(handler: @escaping @convention(c) (Int32) -> Void) {
    action = Self.make(handler, flags: SA_RESTART | SA_ONSTACK)
  }

  /// What the process does now, or `nil` for a number that is none of a signal.
  static func current(of number: Int32) -> SignalDisposition? {
    var action = sigaction()
    let code = unsafe sigaction(number, nil, &action)  // Reason: outlives the call.
    return code == 0 ? SignalDisposition(action) : nil
  }

  /// Makes this what the process does.
  ///
  /// - Returns: Whether the system took it; it does so for every signal that has a disposition.
  @discardableResult
  func install(for number: Int32) -> Bool {
    var action = action
    return unsafe sigaction(number, &action, nil) == 0  // Reason: outlives the call.
  }

  /// Whether signals are ignored.
  var isIgnoring: Bool { handlerWord == Self.toIgnore.handlerWord }

  /// Whether the same function is called.
  func hasHandler(of other: SignalDisposition) -> Bool { handlerWord == other.handlerWord }

  /// The address of the handler, or the number that stands for what the system does.
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

/// The signals of the operating system by number.
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

  /// Those for which the system accepts no handler (POSIX.1-2024, `sigaction()`).
  static let unstoppable: Set<Int32> = [SIGKILL, SIGSTOP]

  /// Those that a faulty instruction raises, and raises again when its handler returns.
  static let faults: Set<Int32> = [SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV]

  #if canImport(Darwin)
  /// Every number that is one of a signal.
  static let range: ClosedRange<Int32> = 1...31

  /// Those that the C library keeps for itself.
  static let reserved: Set<Int32> = []
  #else
  /// Every number that is one of a signal: 31 kinds and the realtime signals (`signal(7)`).
  static let range: ClosedRange<Int32> = 1...64

  /// Those that the C library keeps for itself (`signal(7)`, "Real-time signals"; `sigaction` refuses
  /// them).
  static let reserved: Set<Int32> = {
    let first = __libc_current_sigrtmin()
    return Set((32...34).filter { $0 < first })
  }()
  #endif

  /// What the system calls them.
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
