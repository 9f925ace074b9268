import Foundation
import Harness

extension Notification.Name {
  fileprivate static let tick = Notification.Name("benchmarks.tick")
  fileprivate static let tock = Notification.Name("benchmarks.tock")
}

/// Foundation's center with blocks and no queue.
///
/// It receives no payload, which it would have to box in a dictionary: its handlers add 1.
/// ``PayloadCenterPeer`` does.
final class NotificationCenterPeer: CancellingPeer {
  static let subject = Subject.notificationCenter

  private let center = NotificationCenter()

  func add(_ sink: Sink) {
    _ = register(sink)
  }

  func add(weakly owner: Sink) {
    _ = center.addObserver(forName: .tick, object: nil, queue: nil) { [weak owner] _ in
      owner?.add(1)
    }
  }

  func addIdle() {
    _ = registerIdle()
  }

  func addElsewhere(_ sink: Sink) {
    _ = center.addObserver(forName: .tock, object: nil, queue: nil) { _ in sink.add(1) }
  }

  func post(times: Int) {
    for _ in 0..<times { center.post(name: .tick, object: nil) }
  }

  func register(_ sink: Sink) -> any NSObjectProtocol {
    center.addObserver(forName: .tick, object: nil, queue: nil) { _ in sink.add(1) }
  }

  func registerIdle() -> any NSObjectProtocol {
    center.addObserver(forName: .tick, object: nil, queue: nil) { _ in consume(1) }
  }

  func drop(_ registration: consuming any NSObjectProtocol) {
    center.removeObserver(registration)
  }
}
