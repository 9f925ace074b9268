internal import EventBus

/// Signals that wait for one task to answer them; several of one kind are one.
///
/// ## Thread safety
///
/// Every member may be called from any thread, ``next()`` by one task.
internal final class SignalQueue: Sendable {
  private struct State: Sendable {
    var waiting: [Int32] = []
    var hasEnded = false
  }

  private let state = Locked(State())
  private let bell = Doorbell()

  /// Creates an empty queue.
  internal init() {}

  /// Adds a signal, unless one of its kind waits.
  internal func append(_ number: Int32) {
    state.withLock { state in
      if !state.hasEnded, !state.waiting.contains(number) { state.waiting.append(number) }
    }
    bell.ring()
  }

  /// Drops the signals that wait, and those that come.
  internal func end() {
    state.withLock { $0 = State(hasEnded: true) }
    bell.ring()
  }

  /// Waits for the next signal.
  ///
  /// - Returns: Its number, or `nil` after ``end()``.
  internal func next() async -> Int32? {
    while true {
      let (number, hasEnded) = state.withLock { state in
        (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.hasEnded)
      }
      if number != nil || hasEnded { return number }
      await bell.wait()
    }
  }
}
