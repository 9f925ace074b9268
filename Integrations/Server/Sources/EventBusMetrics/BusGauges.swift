internal import CoreMetrics
internal import EventBus
private import Synchronization

/// The gauges of a bus, set from its snapshots.
///
/// ## Thread safety
///
/// Read by one timer at a time.
final class BusGauges: Sendable {
  private struct State {
    var observers: [String: Gauge] = [:]
  }

  private let metrics: Metrics
  private let depth: Gauge
  private let state = Mutex(State())

  init(_ metrics: Metrics) {
    self.metrics = metrics
    depth = metrics.gauge("mailbox.depth")
  }

  /// Sets the gauges.
  func read(_ snapshot: EventBusSnapshot) {
    depth.record(snapshot.waitingCount)
    var counts: [String: Int] = [:]
    for observation in snapshot.observations where observation.isAlive {
      counts[observation.name, default: 0] += 1
    }
    var gauges = state.withLock { $0.observers }
    for name in counts.keys where gauges[name] == nil {
      gauges[name] = metrics.gauge("observers", ("event", name))
    }
    // A name that has lost its observers is reported once more, and later, as zero.
    for (name, gauge) in gauges { gauge.record(counts[name] ?? 0) }
    let current = gauges
    state.withLock { $0.observers = current }
  }
}
