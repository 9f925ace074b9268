import AsyncAlgorithms
import EventBus
import Harness
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// Timers: many that are due together, and their creation and cancellation.
enum Timers {
  static let rows = [
    together("10,000 timers due together, first to last", byProcessor: false),
    together("10,000 timers due together, processor time", byProcessor: true),
    togetherOnMain("10,000 main-actor timers due together, first to last", byProcessor: false),
    togetherOnMain("10,000 main-actor timers due together, processor time", byProcessor: true),
    coming("register + cancel a timer, alone", others: 0),
    coming("register + cancel a timer, 10,000 others", others: 10_000),
  ]

  private static let count = 10_000

  /// The deadline of all timers: late enough for all of them to be waiting.
  private static var dueTime: ContinuousClock.Instant { .now + .milliseconds(200) }

  private static func together(_ title: String, byProcessor: Bool) -> Row {
    Row(
      Figure(title, .milliseconds),
      pace: .single,
      entries: [
        Entry(.eventBus) { { _ in await spreadOfTimers(byProcessor) } },
        Entry(.task) { { _ in await spreadOfTasks(byProcessor) } },
        Entry(.asyncTimer) { { _ in await spreadOfSequences(byProcessor) } },
      ]
    )
  }

  private static func togetherOnMain(_ title: String, byProcessor: Bool) -> Row {
    Row(
      Figure(title, .milliseconds),
      pace: .single,
      entries: [
        Entry(.eventBus) { { _ in await spreadOfMainTimers(byProcessor) } },
        Entry(.task) { { _ in await spreadOfMainTasks(byProcessor) } },
      ]
    )
  }

  /// Creates a timer that is due at an instant, within 20 µs.
  ///
  /// A thread that is interrupted between the two readings of the clock would create a later one.
  private static func timer(
    _ due: ContinuousClock.Instant,
    _ make: (Duration) -> Token
  ) -> Token {
    while true {
      let start = ContinuousClock.now
      let token = make(due - start)
      if ContinuousClock.now - start < .microseconds(20) { return token }
      token.cancel()
    }
  }

  private static func spreadOfTimers(_ byProcessor: Bool) async -> Double {
    let (due, spread) = (dueTime, Spread(count))
    let tokens = (0..<count).map { _ in
      timer(due) { delay in after(delay) { _ in spread.mark() } }
    }
    let nanoseconds = await spread.nanoseconds(byProcessor: byProcessor)
    return withExtendedLifetime(tokens) { nanoseconds }
  }

  @MainActor
  private static func spreadOfMainTimers(_ byProcessor: Bool) async -> Double {
    let (due, spread) = (dueTime, Spread(count))
    let tokens = (0..<count).map { _ in
      timer(due) { delay in after(delay) { @MainActor _ in spread.mark() } }
    }
    let nanoseconds = await spread.nanoseconds(byProcessor: byProcessor)
    return withExtendedLifetime(tokens) { nanoseconds }
  }

  private static func spreadOfTasks(_ byProcessor: Bool) async -> Double {
    let (due, spread) = (dueTime, Spread(count))
    for _ in 0..<count {
      Task.detached {
        guard (try? await Task.sleep(until: due)) != nil else { return }
        spread.mark()
      }
    }
    return await spread.nanoseconds(byProcessor: byProcessor)
  }

  @MainActor
  private static func spreadOfMainTasks(_ byProcessor: Bool) async -> Double {
    let (due, spread) = (dueTime, Spread(count))
    for _ in 0..<count {
      Task { @MainActor in
        guard (try? await Task.sleep(until: due)) != nil else { return }
        spread.mark()
      }
    }
    return await spread.nanoseconds(byProcessor: byProcessor)
  }

  private static func spreadOfSequences(_ byProcessor: Bool) async -> Double {
    let (due, spread) = (dueTime, Spread(count))
    for _ in 0..<count {
      Task.detached {
        let sequence = AsyncTimerSequence(interval: due - .now, clock: .continuous)
        for await _ in sequence {
          return spread.mark()
        }
      }
    }
    return await spread.nanoseconds(byProcessor: byProcessor)
  }

  /// Begins and ends a timer that would be due after all others.
  private static func coming(_ title: String, others: Int) -> Row {
    Row(
      Figure(title),
      entries: [
        Entry(.eventBus) {
          let tokens = (0..<others).map { _ in every(.seconds(1_000)) { _ in } }
          return { iterations in
            let time = await nanosecondsOfAllThreads {
              for _ in 0..<iterations { every(.seconds(2_000)) { _ in }.cancel() }
            }
            return withExtendedLifetime(tokens) { time / Double(iterations) }
          }
        },
        Entry(.task) {
          let tasks = (0..<others).map { _ in
            Task.detached { try await Task.sleep(for: .seconds(1_000)) }
          }
          return { iterations in
            let time = await nanosecondsOfAllThreads {
              for _ in 0..<iterations {
                let task = Task.detached { try await Task.sleep(for: .seconds(2_000)) }
                task.cancel()
                _ = await task.result
              }
            }
            return withExtendedLifetime(tasks) { time / Double(iterations) }
          }
        },
      ]
    )
  }
}

/// Measures the time between the first and the last of many occurrences.
private final class Spread: Sendable {
  private let marks = Atomic<Int>(0)
  private let count: Int
  private let first = Mutex(Moment())
  private let baton = Baton()

  init(_ count: Int) { self.count = count }

  /// Records one occurrence.
  func mark() {
    switch marks.add(1, ordering: .acquiringAndReleasing).newValue {
    case 1: first.withLock { $0 = Moment() }
    case count: baton.pass()
    default: break
    }
  }

  /// The time between the first and the last, when all have occurred.
  ///
  /// - Parameter byProcessor: Whether to count the time that the program's threads took in between.
  /// - Returns: Nanoseconds.
  func nanoseconds(byProcessor: Bool) async -> Double {
    await baton.wait()
    let last = Moment()
    return first.withLock { last.nanoseconds(after: $0, byProcessor: byProcessor) }
  }
}

/// A moment, in real time and in the processor time of the program.
private struct Moment {
  private let wall = ContinuousClock.now
  private let processor: Double

  init() {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)  // Reason: writes one `timespec`.
    processor = Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// The time since another moment, by either clock.
  func nanoseconds(after other: Moment, byProcessor: Bool) -> Double {
    byProcessor ? processor - other.processor : (wall - other.wall).nanoseconds
  }
}
