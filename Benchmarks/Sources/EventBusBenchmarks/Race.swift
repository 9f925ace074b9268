import Foundation
import Harness
import Synchronization

/// Threads that begin together.
final class Race: Sendable {
  private let waiting: Atomic<Int>
  private let finished = DispatchSemaphore(value: 0)
  private let ends = Mutex<[ContinuousClock.Instant]>([])

  private init(threads: Int) {
    waiting = Atomic(threads)
  }

  /// The time from the moment the last thread is ready until the last one has finished.
  static func nanoseconds(threads: Int, _ work: @escaping @Sendable (_ thread: Int) -> Void)
    -> Double
  {
    let race = Race(threads: threads)
    for thread in 0..<threads {
      Thread { race.run { work(thread) } }.start()
    }
    for _ in 0..<threads { race.finished.wait() }
    return race.ends.withLock { ends in
      guard let first = ends.min(), let last = ends.max() else { return 0 }
      return (last - first).nanoseconds
    }
  }

  private func run(_ work: () -> Void) {
    waiting.subtract(1, ordering: .acquiringAndReleasing)
    while waiting.load(ordering: .acquiring) > 0 {}
    let start = ContinuousClock.now
    work()
    let end = ContinuousClock.now
    ends.withLock { $0 += [start, end] }
    finished.signal()
  }
}
