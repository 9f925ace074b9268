private import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// Restores a terminal when the process ends by a trap, an unhandled signal or `exit`.
///
/// Arming prepares all resources, which last as long as the process. The signal handler is restricted to
/// operations that POSIX.1-2024 (2.4.3, Signal Actions) declares async-signal-safe: lock-free atomics,
/// `poll`, `tcsetattr`, `write`, `sigaction` and `raise`.
///
/// Two ends cannot be handled: `SIGKILL`, and a stack overflow on a thread without an alternate signal
/// stack.
///
/// The state is global because signal dispositions belong to the process. Only one thread at a time may
/// arm and execute the will; a signal may execute it concurrently.
enum LastWill {
  /// Prepares to restore the modes of a terminal and to write bytes to it.
  ///
  /// - Parameters:
  ///   - modes: The modes to restore.
  ///   - input: The terminal with these modes.
  ///   - output: The terminal to write to.
  ///   - bytes: The bytes to write; the same in every call.
  static func arm(modes: termios, input: Int32, output: Int32, bytes: [UInt8]) {
    prepare(bytes)
    let will = unsafe estate  // Reason: prepared, and no handler reads before it is armed.
    unsafe will.pointee.modes = modes  // Reason: as above.
    unsafe will.pointee.input = input  // Reason: as above.
    unsafe will.pointee.output = output  // Reason: as above.
    isArmed.store(true, ordering: .sequentiallyConsistent)
  }

  /// Restores the terminal, once after each arming.
  static func execute() { executeWill() }

  /// Allocates the memory and installs the handlers, once; both last as long as the process.
  private static func prepare(_ bytes: [UInt8]) {
    if isPrepared.exchange(true, ordering: .sequentiallyConsistent) { return }
    let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = unsafe text.initialize(from: bytes)  // Reason: as many.
    unsafe estate.pointee.bytes = UnsafeBufferPointer(text)  // Reason: never freed.
    for number in mortal { install(number) }
    atexit { executeWill() }
  }

  /// Installs the handler unless the program already handles or ignores the signal.
  ///
  /// The handler of a crash reporter is replaced: after a fault it runs after this one, when the terminal
  /// is usable again.
  private static func install(_ number: Int32) {
    var former = sigaction()
    unsafe sigaction(number, nil, &former)  // Reason: outlives the call.
    if !reported.contains(number), !isDefault(former) { return }
    unsafe formers[Int(number)] = former  // Reason: room for every signal.
    var action = sigaction()
    // On threads with an alternate signal stack, this also handles a stack overflow.
    action.sa_flags = SA_ONSTACK | SA_SIGINFO
    unsafe sigfillset(&action.sa_mask)  // Reason: outlives the call.
    #if canImport(Glibc)
    unsafe action.__sigaction_handler.sa_sigaction = restoreAndDie  // Reason: a C function.
    #elseif canImport(Musl)
    unsafe action.__sa_handler.sa_sigaction = restoreAndDie  // Reason: a C function.
    #else
    unsafe action.__sigaction_u.__sa_sigaction = restoreAndDie  // Reason: a C function.
    #endif
    unsafe sigaction(number, &action, nil)  // Reason: outlives the call.
  }

  private static func isDefault(_ action: sigaction) -> Bool {
    #if canImport(Glibc)
    let handler = unsafe action.__sigaction_handler.sa_handler  // Reason: only compared.
    #elseif canImport(Musl)
    let handler = unsafe action.__sa_handler.sa_handler  // Reason: only compared.
    #else
    let handler = unsafe action.__sigaction_u.__sa_handler  // Reason: only compared.
    #endif
    return unsafe unsafeBitCast(handler, to: UInt.self) == 0  // Reason: a number; SIG_DFL is zero.
  }

  /// The synchronous signals.
  private static let faults: Set<Int32> = [
    SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS,
  ]

  /// The signals that crash reporters handle, after the terminal is restored: faults, and the signal that
  /// Control-\\ sends.
  private static let reported = faults.union([SIGQUIT])

