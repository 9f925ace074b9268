internal import CoreMetrics
internal import EventBus
private import _EventBusLocks

/// The gauges of a bus, set from its snapshots.
///
/// ## Thread safety
///
/// Read by one timer at a time.
final class BusGauges: Sendable {
  private struct State {
    var names: [String: (observers: Gauge, dropped: Gauge)] = [:]
  }

  private let metrics: Metrics
  private let depth: Gauge
  private let state = Locked(State())

  init(_ metrics: Metrics) {
    self.metrics = metrics
    depth = metrics.gauge("mailbox.depth")
  }

  /// Sets the gauges.
  func read(_ snapshot: EventBus.Snapshot) {
    depth.record(snapshot.waitingCount)
    var counts: [String: (observers: Int, dropped: Int)] = [:]
    for observation in snapshot.observations where observation.isAlive {
      counts[observation.name, default: (0, 0)].observers += 1
      counts[observation.name]?.dropped += observation.droppedCount
    }
    var gauges = state.withLock { $0.names }
    for name in counts.keys where gauges[name] == nil {
      let event = ("event", name)
      gauges[name] = (
        metrics.gauge("observers", event), metrics.gauge("observers.dropped", event)
      )
    }
    // A name that has lost its observers is reported as zero from now on.
    for (name, gauge) in gauges {
      gauge.observers.record(counts[name]?.observers ?? 0)
      gauge.dropped.record(counts[name]?.dropped ?? 0)
    }
    let current = gauges
    state.withLock { $0.names = current }
  }
}
