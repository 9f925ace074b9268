import EventBus
import Harness

extension EventNames {
  fileprivate static let tick = EventName<Int>("benchmarks.later.tick")
}

/// Events delivered in a later turn of the main actor.
///
/// These rows count the processor time of all threads.
enum Later {
  static let rows = [
    Row(
      Figure("hop to the main actor, 1 post"),
      entries: [hoppingBus(1), hoppingTasks(1)]
    ),
    Row(
      Figure("hop to the main actor, per post of 1,000", per: 1_000),
      entries: [hoppingBus(1_000), hoppingTasks(1_000)]
    ),
    Row(
      Figure("hop to the main actor, per post of 100,000", per: 100_000),
      pace: .single,
      entries: [hoppingBus(100_000), hoppingTasks(100_000)]
    ),
    Row(
      Figure("hop to the main actor, allocations per post of 1,000", .count),
      pace: .counted,
      entries: [countingBus(1_000)]
    ),
    Row(
      Figure("enqueue 1,000 and drain, per event", per: 1_000),
      entries: [enqueuing(1_000), enqueuingTasks(1_000)]
    ),
  ]

  /// Posts from another thread to a handler on the main actor, and waits for the last.
  private static func hoppingBus(_ burst: Int) -> Entry {
    Entry(.eventBus) {
      { iterations in
        let bus = EventBus()
        let finish = Finish(after: burst)
        let token = bus.observe(.tick) { @MainActor value in finish.receive(value) }
        let time = await hop(iterations, finish) {
          for _ in 0..<burst { bus.post(.tick, 1) }
        }
        expectDeliveries(finish.total, iterations * burst, by: .eventBus)
        return withExtendedLifetime(token) { time }
      }
    }
  }

  /// Counts the allocations of posts that wait for a busy main actor.
  private static func countingBus(_ burst: Int) -> Entry {
    Entry(.eventBus) {
      { _ in
        let bus = EventBus()
        let finish = Finish(after: 2 * burst)
        let token = bus.observe(.tick) { @MainActor value in finish.receive(value) }
        // The first burst creates objects that later ones use again.
        queue(burst, on: bus)
        let allocations = await MainActor.run {
          Heap.during { _ in queue(burst, on: bus) }.allocations
        }
        await finish.baton.wait()
        return withExtendedLifetime(token) { Double(allocations) / Double(burst) }
      }
    }
  }

  /// Posts from one place, in code without an isolation.
  private static func queue(_ burst: Int, on bus: EventBus) {
    for _ in 0..<burst { bus.post(.tick, 1) }
  }

  /// Instead, begins a task on the main actor for each event, from another thread.
  private static func hoppingTasks(_ burst: Int) -> Entry {
    Entry(.task) {
      { iterations in
        let finish = Finish(after: burst)
        let time = await hop(iterations, finish) {
          for _ in 0..<burst { Task { @MainActor in finish.receive(1) } }
        }
        expectDeliveries(finish.total, iterations * burst, by: .task)
        return time
      }
    }
  }

  @concurrent
  private static func hop(
    _ iterations: Int,
    _ finish: Finish,
    _ begin: @Sendable () -> Void
  ) async -> Double {
    await nanosecondsOfAllThreads {
      for _ in 0..<iterations {
        begin()
        await finish.baton.wait()
      }
    } / Double(iterations)
  }

  /// Enqueues on the main actor, and waits for the last.
  private static func enqueuing(_ burst: Int) -> Entry {
    Entry(.eventBus) {
      { iterations in
        let bus = EventBus()
        let finish = Finish(after: burst)
        let token = bus.observe(.tick) { @MainActor value in finish.receive(value) }
        let time = await nanosecondsOfAllThreads {
          for _ in 0..<iterations {
            for _ in 0..<burst { bus.enqueue(.tick, 1, isolation: MainActor.shared) }
            await finish.baton.wait()
          }
        }
        expectDeliveries(finish.total, iterations * burst, by: .eventBus)
        return withExtendedLifetime(token) { time / Double(iterations) }
      }
    }
  }

  /// Instead, begins a task for each event, which posts it.
  private static func enqueuingTasks(_ burst: Int) -> Entry {
    Entry(.task) {
      { iterations in
        let bus = EventBus()
        let finish = Finish(after: burst)
        let token = bus.observe(.tick) { @MainActor value in finish.receive(value) }
        let time = await nanosecondsOfAllThreads {
          for _ in 0..<iterations {
            for _ in 0..<burst { Task { @MainActor in bus.post(.tick, 1) } }
            await finish.baton.wait()
          }
        }
        expectDeliveries(finish.total, iterations * burst, by: .task)
        return withExtendedLifetime(token) { time / Double(iterations) }
      }
    }
  }
}

/// Receives numbers on the main actor and passes a baton when a burst is whole.
@MainActor
private final class Finish {
  nonisolated let baton = Baton()

  private(set) var total = 0
  private let burst: Int

  init(after burst: Int) {
    self.burst = burst
  }

  func receive(_ value: Int) {
    total += value
    if total % burst == 0 { baton.pass() }
  }
}
