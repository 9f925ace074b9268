#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// The signals that a thread blocks.
struct SignalMask: Sendable {
  private let signals: sigset_t

  /// The signals that the program itself blocks, as far as the calling thread shows, and `SIGPIPE`.
  ///
  /// Threads of the concurrency runtime block nearly everything on Linux, which says nothing about the program. If the
  /// calling thread blocks what these do, and not `SIGSEGV`, which they leave open, only `SIGPIPE` remains: a thread with
  /// this mask may write to a pipe whose reader is gone without ending the program.
  static var ofProgram: SignalMask {
    var signals = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &signals)  // Reason: outlives the call.
    let common = [SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCHLD]
    func isBlocked(_ number: Int32) -> Bool {
      unsafe sigismember(&signals, number) == 1  // Reason: outlives the call.
    }
    let isOfRuntime = common.allSatisfy(isBlocked) && !isBlocked(SIGSEGV)
    if isOfRuntime { unsafe sigemptyset(&signals) }  // Reason: outlives the call.
    unsafe sigaddset(&signals, SIGPIPE)  // Reason: outlives the call.
    return SignalMask(signals: signals)
  }

  /// Makes the calling thread block exactly these signals.
  func install() {
    var signals = signals
    unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)  // Reason: outlives the call.
  }
}
