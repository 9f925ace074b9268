import Foundation
import Harness

extension Notification.Name {
  fileprivate static let tick = Notification.Name("benchmarks.tick.payload")
  fileprivate static let tock = Notification.Name("benchmarks.tock.payload")
}

/// Foundation's center with blocks and no queue, carrying the payload as its users do: each post boxes
/// it in a dictionary, and each handler looks it up there.
final class PayloadCenterPeer: Peer {
  static let subject = Subject.payloadCenter

  private static let key = "value"

  private let center = NotificationCenter()

  func add(_ sink: Sink) {
    _ = center.addObserver(forName: .tick, object: nil, queue: nil) { notification in
      if let value = notification.userInfo?[Self.key] as? Int { sink.add(value) }
    }
  }

  func add(weakly owner: Sink) {
    _ = center.addObserver(forName: .tick, object: nil, queue: nil) { [weak owner] notification in
      if let value = notification.userInfo?[Self.key] as? Int { owner?.add(value) }
    }
  }

  func addIdle() {
    _ = center.addObserver(forName: .tick, object: nil, queue: nil) { notification in
      if let value = notification.userInfo?[Self.key] as? Int { consume(value) }
    }
  }

  func addElsewhere(_ sink: Sink) {
    _ = center.addObserver(forName: .tock, object: nil, queue: nil) { notification in
      if let value = notification.userInfo?[Self.key] as? Int { sink.add(value) }
    }
  }

  func post(times: Int) {
    for _ in 0..<times { center.post(name: .tick, object: nil, userInfo: [Self.key: 1]) }
  }
}
