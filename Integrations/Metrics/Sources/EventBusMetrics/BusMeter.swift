internal import CoreMetrics
internal import EventBus
private import _EventBusLocks

/// Counts the steps of a trace.
///
/// ## Thread safety
///
/// Called by all posting code and handlers of the bus. Metrics are made and recorded outside the lock:
/// their factory is not part of this package.
final class BusMeter: Sendable {
  /// The metrics of one event.
  private final class EventMeter: Sendable {
    let posts, deliveries, errors, drops, unhandled: Counter
    let duration: Timer

    init(_ name: String, _ metrics: Metrics) {
      let event = ("event", name)
      posts = metrics.counter("posts", event)
      deliveries = metrics.counter("deliveries", event)
      errors = metrics.counter("errors", event)
      drops = metrics.counter("drops", event)
      unhandled = metrics.counter("unhandled", event)
      duration = metrics.timer("handler.duration", event)
    }
  }

  /// A call of a handler: one registration receives one post once.
  fileprivate struct Call: Hashable {
    let post: Int
    let registration: Int
  }

  private struct State {
    var meters: [String: EventMeter] = [:]
    var running: [Call: ContinuousClock.Instant] = [:]
  }

  private let metrics: Metrics
  private let state = Locked(State())

  init(_ metrics: Metrics) { self.metrics = metrics }

  /// Counts an event that reached no handler.
  func unhandled(_ event: AnyEvent) { meter(of: event.name).unhandled.increment() }

  /// Counts a step.
  func note(_ step: TraceStep) {
    switch step.kind {
    case .ended, .queued: break
    case .began: meter(of: step.name).posts.increment()
    case .started:
      guard let call = Call(step) else { return }
      state.withLock { $0.running[call] = step.time }
    case .finished(let error):
      let start = end(step)
      let meter = meter(of: step.name)
      meter.deliveries.increment()
      if error != nil { meter.errors.increment() }
      if let start { meter.duration.record(start.duration(to: step.time)) }
    case .skipped(let reason):
      _ = end(step)
      if reason == .dropped || reason == .ownerLost { meter(of: step.name).drops.increment() }
    }
  }

  /// Removes the call of a step, and returns its beginning.
  private func end(_ step: TraceStep) -> ContinuousClock.Instant? {
    guard let call = Call(step) else { return nil }
    return state.withLock { $0.running.removeValue(forKey: call) }
  }

  private func meter(of name: String) -> EventMeter {
    if let meter = state.withLock({ $0.meters[name] }) { return meter }
    let made = EventMeter(name, metrics)
    return state.withLock { state in
      // Another thread may have made one: the first is used.
      if let meter = state.meters[name] { return meter }
      state.meters[name] = made
      return made
    }
  }
}

extension BusMeter.Call {
  fileprivate init?(_ step: TraceStep) {
    guard let registration = step.registration else { return nil }
    self.init(post: step.post, registration: registration.id)
  }
}
