import Harness

/// One way to announce something, in the form in which the rows use it.
///
/// All observers of one peer wait for the same event, whose payload is the number 1. The loops are
/// inside the peers, so that each is compiled as its user's own loop would be.
protocol Peer: AnyObject, Sendable {
  static var subject: Subject { get }

  init()

  /// Adds an observer for good: it adds the payload to the sink.
  func add(_ sink: Sink)

  /// Adds an observer for good that does not keep the owner alive: it adds the payload to it.
  func add(weakly owner: Sink)

  /// Adds an observer for good that captures nothing and shares nothing with another thread.
  func addIdle()

  /// Adds an observer for good that waits for another event; for peers with one event, nobody.
  func addElsewhere(_ sink: Sink)

  /// Posts a number of times.
  func post(times: Int)
}

extension Peer {
  func addElsewhere(_ sink: Sink) {}
}

/// A peer whose observers can be taken away again.
protocol CancellingPeer: Peer {
  associatedtype Registration

  /// Adds an observer: it adds the payload to the sink.
  func register(_ sink: Sink) -> Registration

  /// Adds an observer that captures nothing, so that its size is that of the registration alone.
  func registerIdle() -> Registration

  /// Takes an observer away: explicitly, or by letting go of the registration where that does it.
  func drop(_ registration: consuming Registration)

  /// Takes an observer away explicitly.
  func cancel(_ registration: Registration)
}

extension CancellingPeer {
  func cancel(_ registration: Registration) {
    drop(registration)
  }
}
