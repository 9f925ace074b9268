#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// What a program has to do with its terminal and its parent.
enum JobControl {
  /// Whether a terminal controls the process, wherever its descriptors lead.
  ///
  /// `/dev/tty` is that terminal, and cannot be opened without one (POSIX.1-2024, 10.1).
  static var hasTerminal: Bool {
    let flags = O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
    let end = unsafe open("/dev/tty", flags)  // Reason: a terminated string.
    if end >= 0 { close(end) }
    return end >= 0
  }

  /// The process that started this one, or the one that took over when that was gone.
  static var parent: Int32 { getppid() }

  /// Stops the process as `SIGTSTP` does by default.
  ///
  /// The way of the book (W. R. Stevens, S. A. Rago, Advanced Programming in the UNIX Environment,
  /// 10.21): the default is restored, the signal let through, sent, and everything put back. It is sent
  /// to the calling thread, so that it has been taken when `raise` returns; sent to the process it could
  /// be taken by another thread, later, when our handler is back.
  ///
  /// The caller sees to it that nobody else changes the disposition meanwhile. Returns when the process
  /// was continued; at once if its group is orphaned, when the system does not stop it.
  static func stopProcess() {
    let disposition = SignalDisposition.current(of: SIGTSTP)
    SignalDisposition.byDefault.install(for: SIGTSTP)
    var stop = sigset_t()
    var old = sigset_t()
    unsafe sigemptyset(&stop)  // Reason: outlives the call.
    unsafe sigaddset(&stop, SIGTSTP)  // Reason: outlives the call.
    unsafe pthread_sigmask(SIG_UNBLOCK, &stop, &old)  // Reason: both outlive the call.
    raise(SIGTSTP)
    unsafe pthread_sigmask(SIG_SETMASK, &old, nil)  // Reason: filled above.
    disposition?.install(for: SIGTSTP)
  }
}
