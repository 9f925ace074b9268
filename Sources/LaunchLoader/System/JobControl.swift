#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// The terminal and the parent of the process.
enum JobControl {
  /// A Boolean value that indicates whether the process has a controlling terminal, regardless of its open
  /// descriptors.
  ///
  /// `/dev/tty` names that terminal and cannot be opened without one (POSIX.1-2024, 10.1).
  static var hasTerminal: Bool {
    let flags = O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
    let end = unsafe open("/dev/tty", flags)  // Reason: a terminated string.
    if end >= 0 { close(end) }
    return end >= 0
  }

  /// The identifier of the parent process, or of the process that adopted this one after the parent ended.
  static var parent: Int32 { getppid() }

  /// Stops the process as `SIGTSTP` does by default.
  ///
  /// Follows W. R. Stevens, S. A. Rago, Advanced Programming in the UNIX Environment, 10.21: restores the
  /// default disposition, unblocks and raises the signal, then restores mask and disposition. `raise` sends
  /// the signal to the calling thread, so it takes effect before `raise` returns. A signal sent to the
  /// process could be taken later by another thread, when our handler is installed again.
  ///
  /// The caller must prevent other changes of the disposition meanwhile. Returns when the process is
  /// continued, or immediately if its process group is orphaned, because the system does not stop such a
  /// process.
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
