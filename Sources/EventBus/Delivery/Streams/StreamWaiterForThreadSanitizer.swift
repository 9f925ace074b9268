#if TSAN
/// A consumer of a stream that waits, in builds for ThreadSanitizer.
///
/// If a task is resumed before it has suspended, no operation known to ThreadSanitizer connects the two
/// threads, and it reports a race between the two ends of an unchecked continuation. A checked continuation
/// hides its ends in the standard library. The regular type, with its documentation, is in
/// `StreamWaiter.swift`; this one behaves the same.
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
