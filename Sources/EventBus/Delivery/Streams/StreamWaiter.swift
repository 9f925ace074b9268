#if !TSAN
/// A consumer of a stream that waits for an element.
///
/// It must be resumed exactly once. Nothing checks that, since a checked continuation costs as much as the
/// rest of a wait. The proof is in ``StreamBuffer``: the call that creates a waiter either resumes it or
/// enlists it, under the lock. Code that removes a waiter resumes it, and it can be removed only once: by
/// an element, by the end, or by a cancellation. It cannot remain: the end removes all waiters, and a
/// buffer is finished before it is freed.
@safe @usableFromInline
package struct StreamWaiter<Element: Sendable>: Sendable {
  @usableFromInline
  typealias Continuation = UnsafeContinuation<Element?, Never>

  /// The number that identifies the waiter.
  @usableFromInline
  let number: UInt
  @usableFromInline
  let continuation: Continuation

  @inlinable
  init(_ number: UInt, _ continuation: Continuation) {
    self.number = number
    unsafe self.continuation = continuation  // Reason: resumed once, see above.
  }

  /// Suspends the task until its waiter is resumed.
  ///
  /// - Parameters:
  ///   - number: The number of the waiter.
  ///   - isolation: The caller's isolation.
  ///   - enter: Enlists the waiter or resumes it, so that it is resumed exactly once.
  /// - Returns: The element it is resumed with.
  @inlinable
  static func wait(
    _ number: UInt,
    isolation: isolated (any Actor)? = #isolation,
    _ enter: (StreamWaiter) -> Void
  ) async -> Element? {
    await unsafe withUnsafeContinuation { continuation in  // Reason: `enter` is trusted, see above.
      unsafe enter(StreamWaiter(number, continuation))  // Reason: as above.
    }
  }

  /// Ends the wait; called once.
  @inlinable
  func resume(_ element: Element?) {
    unsafe continuation.resume(returning: element)  // Reason: called once, see above.
  }
}
#endif
