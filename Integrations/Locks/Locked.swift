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
#else
public import Synchronization
#endif

#if !TSAN
/// A lock with the state that it protects: the only lock of the packages beside the libraries.
///
/// The module belongs to these packages. Its name begins with an underscore because it may change in any version.
///
/// Closures passed to ``withLock(_:)`` only read and change the state. They call no foreign code, take no second
/// lock and release no foreign object: they return the removed objects.
public struct Locked<State>: ~Copyable, Sendable {
  @usableFromInline
  let mutex: Mutex<State>

  /// Creates an unlocked lock with an initial state.
  @inlinable
  public init(_ state: consuming sending State) { mutex = Mutex(state) }

  /// Calls a closure with exclusive access to the state.
  @inlinable
  public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock(body)
  }
}
#else
/// The lock for ThreadSanitizer, which understands POSIX mutexes: the waiting path of `Mutex` on Linux is not
/// instrumented, and would be reported as a race.
@safe
public struct Locked<State>: ~Copyable, @unchecked Sendable {  // Reason: `lock` guards `state`.
  private let state: UnsafeMutablePointer<State>
  private let lock: UnsafeMutablePointer<pthread_mutex_t>

  /// Creates an unlocked lock with an initial state.
  public init(_ state: consuming sending State) {
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
  public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    unsafe pthread_mutex_lock(lock)  // Reason: lives as long as this value.
    defer { unsafe pthread_mutex_unlock(lock) }  // Reason: locked above.
    return unsafe try body(&state.pointee)  // Reason: the lock is held.
  }
}
#endif
