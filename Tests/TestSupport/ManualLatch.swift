internal import EventBus

/// A door that the test opens once, for threads and tasks that wait.
public final class ManualLatch: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  /// Creates a closed latch.
  public init() {}

  /// Whether it has been opened.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Lets everybody through, now and later.
  public func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Suspends the task until the latch is open, even if it is cancelled.
  public func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  /// Blocks a thread of the test's own until the latch is open; tasks wait instead.
  public func block() {
    while !isOpen { yieldThread() }
  }
}
