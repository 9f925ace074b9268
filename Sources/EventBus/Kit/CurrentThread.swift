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
  // A literal, because some C libraries declare the argument optional and others do not.
  let code = unsafe pthread_create(
    &thread,
    nil,
    {  // Reason: all outlive the call.
      if let argument = unsafe $0 as UnsafeMutableRawPointer? {  // Reason: only looked at.
        unsafe takeBody(argument)()  // Reason: the argument above.
      }
      return nil
    },
    argument
  )
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

/// Takes the code to run from the argument of a thread.
private func takeBody(_ argument: UnsafeMutableRawPointer) -> @Sendable () -> Void {
  let argument = unsafe argument.assumingMemoryBound(
    to: (@Sendable () -> Void).self
  )  // Reason: see `startThread`.
  defer { unsafe argument.deallocate() }  // Reason: allocated in `startThread`.
  return unsafe argument.move()  // Reason: called once for each argument.
}