  /// The signals that end a process by default and can be caught, including real-time signals.
  private static let mortal = (1..<65 as Range<Int32>).filter { !harmless.contains($0) }

  /// The signals that do not end a process by default, or cannot be caught.
  #if canImport(Darwin)
  private static let harmless: Set<Int32> = [
    SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGURG, SIGWINCH, SIGIO, SIGINFO,
  ]
  #else
  private static let harmless: Set<Int32> = [
    SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGURG, SIGWINCH,
  ]
  #endif
}

/// The state to restore.
@safe private struct Estate {  // Reason: the bytes are never freed.
  var modes = termios()
  var input: Int32 = -1
  var output: Int32 = -1
  var bytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)  // Reason: empty.
}

private let isArmed = Atomic<Bool>(false)
private let isPrepared = Atomic<Bool>(false)

// Reason for both: written while the will is not armed, read by the one that disarms it.
nonisolated(unsafe) private let estate = unsafe made(Estate(), 1)  // Reason: see above.
nonisolated(unsafe) private let formers = unsafe made(sigaction(), 65)  // Reason: see above.

private func made<Value>(_ value: Value, _ count: Int) -> UnsafeMutablePointer<Value> {
  let storage = UnsafeMutablePointer<Value>.allocate(capacity: count)
  unsafe storage.initialize(repeating: value, count: count)  // Reason: the capacity.
  return unsafe storage  // Reason: never freed.
}

private func executeWill() {
  guard isArmed.exchange(false, ordering: .sequentiallyConsistent) else { return }
  // In the background, a program can change the terminal only while it blocks `SIGTTOU`.
  var background = sigset_t()
  var former = sigset_t()
  unsafe sigemptyset(&background)  // Reason: outlives the call.
  unsafe sigaddset(&background, SIGTTOU)  // Reason: outlives the call.
  unsafe pthread_sigmask(SIG_BLOCK, &background, &former)  // Reason: both outlive the call.
  defer { unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }  // Reason: filled above.
  let will = unsafe estate  // Reason: armed; only this call disarms it.
  unsafe tcsetattr(will.pointee.input, TCSANOW, &will.pointee.modes)  // Reason: as above.
  // If the terminal accepts no output, the process ends without it.
  let output = unsafe will.pointee.output  // Reason: as above.
  var request = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
  guard unsafe poll(&request, 1, 100) > 0 else { return }  // Reason: outlives the call.
  let bytes = unsafe will.pointee.bytes  // Reason: never freed.
  _ = unsafe write(output, bytes.baseAddress, bytes.count)  // Reason: as above.
}

/// Handles the signals that end the process: restores the terminal before the process ends.
///
/// After a fault, the faulting instruction runs again with the former handler, so a crash reporter sees
/// the original location. A signal that was sent does not recur, and crash reporters return from such
/// signals, so the handler restores the default action and raises the signal again.
private func restoreAndDie(
  _ number: Int32,
  _ info: UnsafeMutablePointer<siginfo_t>?,
  _ context: UnsafeMutableRawPointer?
) {
  executeWill()
  let code = unsafe info?.pointee.si_code ?? 0  // Reason: the system's, during the call.
  #if canImport(Darwin)
  // From 0x10001, `SI_USER`, on it was sent; a fault may have no code.
  let isFault = code <= 0x10000
  #else
  let isFault = code > 0
  #endif
  if isFault, isRepeated(number) {
    unsafe sigaction(number, formers + Int(number), nil)  // Reason: filled when this was installed.
    return
  }
  var action = sigaction()
  unsafe sigaction(number, &action, nil)  // Reason: outlives the call; empty is the default.
  // The signal is blocked while the handler runs, and delivered when it returns.
  raise(number)
}

/// Returns a Boolean value that indicates whether the faulting instruction runs again after the handler.
private func isRepeated(_ number: Int32) -> Bool {
  #if arch(arm64)
  if number == SIGTRAP { return true }
  #endif
  return number == SIGILL || number == SIGBUS || number == SIGFPE || number == SIGSEGV
}
