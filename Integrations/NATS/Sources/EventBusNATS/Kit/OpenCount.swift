private import _EventBusLocks

/// The number of pieces of work that have begun and not ended.
final class OpenCount: Sendable {
  private struct State {
    var count = 0
    var waiters: [Promise<Void>] = []
  }

  private let state = Locked(State())

  func begin() { state.withLock { $0.count += 1 } }

  func end() {
    let due = state.withLock { state in
      state.count -= 1
      guard state.count == 0 else { return [] as [Promise<Void>] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for promise in due { promise.fulfill() }
  }

  /// Waits until all have ended, or the task is cancelled.
  func ended() async {
    let promise = Promise<Void>()
    let isOpen = state.withLock { state in
      if state.count > 0 { state.waiters.append(promise) }
      return state.count > 0
    }
    guard isOpen else { return }
    do throws(NATSError) { try await promise.value() } catch { return }
  }
}
