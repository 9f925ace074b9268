internal import Dispatch
internal import EventBus

/// A door that the test opens once, for threads and tasks that wait.
public final class ManualLatch: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var threads: [DispatchSemaphore] = []
    var nextWaiter = 0
  }

  private let state = Locked(State())

  /// Creates a closed latch.
  public init() {}

  /// A Boolean value that indicates whether the latch has been opened.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Resumes all waiting threads and tasks, now and later.
  public func open() {
    let (waiters, threads) = state.withLock { state in
      state.isOpen = true
      defer { (state.waiters, state.threads) = ([:], []) }
      return (state.waiters, state.threads)
    }
    for waiter in waiters.values { waiter.resume() }
    for thread in threads { thread.signal() }
  }

  /// Suspends the task until the latch is open, or until the test has run out of time.
  public func wait() async {
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          guard !state.isOpen, !Task.isCancelled else { return false }
          state.waiters[waiter] = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { $0.waiters.removeValue(forKey: waiter) }
      continuation?.resume()
    }
  }

  /// Blocks a thread of the test's own until the latch is open; tasks wait instead.
  public func block() {
    let thread = DispatchSemaphore(value: 0)
    let mustWait = state.withLock { state in
      if !state.isOpen { state.threads.append(thread) }
      return !state.isOpen
    }
    if mustWait { thread.wait() }
    // ThreadSanitizer sees the order of locks, and not that of semaphores.
    precondition(isOpen)
  }
}
