import Harness

/// One way to announce something, in the form in which the rows use it.
///
/// All observers of one peer wait for the same event, whose payload is the number 1. The loops are
/// inside the peers, so that each is compiled as its user's own loop would be.
protocol Peer: AnyObject, Sendable {
  static var subject: Subject { get }

  init()

  /// Adds a permanent observer, which adds the payload to the sink.
  func add(_ sink: Sink)

  /// Adds a permanent observer that does not retain its owner and adds the payload to it.
  func add(weakly owner: Sink)

  /// Adds a permanent observer that captures nothing and shares nothing with another thread.
  func addIdle()

  /// Adds a permanent observer of another event; nothing for peers with one event.
  func addElsewhere(_ sink: Sink)

  /// Posts a number of times.
  func post(times: Int)
}

extension Peer {
  func addElsewhere(_ sink: Sink) {}
}

/// A peer whose observers can be removed.
protocol CancellingPeer: Peer {
  associatedtype Registration

  /// Adds an observer: it adds the payload to the sink.
  func register(_ sink: Sink) -> Registration

  /// Adds an observer that captures nothing, so that its size is that of the registration alone.
  func registerIdle() -> Registration

  /// Removes an observer: explicitly, or by releasing the registration where that is enough.
  func drop(_ registration: consuming Registration)

  /// Removes an observer explicitly.
  func cancel(_ registration: Registration)
}

extension CancellingPeer {
  func cancel(_ registration: Registration) {
    drop(registration)
  }
}
