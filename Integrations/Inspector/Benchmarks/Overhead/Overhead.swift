import EventBus
import Foundation
import Inspector

extension EventNames {
  fileprivate static let sample = EventName<Int>("sample")
}

/// Times posts to one handler: the cost of the inspector, with a full ring and no page open, and after its release.
///
/// Fails if the inspector costs more than its limits, or if posts cost more after it was released than on a bus
/// that never had one. Both are ratios of times of one run.
///
///     swift run -c release Overhead
@main
enum Overhead {
  /// The highest cost of a post, in multiples of the cost of a post's trace without a receiver.
  private static let limits = (plain: 2.5, described: 4.5)

  static func main() {
    let subjects: [(name: String, install: @Sendable (EventBus) -> Any?)] = [
      ("plain", { _ in nil }),
      ("a trace that nothing reads", { $0.addHooks(EventHooks(onTrace: { _ in })) }),
      ("the inspector", { Inspector($0, capacity: 10_000) }),
      (
        "the inspector, with payloads",
        { Inspector($0, capacity: 10_000, describing: { "\($0.payload)" }) }
      ),
      (
        "after an inspector was released",
        { bus in
          let inspector = Inspector(bus, describing: { "\($0.payload)" })
          bus.post(.sample, 1)
          withExtendedLifetime(inspector) {}
          return nil
        }
      ),
    ]
    var best = Array(repeating: Double.infinity, count: subjects.count)
    // Subjects alternate, so that a slow moment of the machine does not affect one subject alone.
    for _ in 0..<9 {
      for (index, subject) in subjects.enumerated() {
        best[index] = min(best[index], nanoseconds(subject.install))
      }
    }
    print("nanoseconds per post to one handler, best of 9 runs, and multiples of the trace alone")
    for (subject, time) in zip(subjects, best) {
      print(String(format: "%8.1f  %5.2f  %@", time, time / best[1], subject.name as NSString))
    }
    check(best[2] <= best[1] * limits.plain, "recording costs more than \(limits.plain) traces")
    check(
      best[3] <= best[1] * limits.described,
      "payloads cost more than \(limits.described) traces"
    )
    // One nanosecond is the resolution of the comparison.
    check(best[4] <= best[0] * 1.1 + 1, "posts cost more after an inspector was released")
  }

  private static func check(_ holds: Bool, _ message: String) {
    if holds { return }
    print("FAILED: \(message)")
    exit(1)
  }

  private static func nanoseconds(_ install: (EventBus) -> Any?) -> Double {
    let bus = EventBus()
    let installed = install(bus)
    let handler = bus.observe(.sample) { _ in }
    let count = 20_000
    for number in 0..<1_000 { bus.post(.sample, number) }
    let start = ContinuousClock.now
    for number in 0..<count { bus.post(.sample, number) }
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    withExtendedLifetime((installed, handler)) {}
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
  }
}
