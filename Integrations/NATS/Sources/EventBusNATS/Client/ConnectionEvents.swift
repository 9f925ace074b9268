internal import Dispatch
internal import EventBus
internal import Synchronization
internal import _EventBusLocks

/// The changes and errors of a connection, noted by the callbacks of the client.
///
/// The client keeps the object from the successful connection to the last callback.
final class ConnectionEvents: Sendable {
  private struct Source {
    var address: @Sendable () -> String = { "" }
  }

  let state = SharedObserved<NATSConnection.State>(.connecting)
  let isConnected = Atomic<Bool>(false)
  /// Whether the connection was closed for good.
  let isClosed = Atomic<Bool>(false)
  let reconnectCount = Atomic<Int>(0)
  let didChange = Signal<Bool>()
  let didRefuse = Signal<LinkRefusal>()
  let denials = Locked(DenialLog())
  /// The queue that calls observers: the client has one thread for the callbacks of all its connections.
  private let queue = DispatchQueue(label: "EventBusNATS.state")
  private let source = Locked(Source())

  /// Sets the closure that asks the client for the address of the server, which its callbacks must not do.
  func setAddress(_ address: @escaping @Sendable () -> String) {
    source.withLock { $0.address = address }
  }

  func opened() {
    guard !isClosed.load(ordering: .acquiring) else { return }
    isConnected.store(true, ordering: .releasing)
    queue.async {
      let address = self.source.withLock(\.address)()
      self.update { $0 = .connected(to: address) }
    }
  }

  /// Notes that the connection is about to be closed; `true` once.
  func beginClosing() -> Bool {
    isConnected.store(false, ordering: .releasing)
    return !isClosed.exchange(true, ordering: .acquiringAndReleasing)
  }

  func disconnected() {
    isConnected.store(false, ordering: .releasing)
    let now = ContinuousClock.now
    queue.async { self.update { $0 = .reconnecting(since: now) } }
    queue.async { self.didChange.send(false) }
  }

  /// Notes an error of the server or the client.
  func failed(_ text: String) {
    let denial = Denial(text)
    if let denial { denials.withLock { $0.append(denial) } }
    queue.async { self.didRefuse.send(denial.map { .denied($0) } ?? .other(text)) }
  }

  func reconnected() {
    denials.withLock { $0.reconnected() }
    reconnectCount.add(1, ordering: .relaxed)
    opened()
    queue.async { self.didChange.send(true) }
  }

  func ended() {
    _ = beginClosing()
    queue.async { self.update { $0 = .closed } }
    queue.async { self.didChange.send(false) }
  }

  private func update(_ body: (inout NATSConnection.State) -> Void) {
    state.update { state in
      if state != .closed { body(&state) }
    }
  }
}
