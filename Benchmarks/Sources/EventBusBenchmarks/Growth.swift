import EventBus
import Foundation
import Harness

/// How the cost of a post grows with the number of observers, and with the number of names.
///
/// Benchmarks/growth.py draws these rows.
enum Growth {
  static let rows =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].map(perDelivery)
    + [10, 100, 1_000, 10_000, 100_000].map(perName)

  private static func perDelivery(_ observers: Int) -> Row {
    Row(
      Figure("growth: per delivery to \(observers) observers", per: observers),
      entries: [
        Posting.entry(EventBusPeer.self, observers),
        Posting.entry(NotificationCenterPeer.self, observers),
        Posting.entry(ClosureLoopPeer.self, observers),
      ]
    )
  }

  /// Posts one event after the other, in an order that no cache can foresee.
  private static func perName(_ count: Int) -> Row {
    var generator = Generator(state: 42)
    let order = (0..<count).shuffled(using: &generator)
    return Row(
      Figure("growth: post of 1 of \(count) names, observed once each"),
      entries: [
        .timed(.eventBus) {
          let (bus, kept, sink) = (EventBus(), TokenBag(), opaque(Sink()))
          let names = order.map { EventName<Int>("benchmarks.growth.\($0)") }
          for name in names { bus.observe(name) { sink.add($0) }.store(in: kept) }
          return { iterations in
            let before = sink.total
            for index in 0..<iterations { bus.post(names[index % count], 1) }
            expectDeliveries(sink.total - before, iterations, by: .eventBus)
            withExtendedLifetime(kept) {}
          }
        },
        .timed(.notificationCenter) {
          let (center, sink) = (NotificationCenter(), opaque(Sink()))
          let names = order.map { Notification.Name("benchmarks.growth.\($0)") }
          let tokens = names.map {
            center.addObserver(forName: $0, object: nil, queue: nil) { _ in sink.add(1) }
          }
          return { iterations in
            let before = sink.total
            for index in 0..<iterations { center.post(name: names[index % count], object: nil) }
            expectDeliveries(sink.total - before, iterations, by: .notificationCenter)
            withExtendedLifetime(tokens) {}
          }
        },
      ]
    )
  }
}
