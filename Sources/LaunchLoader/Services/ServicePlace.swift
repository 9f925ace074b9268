internal import EventBus

/// One service that was added: its shutdown signal and its task.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Tasks are cancelled outside the lock.
internal final class ServicePlace: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
    var hasEnded = false
  }

  /// The service.
  internal let service: any Service
  /// Tells it to stop.
  internal let signal = ShutdownSignal()
  private let state = Locked(State())

  /// Makes the place of a service.
  internal init(_ service: any Service) {
    self.service = service
  }

  /// Remembers the task of the service, and cancels it if that is due already.
  internal func adopt(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      if !state.hasEnded { state.task = task }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the task of the service and tells it to stop.
  ///
  /// What it has for the case of cancellation runs in a task of its own: it may block.
  internal func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    Task {
      task?.cancel()
      signal.raise()
    }
  }

  /// Forgets everything, after the service has returned and its closures for the shutdown, too.
  internal func finish() async {
    await signal.close()
    state.withLock { state in
      state.task = nil
      state.hasEnded = true
    }
  }
}
