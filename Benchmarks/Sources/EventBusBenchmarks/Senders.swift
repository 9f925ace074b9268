import EventBus
import Foundation
import Harness

extension EventNames {
  fileprivate static let tick = EventName<Int>("benchmarks.senders.tick")
}

extension Notification.Name {
  fileprivate static let tick = Notification.Name("benchmarks.senders.tick")
}

/// A message whose subject is its sender.
private struct Tick: NotificationCenter.MainActorMessage {
  typealias Subject = Sink

  static let name = Notification.Name("benchmarks.senders.typed")

  let value: Int
}

/// Posting from one of many senders, each of which has one observer that named it.
enum Senders {
  static let rows = [
    Row(
      Figure("post from the only sender observed"),
      entries: [bus(1), center(1), typed(1)]
    ),
    Row(
      Figure("post from 1 of 10,000 senders observed"),
      entries: [bus(10_000), center(10_000), typed(10_000)]
    ),
  ]

  private static func bus(_ count: Int) -> Entry {
    .timed(.eventBus) {
      let bus = EventBus()
      let kept = TokenBag()
      let senders = opaque((0..<count).map { _ in Sink() })
      for sender in senders {
        bus.observe(.tick, from: sender) { value in sender.add(value) }.store(in: kept)
      }
      let sender = senders[count / 2]
      return { iterations in
        let before = sender.total
        for _ in 0..<iterations { bus.post(.tick, 1, from: sender) }
        expectDeliveries(sender.total - before, iterations, by: .eventBus)
        withExtendedLifetime(kept) {}
      }
    }
  }

  private static func center(_ count: Int) -> Entry {
    .timed(.notificationCenter) {
      let center = NotificationCenter()
      let senders = opaque((0..<count).map { _ in Sink() })
      for sender in senders {
        _ = center.addObserver(forName: .tick, object: sender, queue: nil) { _ in sender.add(1) }
      }
      let sender = senders[count / 2]
      return { iterations in
        let before = sender.total
        for _ in 0..<iterations { center.post(name: .tick, object: sender) }
        expectDeliveries(sender.total - before, iterations, by: .notificationCenter)
      }
    }
  }

  private static func typed(_ count: Int) -> Entry {
    .timed(.typedCenter) {
      let center = NotificationCenter()
      let senders = opaque((0..<count).map { _ in Sink() })
      let tokens = senders.map { sender in
        center.addObserver(of: sender, for: Tick.self) { tick in sender.add(tick.value) }
      }
      let sender = senders[count / 2]
      return { iterations in
        let before = sender.total
        MainActor.assumeIsolated {
          for _ in 0..<iterations { center.post(Tick(value: 1), subject: sender) }
        }
        expectDeliveries(sender.total - before, iterations, by: .typedCenter)
        withExtendedLifetime(tokens) {}
      }
    }
  }
}
