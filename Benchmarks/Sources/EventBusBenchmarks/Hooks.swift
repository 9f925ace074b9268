import EventBus
import Harness

extension EventNames {
  fileprivate static let tick = EventName<Int>("benchmarks.hooks.tick")
}

/// The cost of hooks, and of an observer of every event, for a post; for none, see “post, 1 observer”.
enum Hooks {
  static let rows = [
    Row(
      Figure(
        "post, 1 observer, hooks other than onTrace set"
      ),
      entries: [
        entry {
          $0.onError = { _ in }
          $0.onUnhandled = { _ in }
        }
      ]
    ),
    Row(
      Figure("post, 1 observer, onTrace set"),
      entries: [entry { $0.onTrace = { _ in } }]
    ),
    Row(
      Figure("post, only an observer of every event"),
      entries: [
        .timed(.eventBus) {
          let (bus, sink) = (EventBus(), opaque(Sink()))
          let token = bus.observeAll { _ in sink.add(1) }
          return { iterations in
            let before = sink.total
            for _ in 0..<iterations { bus.post(.tick, 1) }
            expectDeliveries(sink.total - before, iterations, by: .eventBus)
            withExtendedLifetime(token) {}
          }
        }
      ]
    ),
  ]

  private static func entry(_ set: @escaping @Sendable (inout EventHooks) -> Void) -> Entry {
    .timed(.eventBus) {
      var hooks = EventHooks()
      set(&hooks)
      let bus = EventBus(hooks: hooks)
      let sink = opaque(Sink())
      let token = bus.observe(.tick) { value in sink.add(value) }
      return { iterations in
        let before = sink.total
        for _ in 0..<iterations { bus.post(.tick, 1) }
        expectDeliveries(sink.total - before, iterations, by: .eventBus)
        withExtendedLifetime(token) {}
      }
    }
  }
}
