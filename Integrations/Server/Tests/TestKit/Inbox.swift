private import _EventBusLocks

/// Collects entries from any thread, for tests that wait for them.
public final class Inbox<Entry: Sendable>: Sendable {
  private struct Waiter {
    let isServed: @Sendable ([Entry]) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var entries: [Entry] = []
    var waiters: [Waiter] = []
  }

  private let state = Locked(State())

  /// Creates an empty inbox.
  public init() {}

  /// All entries so far, oldest first.
  public var entries: [Entry] { state.withLock { $0.entries } }

  /// Adds one entry at the end.
  public func append(_ entry: Entry) {
    let served = state.withLock { state in
      state.entries.append(entry)
      let served = state.waiters.filter { $0.isServed(state.entries) }
      state.waiters.removeAll { $0.isServed(state.entries) }
      return served
    }
    for waiter in served { waiter.continuation.resume() }
  }

  /// Waits until the entries meet a condition.
  ///
  /// - Parameter isServed: The condition, called under a lock.
  /// - Returns: The entries.
  @discardableResult
  public func wait(until isServed: @escaping @Sendable ([Entry]) -> Bool) async -> [Entry] {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if isServed(state.entries) { return true }
        state.waiters.append(Waiter(isServed: isServed, continuation: continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
    return entries
  }

  /// Waits for a number of entries.
  ///
  /// - Returns: The first entries, at most this number.
  @discardableResult
  public func first(_ count: Int) async -> [Entry] {
    Array(await wait { $0.count >= count }.prefix(count))
  }
}
