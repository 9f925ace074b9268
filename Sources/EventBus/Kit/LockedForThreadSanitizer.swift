#if TSAN
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// A replacement for the package's lock in ThreadSanitizer builds.
///
/// The waiting path of `Mutex` on Linux is not instrumented, so ThreadSanitizer reports false races. It
/// understands POSIX mutexes. `Locked.swift` has the regular implementation and its documentation; both
/// behave the same.
@safe @usableFromInline
package struct Locked<State: ~Copyable>: ~Copyable, @unchecked Sendable {  // Reason: `lock` guards `state`.
  private let state: UnsafeMutablePointer<State>
  private let lock: UnsafeMutablePointer<pthread_mutex_t>

  /// Creates an unlocked lock with an initial state.
  package init(_ state: consuming sending State) {
    unsafe self.state = .allocate(capacity: 1)  // Reason: freed in `deinit`.
    unsafe self.state.initialize(to: state)  // Reason: allocated above.
    unsafe lock = .allocate(capacity: 1)  // Reason: freed in `deinit`.
    unsafe pthread_mutex_init(lock, nil)  // Reason: allocated above.
  }

  deinit {
    unsafe pthread_mutex_destroy(lock)  // Reason: no thread can hold it.
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
