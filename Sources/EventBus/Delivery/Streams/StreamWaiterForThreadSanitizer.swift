#if TSAN
/// A consumer of a stream that waits, in builds for ThreadSanitizer.
///
/// A task that is resumed before it has suspended is not handed from thread to thread by anything
/// ThreadSanitizer knows, so that it reports a race between the two ends of a continuation that does not
/// check. One that checks hides its ends in the standard library. The real one, with its documentation,
/// is in `StreamWaiter.swift`; this one behaves the same.
@usableFromInline
package struct StreamWaiter<Element: Sendable>: Sendable {
  @usableFromInline
  let number: UInt
  private let continuation: CheckedContinuation<Element?, Never>

  /// Suspends the task until its waiter is resumed.
  @usableFromInline
  static func wait(
    _ number: UInt,
    isolation: isolated (any Actor)? = #isolation,
    _ enter: (StreamWaiter) -> Void
  ) async -> Element? {
    await withCheckedContinuation { enter(StreamWaiter(number: number, continuation: $0)) }
  }

  /// Ends the wait; called once.
  @usableFromInline
  func resume(_ element: Element?) { continuation.resume(returning: element) }
}
#endif
