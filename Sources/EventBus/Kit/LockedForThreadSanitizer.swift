#if TSAN
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// The lock of the package in builds for ThreadSanitizer.
///
/// The waiting path of `Mutex` on Linux is not instrumented, so that ThreadSanitizer reports races that
/// are not there. A POSIX mutex is one it knows. The real one, with its documentation, is in
/// `Locked.swift`; this one behaves the same.
@safe @usableFromInline
package struct Locked<State>: ~Copyable, @unchecked Sendable {  // Reason: `lock` guards `state`.
  private let state: UnsafeMutablePointer<State>
  private let lock: UnsafeMutablePointer<pthread_mutex_t>

  /// Creates an unlocked lock around its state.
  package init(_ state: consuming sending State) {
    unsafe self.state = .allocate(capacity: 1)  // Reason: freed in `deinit`.
    unsafe self.state.initialize(to: state)  // Reason: allocated above.
    unsafe lock = .allocate(capacity: 1)  // Reason: freed in `deinit`.
    unsafe pthread_mutex_init(lock, nil)  // Reason: allocated above.
  }

  deinit {
    unsafe pthread_mutex_destroy(lock)  // Reason: nobody can hold it any more.
    unsafe lock.deallocate()  // Reason: allocated in `init`.
    unsafe state.deinitialize(count: 1)  // Reason: initialized in `init`.
    unsafe state.deallocate()  // Reason: allocated in `init`.
  }

  /// Calls a closure with exclusive access to the state.
  @usableFromInline
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    unsafe pthread_mutex_lock(lock)  // Reason: lives as long as this value.
    defer { unsafe pthread_mutex_unlock(lock) }  // Reason: locked above.
    return unsafe try body(&state.pointee)  // Reason: the lock is held.
  }
}
#endif
