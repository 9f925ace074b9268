import Harness

/// The equivalent without a library: an array of closures, with no lock and no removal.
final class ClosureLoopPeer: Peer, @unchecked Sendable {  // Reason: filled before anyone posts.
  static let subject = Subject.closureLoop

  private var handlers: [(Int) -> Void] = []

  func add(_ sink: Sink) {
    handlers.append { value in sink.add(value) }
  }

  func add(weakly owner: Sink) {
    handlers.append { [weak owner] value in owner?.add(value) }
  }

  func addIdle() {
    handlers.append { value in consume(value) }
  }

  func post(times: Int) {
    for _ in 0..<times { send(1) }
  }

  private func send(_ value: Int) {
    for handler in handlers { handler(value) }
  }
}
