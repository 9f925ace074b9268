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

/// Threads of the operating system: those outside the pool of the concurrency runtime, and the time that a
/// thread has computed.
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

  /// Returns a closure that reads the processor time of the calling thread, on any thread, while this thread
  /// exists.
  ///
  /// The closure returns zero if the system does not say.
  static func processorTime() -> @Sendable () -> Duration {
    #if canImport(Darwin)
    let thread = unsafe pthread_mach_thread_np(pthread_self())  // Reason: this thread.
    return {
      var facts = thread_basic_info()
      let size = MemoryLayout<thread_basic_info>.size / MemoryLayout<integer_t>.size
      var count = mach_msg_type_number_t(size)
      let kind = thread_flavor_t(THREAD_BASIC_INFO)
      let code = unsafe withUnsafeMutablePointer(to: &facts) { facts in  // Reason: within the call.
        unsafe facts.withMemoryRebound(to: integer_t.self, capacity: size) { words in  // Reason: C.
          unsafe thread_info(thread, kind, words, &count)  // Reason: both outlive the call.
        }
      }
      guard code == KERN_SUCCESS else { return .zero }
      let seconds = facts.user_time.seconds + facts.system_time.seconds
      let microseconds = facts.user_time.microseconds + facts.system_time.microseconds
      return .seconds(Int64(seconds)) + .microseconds(Int64(microseconds))
    }
    #else
    var id = clockid_t()
    let code = unsafe pthread_getcpuclockid(pthread_self(), &id)  // Reason: outlives the call.
    guard code == 0 else { return { .zero } }
    return { [id] in
      var time = timespec()
      _ = unsafe clock_gettime(id, &time)  // Reason: outlives the call.
      return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
    #endif
  }
}
