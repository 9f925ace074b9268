#if !TSAN
/// A consumer of a stream that waits for an element.
///
/// It must be resumed exactly once; nothing checks that, since a continuation that checks costs as much
/// as the rest of a wait. The proof is in ``StreamBuffer``: a waiter is either answered by the call that
/// made it, or put into the waiters, which are touched under the lock only. Whoever takes it out of them
/// resumes it, and it can be taken out once: by an element, by the end, or by a cancellation. It does
/// not stay in: an end empties the waiters, and a buffer is finished before it dies.
@safe @usableFromInline
package struct StreamWaiter<Element: Sendable>: Sendable {
  @usableFromInline
  typealias Continuation = UnsafeContinuation<Element?, Never>

  /// Which of the waiters it is.
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
  ///   - enter: Takes the waiter up, and sees to it that it is resumed once.
  /// - Returns: What it is resumed with.
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
