import Foundation
import Harness
import LaunchLoader
import Synchronization
import UnixSignals

/// Signals of the operating system, from `kill` to the task that waits for them.
///
/// These rows measure real time, most of which the system needs to wake one thread after another.
enum Signals {
  static let rows = [
    Row(
      Figure("signal to awaiting task"),
      entries: [
        entry(.eventBus, SIGUSR1) { UnixSignal.stream(.user1) },
        entry(.unixSignals, SIGUSR2) { await UnixSignalsSequence(trapping: .sigusr2) },
      ]
    )
  ]

  private static func entry<S: AsyncSequence & Sendable>(
    _ subject: Subject,
    _ number: Int32,
    _ listen: @escaping @Sendable () async -> S
  ) -> Entry where S.Failure == Never {
    Entry(subject) {
      { iterations in await latency(of: number, iterations, await listen()) }
    }
  }

  /// The mean time between a signal and the moment when the task that receives it runs.
  @concurrent
  private static func latency<S: AsyncSequence & Sendable>(
    of number: Int32,
    _ iterations: Int,
    _ signals: S
  ) async -> Double where S.Failure == Never {
    let baton = Baton()
    let arrivals = Arrivals()
    let taker = Task.detached {
      for await _ in signals {
        arrivals.end()
        baton.pass()
      }
    }
    for _ in 0..<iterations {
      arrivals.begin()
      kill(getpid(), number)
      await baton.wait()
    }
    taker.cancel()
    await taker.value
    return arrivals.total / Double(iterations)
  }
}

/// Adds up the delivery times of signals, in nanoseconds.
private final class Arrivals: Sendable {
  private let start = Mutex(ContinuousClock.now)
  private let sum = Mutex(0.0)

  var total: Double { sum.withLock { $0 } }

  func begin() { start.withLock { $0 = .now } }

  func end() {
    let time = ContinuousClock.now - start.withLock { $0 }
    sum.withLock { $0 += Double(time.components.attoseconds) / 1e9 }
  }
}
