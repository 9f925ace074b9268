import CoreMetrics
import Synchronization

/// Keeps the metrics of the program as totals, and prints them in the text format of Prometheus, version 0.0.4
/// (prometheus.io/docs/instrumenting/exposition_formats).
///
/// A program in production uses the package of its monitoring system instead.
final class MetricsPage: MetricsFactory {
  /// The media type of ``text``.
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// The name and the labels of a metric, in the characters that the format allows.
  private struct Key: Hashable, Comparable {
    let name: String
    let labels: String

    init(_ label: String, _ dimensions: [(String, String)]) {
      name = Self.name(label, allowing: ":")
      let pairs = dimensions.map { "\(Self.name($0, allowing: ""))=\"\(Self.escaped($1))\"" }
      labels = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
    }

    static func < (left: Key, right: Key) -> Bool {
      (left.name, left.labels) < (right.name, right.labels)
    }

    /// Replaces each character that a name may not contain by an underscore.
    private static func name(_ text: String, allowing others: String) -> String {
      let name = String(
        text.map { letter in
          letter.isASCII && (letter.isLetter || letter.isNumber) || others.contains(letter)
            ? letter : "_"
        }
      )
      return name.first.map { $0.isNumber } ?? true ? "_\(name)" : name
    }

    /// Escapes the code points that the format reserves.
    ///
    /// Not the characters: `\r\n` is one, and so is a quotation mark with an accent.
    private static func escaped(_ value: String) -> String {
      var text = String.UnicodeScalarView()
      for scalar in value.unicodeScalars {
        switch scalar {
        case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
        case "\"": text.append(contentsOf: "\\\"".unicodeScalars)
        case "\n": text.append(contentsOf: "\\n".unicodeScalars)
        default: text.append(scalar)
        }
      }
      return String(text)
    }
  }

  private struct State {
    var values: [Key: Value] = [:]
  }

  private let state = Mutex(State())

  /// One metric.
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

    /// The name and the type of the metrics of this name.
    fileprivate func type(_ name: String) -> String {
      switch kind {
      case .counter: "# TYPE \(name) counter\n"
      case .meter, .gauge: "# TYPE \(name) gauge\n"
      case .timer: "# TYPE \(name)_seconds summary\n"
      }
    }

    fileprivate func lines(_ name: String, _ labels: String) -> String {
      let state = state.withLock { $0 }
      return switch kind {
      case .counter: "\(name)\(labels) \(Int(state.sum))\n"
      case .meter: "\(name)\(labels) \(state.sum)\n"
      case .gauge: "\(name)\(labels) \(state.last)\n"
      case .timer:
        "\(name)_seconds_sum\(labels) \(state.sum)\n\(name)_seconds_count\(labels) \(state.count)\n"
      }
    }
  }

  /// All metrics, those of one name together, after its type.
  var text: String {
    var text = ""
    var last: String?
    for (key, value) in state.withLock({ $0.values }).sorted(by: { $0.key < $1.key }) {
      if key.name != last { text += value.type(key.name) }
      last = key.name
      text += value.lines(key.name, key.labels)
    }
    return text
  }

  private func value(
    _ label: String,
    _ dimensions: [(String, String)],
    _ make: () -> Value
  ) -> Value {
    let key = Key(label, dimensions)
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
