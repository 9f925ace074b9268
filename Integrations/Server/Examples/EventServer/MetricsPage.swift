import CoreMetrics
import Synchronization

/// Keeps the metrics of the program as totals, and prints them.
///
/// A program in production uses the package of its monitoring system instead.
final class MetricsPage: MetricsFactory {
  private struct State {
    var values: [String: Value] = [:]
  }

  private let state = Mutex(State())

  /// One metric, with its labels as `name{key="value"}`.
  final class Value: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    private struct State {
      var sum = 0.0
      var count = 0
      var last = 0.0
    }

    private enum Kind { case counter, meter, gauge, timer }

    private let kind: Kind
    private let state = Mutex(State())

    fileprivate init(counter: Void) { kind = .counter }
    fileprivate init(meter: Void) { kind = .meter }
    fileprivate init(gauge: Void) { kind = .gauge }
    fileprivate init(timer: Void) { kind = .timer }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0.sum = value } }
    func record(_ value: Int64) { add(Double(value)) }
    func record(_ value: Double) { add(value) }
    func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1_000_000_000) }
    func reset() { state.withLock { $0 = State() } }

    private func add(_ value: Double) {
      state.withLock { state in
        state.sum += value
        state.count += 1
        state.last = value
      }
    }

    fileprivate func lines(_ label: String) -> String {
      let state = state.withLock { $0 }
      return switch kind {
      case .counter: "\(label) \(Int(state.sum))\n"
      case .meter: "\(label) \(state.sum)\n"
      case .gauge: "\(label) \(state.last)\n"
      case .timer: "\(label)_count \(state.count)\n\(label)_seconds \(state.sum)\n"
      }
    }
  }

  /// All metrics, one in a line.
  var text: String {
    state.withLock { $0.values }.sorted { $0.key < $1.key }.map { $0.value.lines($0.key) }.joined()
  }

  private func value(
    _ label: String,
    _ dimensions: [(String, String)],
    _ make: () -> Value
  ) -> Value {
    let labels = dimensions.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
    let key = labels.isEmpty ? label : "\(label){\(labels)}"
    return state.withLock { state in
      if let value = state.values[key] { return value }
      let value = make()
      state.values[key] = value
      return value
    }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    value(label, dimensions) { Value(counter: ()) }
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    value(label, dimensions) { Value(meter: ()) }
  }

  func makeRecorder(
    label: String,
    dimensions: [(String, String)],
    aggregate: Bool
  ) -> any RecorderHandler {
    value(label, dimensions) { aggregate ? Value(timer: ()) : Value(gauge: ()) }
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    value(label, dimensions) { Value(timer: ()) }
  }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}
