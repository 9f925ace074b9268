#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// Returns an identifier of the calling thread, never zero, for the detection of re-entrant calls.
///
/// A later thread may have the same identifier. Never optimized: the C library declares `pthread_self` a
/// constant function, so the optimizer could reuse one result across a suspension point.
@_optimize(none)
package func currentThreadID() -> UInt {
  #if canImport(Glibc)
  UInt(pthread_self())
  #else
  unsafe UInt(bitPattern: pthread_self())  // Reason: only a number.
  #endif
}

/// A number that each thread has for itself, and that is zero at first.
package struct ThreadNumber: Sendable {
  private let key: pthread_key_t

  /// Creates a number for as long as the process runs; no more than a few are available.
  package init() {
    var key = pthread_key_t()
    let code = unsafe pthread_key_create(&key, nil)  // Reason: no code runs at a thread's end.
    if code != 0 {
      trap(
        "The system refused a thread-specific key (error \(code))",
        remedy: "Check which libraries of the program create such keys without deleting them"
      )
    }
    self.key = key
  }

  /// The number of the calling thread.
  ///
  /// - Complexity: O(1), a few nanoseconds.
  package var value: Int {
    get { unsafe Int(bitPattern: pthread_getspecific(key)) }  // Reason: only a number.
    nonmutating set {
      let bits = unsafe UnsafeRawPointer(bitPattern: newValue)  // Reason: never followed.
      _ = unsafe pthread_setspecific(key, bits)  // Reason: as above.
    }
  }
}

/// Starts a detached thread of the operating system, outside the pool of the concurrency runtime.
///
/// - Parameter body: The code to run on the thread.
/// - Returns: Zero, or an error number.
package func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
  let argument = UnsafeMutablePointer<@Sendable () -> Void>.allocate(capacity: 1)
  unsafe argument.initialize(to: body)  // Reason: allocated above.
  #if canImport(Glibc)
  var thread = pthread_t()
  #else
  var thread: pthread_t?
  #endif
  let code = unsafe pthread_create(&thread, nil, { unsafe run($0) }, argument)  // Reason: kept.
  if code != 0 {
    _ = unsafe takeBody(argument)  // Reason: no thread took it.
    return code
  }
  #if canImport(Glibc)
  pthread_detach(thread)
  #else
  if let thread = unsafe thread { unsafe pthread_detach(thread) }  // Reason: never joined.
  #endif
  return 0
}

/// Runs and releases the code that is the argument of a thread.
///
/// The argument is optional in the declarations of some C libraries only.
private func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument = unsafe argument { unsafe takeBody(argument)() }  // Reason: see `startThread`.
  return nil
}

private func takeBody(_ argument: UnsafeMutableRawPointer) -> @Sendable () -> Void {
  typealias Body = @Sendable () -> Void
  let argument = unsafe argument.assumingMemoryBound(to: Body.self)  // Reason: see `startThread`.
  defer { unsafe argument.deallocate() }  // Reason: allocated in `startThread`.
  return unsafe argument.move()  // Reason: called once for each argument.
}
