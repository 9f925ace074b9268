import Foundation
import Harness
import LaunchLoader
import Synchronization
import UnixSignals

/// Signals of the operating system, from `kill` to the task that waits for them.
///
/// In these rows time is the time on the wall: most of it is the system waking one thread after another.
enum Signals {
  static let rows = [
    Row(
      Figure("signal to awaiting task", goals: [.atMost(1, of: .unixSignals)]),
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

  /// The mean time between a signal and the moment when the task runs that takes it.
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

/// Adds up how long signals were on their way, in nanoseconds.
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
