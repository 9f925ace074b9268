internal import EventBus
private import _EventBusLocks

#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// Finds the span of a post when its trace reports that the post has ended.
///
/// An interceptor does not receive the number of the post. But a post captures its value immediately before it
/// reports its beginning, on the same thread, and posts of hooks in between are not reported. So the value that was
/// captured last on a thread belongs to the next beginning there, if name and site agree.
///
/// An event that was enqueued captures its value earlier. If it finds another of the same name and site, that
/// span ends with this post, somewhat early; its own then ends when the last handler has finished.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Spans are released outside the lock.
final class OpenPosts: Sendable {
  private struct Captured {
    weak let post: PostSpan?
  }

  private struct State {
    /// The span that was captured last on each thread, not yet begun.
    var captured: [UInt: Captured] = [:]
    /// The spans of posts that have not returned.
    var open: [Int: PostSpan] = [:]
  }

  private let state = Locked(State())

  /// Notes the span that a post is about to begin.
  func captured(_ post: PostSpan) {
    let thread = currentThread()
    state.withLock { $0.captured[thread] = Captured(post: post) }
  }

  /// Notes the number of a post.
  func began(_ step: TraceStep) {
    let thread = currentThread()
    let post = state.withLock { $0.captured.removeValue(forKey: thread) }?.post
    guard let post, post.name == step.name, post.site == step.site else { return }
    state.withLock { $0.open[step.post] = post }
  }

  /// Ends the span of a post that has returned.
  func ended(_ step: TraceStep) {
    state.withLock { $0.open.removeValue(forKey: step.post) }?.end()
  }
}

/// An identifier of the calling thread.
private func currentThread() -> UInt {
  #if canImport(Glibc)
  UInt(pthread_self())
  #else
  unsafe UInt(bitPattern: pthread_self())  // Reason: only a number.
  #endif
}
