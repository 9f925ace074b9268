import EventBus
import Harness

/// The project's event without a name.
final class SignalPeer: CancellingPeer {
  static let subject = Subject.signal

  private let tick = Signal<Int>()
  private let kept = TokenBag()

  func add(_ sink: Sink) {
    register(sink).store(in: kept)
  }

  func add(weakly owner: Sink) {
    tick.observe(owner: owner) { owner, value in owner.add(value) }
  }

  func addIdle() {
    registerIdle().store(in: kept)
  }

  func post(times: Int) {
    for _ in 0..<times { tick.send(1) }
  }

  func register(_ sink: Sink) -> Token {
    tick.observe { value in sink.add(value) }
  }

  func registerIdle() -> Token {
    tick.observe { value in consume(value) }
  }

  func drop(_ registration: consuming Token) {}

  func cancel(_ registration: Token) {
    registration.cancel()
  }
}
