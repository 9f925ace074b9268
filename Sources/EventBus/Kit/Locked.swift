#if !TSAN
public import Synchronization

/// A lock with the state that it protects: the only lock of the package.
///
/// It is made of the parts of `Mutex`, which would inline its lock and its unlock, 120 bytes of machine code, into
/// every caller of ``withLock(_:)``.
///
/// `State` is a named type, never a bare closure or a tuple with a closure: such a value grows by a
/// wrapper on every access through a generic `inout` (swiftlang/swift#91348).
///
/// Closures passed to ``withLock(_:)`` only read and change the state. They call no foreign code, take no
/// second lock and release no foreign object: they return what they remove.
@safe @usableFromInline
package struct Locked<State: ~Copyable>: ~Copyable, @unchecked Sendable {  // Reason: `handle` guards `state`.
  @usableFromInline
  let handle = _MutexHandle()

  @usableFromInline
  let state: _Cell<State>

  /// Creates an unlocked lock with an initial state.
  @inlinable
  package init(_ state: consuming sending State) {
    self.state = _Cell(state)
  }

  /// Calls a closure with exclusive access to the state.
  ///
  /// - Parameter body: Reads and changes the state. Taking this lock again inside the closure traps.
  /// - Returns: The closure's result.
  /// - Throws: Any error that the closure throws.
  @inlinable
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock(handle)
    defer { unlock(handle) }
    return unsafe try body(&state._address.pointee)  // Reason: the lock is held.
  }
}

@usableFromInline
@inline(never)  // See `Locked`.
func lock(_ handle: borrowing _MutexHandle) {
  unsafe handle.unsafeLock()  // Reason: `Locked` unlocks it.
}

@usableFromInline
@inline(never)  // See `Locked`.
func unlock(_ handle: borrowing _MutexHandle) {
  unsafe handle.unsafeUnlock()  // Reason: `Locked` has locked it.
}
#endif
