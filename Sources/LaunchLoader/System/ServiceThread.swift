#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// Starts threads of the operating system, outside the pool of the concurrency runtime.
enum ServiceThread {
  typealias Body = @Sendable () -> Void

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
  static func start(_ body: @escaping Body) -> Int32 {
    // A thread inherits the mask of the thread that creates it.
    var all = sigset_t()
    var old = sigset_t()
    unsafe sigfillset(&all)  // Reason: outlives the call.
    unsafe pthread_sigmask(SIG_SETMASK, &all, &old)  // Reason: both outlive the call.
    defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }  // Reason: filled above.
    let argument = UnsafeMutablePointer<Body>.allocate(capacity: 1)
    unsafe argument.initialize(to: body)  // Reason: allocated above.
    var thread = pthread_t(bitPattern: 0)
    let code = unsafe pthread_create(&thread, nil, run, argument)  // Reason: all outlive the call.
    if code != 0 {
      _ = unsafe take(argument)  // Reason: no thread took it.
      return code
    }
    #if canImport(Darwin)
    if let thread = unsafe thread { unsafe pthread_detach(thread) }  // Reason: never joined.
    #else
    pthread_detach(thread)
    #endif
    return 0
  }

  /// Takes the code to run from the argument of a thread.
  private static func take(_ argument: UnsafeMutableRawPointer) -> Body {
    let argument = unsafe argument.assumingMemoryBound(to: Body.self)  // Reason: see `start`.
    defer { unsafe argument.deallocate() }  // Reason: allocated in `start`.
    return unsafe argument.move()  // Reason: called once for each argument.
  }

  #if canImport(Darwin)
  private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
    unsafe take($0)()  // Reason: the argument of `start`.
    return nil
  }
  #else
  private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    if let argument = unsafe $0 { unsafe take(argument)() }  // Reason: the argument of `start`.
    return nil
  }
  #endif
}
