import Foundation
import Harness
import Synchronization

/// A message of the typed center.
private struct Tick: NotificationCenter.MainActorMessage {
  typealias Subject = Sink

  static let name = Notification.Name("benchmarks.tick.typed")

  let value: Int
}

/// Another message of the typed center.
private struct Tock: NotificationCenter.MainActorMessage {
  typealias Subject = Sink

  static let name = Notification.Name("benchmarks.tock.typed")

  let value: Int
}

/// Foundation's center with typed messages, which are delivered at once on the main actor only.
///
/// Rows with several threads leave it out.
final class TypedCenterPeer: CancellingPeer {
  static let subject = Harness.Subject.typedCenter

  private let center = NotificationCenter()
  private let kept = Mutex<[NotificationCenter.ObservationToken]>([])

  func add(_ sink: Sink) {
    keep(register(sink))
  }

  func add(weakly owner: Sink) {
    keep(center.addObserver(for: Tick.self) { [weak owner] tick in owner?.add(tick.value) })
  }

  func addIdle() {
    keep(registerIdle())
  }

  func addElsewhere(_ sink: Sink) {
    keep(center.addObserver(for: Tock.self) { tock in sink.add(tock.value) })
  }

  func post(times: Int) {
    MainActor.assumeIsolated {
      for _ in 0..<times { center.post(Tick(value: 1)) }
    }
  }

  func register(_ sink: Sink) -> NotificationCenter.ObservationToken {
    center.addObserver(for: Tick.self) { tick in sink.add(tick.value) }
  }

  func registerIdle() -> NotificationCenter.ObservationToken {
    center.addObserver(for: Tick.self) { tick in consume(tick.value) }
  }

  func drop(_ registration: consuming NotificationCenter.ObservationToken) {}

  func cancel(_ registration: NotificationCenter.ObservationToken) {
    center.removeObserver(registration)
  }

  private func keep(_ token: NotificationCenter.ObservationToken) {
    kept.withLock { $0.append(token) }
  }
}
