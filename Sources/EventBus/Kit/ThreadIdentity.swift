#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// An identifier of the calling thread, for the detection of re-entrant calls.
package enum ThreadIdentity: Sendable {
  /// The identifier of the calling thread, never zero.
  ///
  /// A later thread may have the same identifier. Never optimized: the C library declares `pthread_self` a
  /// constant function, so the optimizer could reuse one result across a suspension point.
  @_optimize(none)
  package static var current: UInt {
    #if canImport(Glibc)
    UInt(pthread_self())
    #else
    unsafe UInt(bitPattern: pthread_self())  // Reason: only a number.
    #endif
  }
}

/// An identifier of the current task.
package enum TaskIdentity: Sendable {
  /// The identifier of the current task, or 0 outside tasks.
  ///
  /// Unique among running tasks. A later task may have the same identifier.
  package static var current: Int {
    unsafe withUnsafeCurrentTask { task in unsafe task?.hashValue ?? 0 }  // Reason: only hashed.
  }
}
