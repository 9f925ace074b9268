/// Counts the calls one post still has to make, for whoever waits until all are done.
package final class Completion: Sendable {
  private struct State {
    /// The post itself counts as one.
    var open = 1
  }

  private let state = Locked(State())
  private let latch = Latch()
  /// The registrations whose handlers wait for this post: it does not wait for them.
  package let callers: [ObjectIdentifier]

  /// Counts the post that is about to begin.
  ///
  /// - Parameter callers: The registrations whose handlers wait for this post.
  package init(callers: [ObjectIdentifier] = []) { self.callers = callers }

  /// One more call will be made later.
  package func begin() { state.withLock { $0.open += 1 } }

  /// A call was made, or never will be; or the post has ended.
  package func finish() {
    let isDone = state.withLock { state in
      state.open -= 1
      return state.open == 0
    }
    if isDone { latch.open() }
  }

  /// Whether every call has been made.
  package var isDone: Bool { latch.isOpen }

  /// Waits until every call has been made.
  ///
  /// Returns early when the waiting task is cancelled.
  package func wait() async { await latch.wait() }
}
