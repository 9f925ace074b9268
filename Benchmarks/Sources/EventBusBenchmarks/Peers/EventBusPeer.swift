import EventBus
import Harness

extension EventNames {
  fileprivate static let tick = EventName<Int>("benchmarks.tick")
  fileprivate static let tock = EventName<Int>("benchmarks.tock")
}

/// The project's bus, found by name at every post.
final class EventBusPeer: CancellingPeer {
  static let subject = Subject.eventBus

  private let bus = EventBus()
  private let kept = TokenBag()

  func add(_ sink: Sink) {
    register(sink).store(in: kept)
  }

  func add(weakly owner: Sink) {
    bus.observe(.tick, owner: owner) { owner, value in owner.add(value) }
  }

  func addIdle() {
    registerIdle().store(in: kept)
  }

  func addElsewhere(_ sink: Sink) {
    bus.observe(.tock) { value in sink.add(value) }.store(in: kept)
  }

  func post(times: Int) {
    for _ in 0..<times { bus.post(.tick, 1) }
  }

  func register(_ sink: Sink) -> Token {
    bus.observe(.tick) { value in sink.add(value) }
  }

  func registerIdle() -> Token {
    bus.observe(.tick) { value in consume(value) }
  }

  func drop(_ registration: consuming Token) {}

  func cancel(_ registration: Token) {
    registration.cancel()
  }
}
