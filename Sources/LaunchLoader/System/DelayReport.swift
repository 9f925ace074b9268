internal import EventBus

/// Reports that something takes long: after five seconds, and then every ten, until its end.
///
/// ## Thread safety
///
/// Every member may be called from any thread. The closures are released outside the lock; only `send` is called under
/// it, so that nothing is sent after the end.
package final class DelayReport: Sendable {
  private struct State {
    var isOver = false
    var timer: Token?
  }

  private let clock: any Clock<Duration>
  private let stopwatch: Stopwatch
  private let message: @Sendable (Duration) -> AppHostMessage?
  private let send: @Sendable (AppHostMessage) -> Void
  private let state = Locked(State())

  /// Begins to measure.
  ///
  /// - Parameters:
  ///   - clock: The clock that measures the time.
  ///   - message: Called with the time since then, returns what to report. Of several times that have passed, only the
  ///     last is reported.
  ///   - send: Receives the message; it must run no code of others, and not use this object.
  package init(
    _ clock: any Clock<Duration>,
    _ message: @escaping @Sendable (Duration) -> AppHostMessage?,
    send: @escaping @Sendable (AppHostMessage) -> Void
  ) {
    (self.clock, self.message, self.send) = (clock, message, send)
    stopwatch = Stopwatch(clock)
    schedule(.seconds(5))
  }

  deinit { end() }

  /// Reports no more: nothing is sent once this call has returned.
  package func end() {
    let timer = state.withLock { state in
      state.isOver = true
      return state.timer.take()
    }
    timer?.cancel()
  }

  private func schedule(_ next: Duration) {
    let timer = after(max(.zero, next - stopwatch.elapsed()), clock: clock) { [weak self] _ in
      self?.tick(next)
    }
    let unused = state.withLock { state in
      if state.isOver { return timer as Token? }
      defer { state.timer = timer }
      return state.timer
    }
    withExtendedLifetime(unused) {}
  }

  private func tick(_ due: Duration) {
    if state.withLock({ $0.isOver }) { return }
    let late = min(stopwatch.elapsed() - due, .seconds(1 << 40))
    let waited = due.adding(.seconds(10 * (late.components.seconds / 10)))
    let message = message(waited)
    state.withLock { state in
      if let message, !state.isOver { send(message) }
    }
    schedule(waited.adding(.seconds(10)))
  }
}
