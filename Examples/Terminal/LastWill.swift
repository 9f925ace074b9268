private import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Gives a terminal back as it was, whatever ends the process: a trap, a signal that nothing answers,
/// `exit`.
///
/// Everything it takes is prepared when it is armed and stays for ever. What a handler does then is what
/// POSIX.1-2024 (2.4.3, Signal Actions) allows between any two instructions: atomic operations without a
/// lock, `poll`, `tcsetattr`, `write`, `sigaction` and `raise`.
///
/// Two ends are out of reach: `SIGKILL`, and a stack that has overflown on a thread without another one
/// for signals.
///
/// There is one for the process, since the dispositions of signals belong to it. Arming and executing
/// are one thread's at a time; a signal may execute it meanwhile.
enum LastWill {
  /// Prepares to restore the modes of a terminal, and to write some bytes to it.
  ///
  /// - Parameters:
  ///   - modes: How it was.
  ///   - input: The terminal whose modes they are.
  ///   - output: The terminal to write to.
  ///   - bytes: What to write; the same each time.
  static func arm(modes: termios, input: Int32, output: Int32, bytes: [UInt8]) {
    prepare(bytes)
    let will = unsafe estate  // Reason: prepared, and no handler reads before it is armed.
    unsafe will.pointee.modes = modes  // Reason: as above.
    unsafe will.pointee.input = input  // Reason: as above.
    unsafe will.pointee.output = output  // Reason: as above.
    isArmed.store(true, ordering: .sequentiallyConsistent)
  }

  /// Gives the terminal back, if that was not done since it was armed.
  static func execute() { executeWill() }

  /// The first time: makes the memory and installs the handlers, which stay.
  private static func prepare(_ bytes: [UInt8]) {
    if isPrepared.exchange(true, ordering: .sequentiallyConsistent) { return }
    let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = unsafe text.initialize(from: bytes)  // Reason: as many.
    unsafe estate.pointee.bytes = UnsafeBufferPointer(text)  // Reason: never freed.
    for number in mortal { install(number) }
    atexit { executeWill() }
  }

  /// Installs the handler, unless the program has an answer to the signal already, or ignores it.
  ///
  /// A crash reporter is no such answer: after a fault it comes after this, and finds a terminal to
  /// report on.
  private static func install(_ number: Int32) {
    var former = sigaction()
    unsafe sigaction(number, nil, &former)  // Reason: outlives the call.
    if !reported.contains(number), !isDefault(former) { return }
    unsafe formers[Int(number)] = former  // Reason: room for every signal.
    var action = sigaction()
    // Also when the stack has overflown, on threads that have another one for signals.
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

  /// What a thread does to itself.
  private static let faults: Set<Int32> = [
    SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS,
  ]

  /// The signals that crash reporters answer, which must find a terminal that was given back: faults,
  /// and the one that Control-\\ sends.
  private static let reported = faults.union([SIGQUIT])

  /// The signals that end a process by default and can be caught: all but a few, those for real-time
  /// use included.
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

/// What there is to restore.
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
  let place = UnsafeMutablePointer<Value>.allocate(capacity: count)
  unsafe place.initialize(repeating: value, count: count)  // Reason: as much as there is.
  return unsafe place  // Reason: never freed.
}

private func executeWill() {
  guard isArmed.exchange(false, ordering: .sequentiallyConsistent) else { return }
  // In the background a program may not touch the terminal, unless it blocks the signal that says so.
  var background = sigset_t()
  var former = sigset_t()
  unsafe sigemptyset(&background)  // Reason: outlives the call.
  unsafe sigaddset(&background, SIGTTOU)  // Reason: outlives the call.
  unsafe pthread_sigmask(SIG_BLOCK, &background, &former)  // Reason: both outlive the call.
  defer { unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }  // Reason: filled above.
  let will = unsafe estate  // Reason: armed, and disarmed by nobody else.
  unsafe tcsetattr(will.pointee.input, TCSANOW, &will.pointee.modes)  // Reason: as above.
  // Nobody may be reading, or the user has stopped the output: then the process ends all the same.
  let output = unsafe will.pointee.output  // Reason: as above.
  var request = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
  guard unsafe poll(&request, 1, 100) > 0 else { return }  // Reason: outlives the call.
  let bytes = unsafe will.pointee.bytes  // Reason: never freed.
  _ = unsafe write(output, bytes.baseAddress, bytes.count)  // Reason: as above.
}

/// The handler of every signal that would end the process: ends it, a little later.
///
/// After a fault the instruction is run again, as if nobody had been here: whoever reports on crashes
/// sees it where it happened. A signal that was sent would not come again, and reporters return from
/// those; so it does what the system does by itself.
private func restoreAndDie(
  _ number: Int32,
  _ info: UnsafeMutablePointer<siginfo_t>?,
  _ context: UnsafeMutableRawPointer?
) {
  executeWill()
  let code = unsafe info?.pointee.si_code ?? 0  // Reason: the system's, during the call.
  if code > 0, isRepeated(number) {
    unsafe sigaction(number, formers + Int(number), nil)  // Reason: filled when this was installed.
    return
  }
  var action = sigaction()
  unsafe sigaction(number, &action, nil)  // Reason: outlives the call; empty is the default.
  // Blocked while a handler runs; taken as soon as this one has returned.
  raise(number)
}

/// Whether the instruction at fault is run again after the handler.
private func isRepeated(_ number: Int32) -> Bool {
  #if arch(arm64)
  if number == SIGTRAP { return true }
  #endif
  return number == SIGILL || number == SIGBUS || number == SIGFPE || number == SIGSEGV
}
