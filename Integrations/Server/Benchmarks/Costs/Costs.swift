import CoreMetrics
import EventBus
import EventBusLogging
import EventBusMetrics
import EventBusTracing
import Logging
import Tracing

extension EventNames {
  fileprivate static let sample = EventName<Int>("sample")
}

/// A log handler that formats every entry and throws it away.
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

/// What is installed on the bus while posts are timed.
private struct Subject: Sendable {
  let name: String
  let install: @Sendable (EventBus) -> Token?
}

/// Times posts to one handler: what logging, metrics and tracing cost, and that nothing remains of them.
///
///     swift run -c release Costs
@main
enum Costs {
  private static let subjects = [
    Subject(name: "plain") { _ in nil },
    Subject(name: "logging, level too low") { $0.log(to: logger(.info)) },
    Subject(name: "logging") { $0.log(to: logger(.debug)) },
    Subject(name: "metrics") { $0.measure(factory: NOOPMetricsHandler.instance) },
    Subject(name: "tracing") { $0.trace(with: NoOpTracer()) },
    Subject(name: "uninstalled again") { bus in
      let tokens = [bus.log(to: logger(.debug)), bus.measure(), bus.trace(with: NoOpTracer())]
      bus.post(.sample, 1)
      for token in tokens { token.cancel() }
      return nil
    },
  ]

  static func main() {
    var best = Array(repeating: Double.infinity, count: subjects.count)
    // Subjects alternate, so that a slow moment of the machine is none of one subject alone.
    for _ in 0..<9 {
      for (index, subject) in subjects.enumerated() {
        best[index] = min(best[index], nanoseconds(subject))
      }
    }
    print("nanoseconds per post to one handler, best of 9 runs")
    for (subject, time) in zip(subjects, best) {
      let figure = "\(Int(time)).\(Int(time * 10) % 10)"
      print(String(repeating: " ", count: max(0, 8 - figure.count)) + "\(figure)  \(subject.name)")
    }
    let (plain, again) = (best[0], best[best.count - 1])
    // One nanosecond is the resolution of the comparison.
    guard again <= plain * 1.1 + 1 else {
      fatalError("posts cost more after everything was uninstalled")
    }
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
