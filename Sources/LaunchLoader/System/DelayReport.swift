internal import EventBus

/// Reports that something takes long: after five seconds, and then every ten, until its end.
///
/// ## Thread safety
///
/// Every member may be called from any thread. The closure is called, and released, outside the lock.
final class DelayReport: Sendable {
  private struct State {
    var isOver = false
    var timer: Token?
  }

  private let clock: any Clock<Duration>
  private let stopwatch: Stopwatch
  private let report: @Sendable (Duration) -> Void
  private let state = Locked(State())

  /// Begins to measure.
  ///
  /// - Parameters:
  ///   - clock: The clock that measures the time.
  ///   - report: Called with the time since then. Of several times that have passed, only the last is reported.
  init(_ clock: any Clock<Duration>, _ report: @escaping @Sendable (Duration) -> Void) {
    (self.clock, self.report) = (clock, report)
    stopwatch = Stopwatch(clock)
    schedule(.seconds(5))
  }

  deinit { end() }

  /// Reports no more.
  func end() {
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
    // Ended meanwhile.
    if state.withLock({ $0.isOver }) { return }
    report(waited)
    schedule(waited.adding(.seconds(10)))
  }
}
