internal import EventBus

/// Collects entries from any thread for a test that waits for them.
public final class Inbox<Entry: Sendable>: Sendable {
  private struct Waiter {
    let count: Int
    let latch: ManualLatch
  }

  private struct State {
    var entries: [Entry] = []
    var waiters: [Waiter] = []
  }

  private let state = Locked(State())

  /// Creates an empty inbox.
  public init() {}

  /// Everything collected so far, oldest first.
  public var entries: [Entry] { state.withLock { $0.entries } }

  /// Adds one entry at the end.
  public func append(_ entry: Entry) {
    let served = state.withLock { state in
      state.entries.append(entry)
      let served = state.waiters.filter { $0.count <= state.entries.count }
      state.waiters.removeAll { $0.count <= state.entries.count }
      return served
    }
    for waiter in served { waiter.latch.open() }
  }

  /// Waits until so many entries are there, or until the test has run out of time.
  ///
  /// - Returns: The first entries, no more than asked for.
  public func first(_ count: Int) async -> [Entry] {
    let latch = ManualLatch()
    let isThere = state.withLock { state in
      if state.entries.count < count {
        state.waiters.append(Waiter(count: count, latch: latch))
        return false
      }
      return true
    }
    if !isThere { await latch.wait() }
    return Array(entries.prefix(count))
  }
}
