import CoreMetrics
import EventBus
import EventBusLogging
import EventBusMetrics
import EventBusTracing
import Foundation
import Logging
import Tracing

extension EventNames {
  fileprivate static let sample = EventName<Int>("sample")
}

/// A log handler that formats every entry and discards it.
private struct FormattingHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .debug

  func log(event: LogEvent) {
    let text = (event.metadata ?? [:]).map { "\($0)=\($1)" }.joined(separator: " ")
    precondition(!text.isEmpty && !event.message.description.isEmpty)
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }
}

/// A backend whose metrics do nothing.
private struct QuietBackend: MetricsFactory {
  private let metrics = NOOPMetricsHandler.instance

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    metrics.makeCounter(label: label, dimensions: dimensions)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    metrics.makeMeter(label: label, dimensions: dimensions)
  }

  func makeRecorder(
    label: String,
    dimensions: [(String, String)],
    aggregate: Bool
  ) -> any RecorderHandler {
    metrics.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    metrics.makeTimer(label: label, dimensions: dimensions)
  }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}

/// The hooks that are installed on the bus while posts are timed.
private struct Subject: Sendable {
  let name: String
  /// The highest cost of a post, in multiples of the trace of a post without a receiver.
  var limit: Double?
  /// Whether a post costs the same as on a bus on which nothing was ever installed.
  var isFree = false
  let install: @Sendable (EventBus) -> Token?
}

/// Times posts to one handler: the cost of logging, metrics and tracing, and of posts after their end.
///
/// Fails if a subject costs more than its limit, or if posts cost more after its removal, or with metrics without a
/// backend, than on a bus on which nothing was ever installed. All are ratios of times
/// of one run.
///
///     swift run -c release Costs
@main
enum Costs {
  private static let subjects = [
    Subject(name: "plain") { _ in nil },
    Subject(name: "a trace that nothing reads") { $0.addHooks(EventHooks(onTrace: { _ in })) },
    Subject(name: "logging, level too low", limit: 2) { $0.startLogging(to: logger(.info)) },
    Subject(name: "logging", limit: 8) { $0.startLogging(to: logger(.debug)) },
    Subject(name: "metrics", limit: 3) { $0.startMeasuring(factory: QuietBackend()) },
    Subject(name: "metrics without a backend", isFree: true) { $0.startMeasuring() },
    Subject(name: "tracing", limit: 6) { $0.startTracing(with: NoOpTracer()) },
    Subject(name: "uninstalled again", isFree: true) { bus in
      let tokens = [
        bus.startLogging(to: logger(.debug)), bus.startMeasuring(factory: QuietBackend()),
        bus.startTracing(with: NoOpTracer()),
      ]
      bus.post(.sample, 1)
      for token in tokens { token.cancel() }
      return nil
    },
  ]

  static func main() {
    var best = Array(repeating: Double.infinity, count: subjects.count)
    // Subjects alternate, so that a slow moment of the machine does not affect one subject alone.
    for _ in 0..<9 {
      for (index, subject) in subjects.enumerated() {
        best[index] = min(best[index], nanoseconds(subject))
      }
    }
    let (plain, trace) = (best[0], best[1])
    print("nanoseconds per post to one handler, best of 9 runs, and multiples of the trace alone")
    var failures: [String] = []
    for (subject, time) in zip(subjects, best) {
      let ratio = time / trace
      let limit = subject.limit.map { ", at most \(number($0))" } ?? ""
      print("\(number(time, width: 8))  \(number(ratio, width: 5))  \(subject.name)\(limit)")
      if let limit = subject.limit, ratio > limit { failures.append(subject.name) }
      // One nanosecond is the resolution of the comparison.
      if subject.isFree, time > plain * 1.1 + 1 { failures.append(subject.name) }
    }
    guard failures.isEmpty else {
      print("FAILED: posts cost more than allowed: \(failures.joined(separator: "; "))")
      exit(1)
    }
  }

  private static func number(_ value: Double, width: Int = 0) -> String {
    let text = "\(Int(value)).\(Int(value * 10) % 10)"
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func nanoseconds(_ subject: Subject) -> Double {
    let bus = EventBus()
    var token = subject.install(bus)
    let sum = Sum()
    let handler = bus.observe(.sample) { sum.value &+= $0 }
    let count = 20_000
    for number in 0..<1_000 { bus.post(.sample, number) }
    let start = ContinuousClock.now
    for number in 0..<count { bus.post(.sample, number) }
    let (seconds, attoseconds) = start.duration(to: .now).components
    withExtendedLifetime((token, handler, sum)) {}
    token = nil
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
  }

  private static func logger(_ level: Logger.Level) -> Logger {
    var logger = Logger(label: "costs") { _ in FormattingHandler() }
    logger.logLevel = level
    return logger
  }
}

/// Changed by one thread only.
private final class Sum: @unchecked Sendable {  // Reason: the benchmark has one thread.
  var value = 0
}
