import Harness
import OpenCombine

/// OpenCombine's subject, the port of Combine's.
final class OpenCombinePeer: CancellingPeer, @unchecked Sendable {  // Reason: it locks.
  static let subject = Harness.Subject.openCombine

  private let tick = PassthroughSubject<Int, Never>()
  private var kept: [AnyCancellable] = []

  func add(_ sink: Sink) {
    kept.append(register(sink))
  }

  func add(weakly owner: Sink) {
    kept.append(tick.sink { [weak owner] value in owner?.add(value) })
  }

  func addIdle() {
    kept.append(registerIdle())
  }

  func post(times: Int) {
    for _ in 0..<times { tick.send(1) }
  }

  func register(_ sink: Sink) -> AnyCancellable {
    tick.sink { value in sink.add(value) }
  }

  func registerIdle() -> AnyCancellable {
    tick.sink { value in consume(value) }
  }

  func drop(_ registration: consuming AnyCancellable) {}

  func cancel(_ registration: AnyCancellable) {
    registration.cancel()
  }
}
