#if !TSAN
public import Synchronization

/// A lock and the state only its holder may touch: the only lock of the package.
///
/// `State` is a named type, never a bare closure or a tuple that holds one: such a value grows by a
/// wrapper on every access through a generic `inout` (swiftlang/swift#91348).
///
/// Inside ``withLock(_:)`` state is read and changed, and nothing else happens: no code of somebody
/// else is called, no second lock is taken, no foreign object is let go. What is removed is returned.
@usableFromInline
package struct Locked<State>: ~Copyable, Sendable {
  @usableFromInline
  let mutex: Mutex<State>

  /// Creates an unlocked lock around its state.
  @inlinable
  package init(_ state: consuming sending State) {
    mutex = Mutex(state)
  }

  /// Calls a closure with exclusive access to the state.
  ///
  /// - Parameter body: Reads and changes the state. It must not take this lock again: that traps.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  @inlinable
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock(body)
  }
}
#endif
