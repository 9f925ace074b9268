private import EventBus

#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// Starts threads of the operating system, outside the pool of the concurrency runtime.
enum ServiceThread {
  /// Unblocks the given signals on the calling thread and blocks all others.
  static func unblockSignals(where isWanted: (Int32) -> Bool) {
    var mask = sigset_t()
    unsafe sigfillset(&mask)  // Reason: outlives the call.
    for number in UnixSignal.numbers where isWanted(number) {
      unsafe sigdelset(&mask, number)  // Reason: outlives the call.
    }
    unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)  // Reason: outlives the call.
  }

  /// Starts a detached thread with all signals blocked, so that no signal handler runs on it.
  ///
  /// - Parameter body: The code to run on the thread.
  /// - Returns: Zero, or an error number.
  static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
    // A thread inherits the mask of the thread that creates it.
    var all = sigset_t()
    var old = sigset_t()
    unsafe sigfillset(&all)  // Reason: outlives the call.
    unsafe pthread_sigmask(SIG_SETMASK, &all, &old)  // Reason: both outlive the call.
    defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }  // Reason: filled above.
    return startThread(body)
  }
}
