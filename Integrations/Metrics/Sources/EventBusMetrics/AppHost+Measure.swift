public import CoreMetrics
public import EventBus
public import LaunchLoader
private import _EventBusLocks

extension AppHost {
  /// Times the launch and the services of the application, until a token ends.
  ///
  /// | metric | kind | dimensions |
  /// | --- | --- | --- |
  /// | `<prefix>.launch.duration` | timer: all launch work | |
  /// | `<prefix>.launch.worker.duration` | timer | `worker` |
  /// | `<prefix>.services.start.duration` | timer: from the launch to the first active or background state | |
  /// | `<prefix>.services.stop.duration` | timer: from the request to stop until the end | |
  /// | `<prefix>.service.start.duration` | timer: from the start of a service until it is ready | `service` |
  /// | `<prefix>.service.stop.duration` | timer: from the request to stop until a service has ended | `service` |
  /// | `<prefix>.services.failures` | counter: errors with which a service has ended, or because of which it starts again | `service` |
  /// | `<prefix>.services.restarts` | counter: starts after the first | `service` |
  ///
  /// Call it before `run()`. The events of the application are read from its bus.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of every label.
  ///   - factory: The factory of the metrics; by default `MetricsSystem.factory` at the time of the call.
  ///   - clock: The clock that times the services. Launch work is timed by the clock of its loader.
  /// - Returns: The token. Dropping it ends the measurement; it does not keep the application.
  public func startMeasuring(
    prefix: String = "application",
    factory: (any MetricsFactory)? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> Token {
    let metrics = Metrics(prefix: prefix, factory: factory ?? MetricsSystem.factory)
    let phases = ServicePhases(metrics, clock)
    let stops = ServiceStops()
    let tokens = TokenBag()
    bus.observe(.didFinishLaunching) { [loader] _ async throws in
      let report = try await loader.report()
      metrics.timer("launch.duration").record(report.total)
      for entry in report.entries {
        metrics.timer("launch.worker.duration", ("worker", entry.id.rawValue))
          .record(entry.duration)
      }
    }.store(in: tokens)
    bus.observe(.didFinishLaunching) { _ in phases.launched() }.store(in: tokens)
    bus.observe(.appStateDidChange) { phases.note($0) }.store(in: tokens)
    bus.observe(.appServiceStateDidChange) { change in
      let service = ("service", change.service)
      if change.state == .ready, change.previous == .starting {
        metrics.timer("service.start.duration", service).record(change.elapsed)
      }
      if let time = stops.duration(endedBy: change) {
        metrics.timer("service.stop.duration", service).record(time)
      }
      if change.error != nil { metrics.counter("services.failures", service).increment() }
      if change.state == .starting, change.attempt > 1 {
        metrics.counter("services.restarts", service).increment()
      }
    }.store(in: tokens)
    return Token { tokens.end() }
  }
}

/// Adds up the times of the states in which a service stops.
private final class ServiceStops: Sendable {
  private let times = Locked<[String: Duration]>([:])

  /// Returns the time of the stop of a service, if a change ends it.
  func duration(endedBy change: AppServiceStateChange) -> Duration? {
    times.withLock { times in
      if change.previous == .stopping || change.previous == .cancelled {
        times[change.service, default: .zero] += change.elapsed
      }
      switch change.state {
      case .ended, .abandoned: return times.removeValue(forKey: change.service)
      // Cancelled because its start took too long: that is not a stop.
      case .pausing: times[change.service] = nil
      default: break
      }
      return nil
    }
  }
}

/// Times the start and the stop of all services together.
private final class ServicePhases: Sendable {
  private struct State {
    var launched: Duration?
    var stopping: Duration?
  }

  private let metrics: Metrics
  private let elapsed: @Sendable () -> Duration
  private let state = Locked(State())

  init(_ metrics: Metrics, _ clock: any Clock<Duration>) {
    self.metrics = metrics
    elapsed = Self.stopwatch(clock)
  }

  func launched() {
    let now = elapsed()
    state.withLock { $0.launched = now }
  }

  func note(_ state: AppState) {
    let now = elapsed()
    switch state {
    case .active, .background:
      record("services.start.duration", self.state.withLock { $0.launched.take() }, now)
    case .stopping: self.state.withLock { $0.stopping = now }
    case .terminated:
      record("services.stop.duration", self.state.withLock { $0.stopping.take() }, now)
    case .notRunning, .launching, .inactive: break
    }
  }

  private func record(_ label: String, _ start: Duration?, _ end: Duration) {
    if let start { metrics.timer(label).record(end - start) }
  }

  private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}
