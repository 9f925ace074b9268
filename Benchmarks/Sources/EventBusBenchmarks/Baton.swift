import Synchronization

/// Lets one task wait repeatedly until another has done its part.
final class Baton: Sendable {
  private enum State {
    case none
    case passed
    case awaited(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.none)

  /// Ends the current wait, or the next one if there is none.
  func pass() {
    let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard case .awaited(let waiter) = state else {
        state = .passed
        return nil
      }
      state = .none
      return waiter
    }
    waiter?.resume()
  }

  /// Waits until ``pass()`` is called, or returns at once if it has been.
  func wait() async {
    await withCheckedContinuation { waiter in
      let isPassed = state.withLock { state in
        guard case .passed = state else {
          state = .awaited(waiter)
          return false
        }
        state = .none
        return true
      }
      if isPassed { waiter.resume() }
    }
  }
}
