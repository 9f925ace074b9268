import EventBus
import Harness
import OpenCombine

extension EventNames {
  fileprivate static let tick = EventName<Int>("benchmarks.replaying.tick", replay: 1)
}

/// Registering for an event that has been posted already, receiving it, and cancelling.
enum Replaying {
  static let rows = [
    Row(
      Figure("replay registration"),
      entries: [bus, subject]
    )
  ]

  private static let bus = Entry.timed(.eventBus) {
    let bus = EventBus()
    let sink = opaque(Sink())
    bus.post(.tick, 1)
    return { iterations in
      let before = sink.total
      for _ in 0..<iterations { bus.observe(.tick) { value in sink.add(value) }.cancel() }
      expectDeliveries(sink.total - before, iterations, by: .eventBus)
    }
  }

  private static let subject = Entry.timed(.openCombine) {
    let tick = CurrentValueSubject<Int, Never>(1)
    let sink = opaque(Sink())
    return { iterations in
      let before = sink.total
      for _ in 0..<iterations { tick.sink { value in sink.add(value) }.cancel() }
      expectDeliveries(sink.total - before, iterations, by: .openCombine)
    }
  }
}
