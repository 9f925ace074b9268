import EventBus
import Harness

extension EventNames {
  fileprivate static let tick = EventName<Int>("benchmarks.seeing.tick")
}

/// Taking a snapshot of a bus.
enum Seeing {
  static let rows = [
    Row(
      Figure("snapshot of 100,000 observers", .milliseconds),
      pace: .single,
      entries: [snapshot]
    )
  ]

  private static let observers = 100_000

  private static let snapshot = Entry(.eventBus) {
    let bus = EventBus()
    let kept = TokenBag()
    for _ in 0..<observers { bus.observe(.tick) { consume($0) }.store(in: kept) }
    return { _ in
      var seen = 0
      let time = nanoseconds { seen = bus.snapshot().observations.count }
      expectDeliveries(seen, observers, by: .eventBus)
      return withExtendedLifetime(kept) { time }
    }
  }
}
