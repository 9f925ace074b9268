#if !TSAN
public import Synchronization

/// A lock with the state that it protects: the only lock of the package.
///
/// `State` is a named type, never a bare closure or a tuple with a closure: such a value grows by a
/// wrapper on every access through a generic `inout` (swiftlang/swift#91348).
///
/// Closures passed to ``withLock(_:)`` only read and change the state. They call no foreign code, take no
/// second lock and release no foreign object: they return what they remove.
@usableFromInline
package struct Locked<State>: ~Copyable, Sendable {
  @usableFromInline
  let mutex: Mutex<State>

  /// Creates an unlocked lock with an initial state.
  @inlinable
  package init(_ state: consuming sending State) {
    mutex = Mutex(state)
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
    try mutex.withLock(body)
  }
}
#endif
