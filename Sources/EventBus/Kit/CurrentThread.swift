#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
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

/// Returns an identifier of the current task, or 0 outside tasks.
///
/// Unique among running tasks. A later task may have the same identifier.
package func currentTaskID() -> Int {
  unsafe withUnsafeCurrentTask { task in unsafe task?.hashValue ?? 0 }  // Reason: only hashed.
}
