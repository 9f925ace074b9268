import EventBus
import Harness
import OpenCombine

extension EventNames {
  fileprivate static let tick = EventName<Int>("benchmarks.replaying.tick", replay: 1)
}

/// Events whose last payload is kept: posting, and registering for one that has been posted already.
enum Replaying {
  static let rows = [
    Row(
      Figure("replay registration"),
      entries: [bus, subject]
    ),
    Row(
      Figure("post of a replayed name, 1 observer"),
      entries: [postingBus, postingSubject]
    ),
  ]

  private static let postingBus = Entry.timed(.eventBus) {
    let (bus, sink) = (EventBus(), opaque(Sink()))
    let token = bus.observe(.tick) { value in sink.add(value) }
    return { iterations in
      let before = sink.total
      for _ in 0..<iterations { bus.post(.tick, 1) }
      expectDeliveries(sink.total - before, iterations, by: .eventBus)
      withExtendedLifetime(token) {}
    }
  }

  private static let postingSubject = Entry.timed(.openCombine) {
    let (tick, sink) = (CurrentValueSubject<Int, Never>(1), opaque(Sink()))
    let token = tick.sink { value in sink.add(value) }
    return { iterations in
      let before = sink.total
      for _ in 0..<iterations { tick.send(1) }
      expectDeliveries(sink.total - before, iterations, by: .openCombine)
      withExtendedLifetime(token) {}
    }
  }

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
