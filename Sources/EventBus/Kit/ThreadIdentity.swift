#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// Which thread runs, as a number: for finding out that a thread has come back to where it already is.
package enum ThreadIdentity: Sendable {
  /// The number of the calling thread, never zero; another thread may have it later.
  ///
  /// Never optimised: the C library declares `pthread_self` a constant function, so that an optimiser may
  /// use one answer on both sides of a suspension.
  @_optimize(none)
  package static var current: UInt {
    #if canImport(Glibc)
    UInt(pthread_self())
    #else
    unsafe UInt(bitPattern: pthread_self())  // Reason: only a number.
    #endif
  }
}

/// Which task is running.
package enum TaskIdentity: Sendable {
  /// A number of the current task that no other task has while it runs, and others may have later; 0 outside tasks.
  package static var current: Int {
    unsafe withUnsafeCurrentTask { task in unsafe task?.hashValue ?? 0 }  // Reason: only hashed.
  }
}
