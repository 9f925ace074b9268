internal import Dispatch
internal import EventBus
internal import Synchronization
internal import _EventBusLocks

/// The changes and errors of a link, noted by the callbacks of the client.
///
/// The client keeps the object from each successful connection to the last callback of that.
final class ConnectionEvents: Sendable {
  private struct Source {
    var address: @Sendable () -> String = { "" }
    var connectAgain: @Sendable () -> Void = {}
  }

  private struct Refusal {
    /// The words with which the server refused the credentials, until there is a connection again.
    var words: String?
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
  private let refusal = Locked(Refusal())
  /// The addresses, whose credentials appear in no text.
  private let urls: [String]

  init(_ urls: [String]) { self.urls = urls }

  /// Sets the closures that ask the client for the address of the server, which its callbacks must not do, and that
  /// make another connection.
  func setSource(
    address: @escaping @Sendable () -> String,
    connectAgain: @escaping @Sendable () -> Void
  ) {
    source.withLock { $0 = Source(address: address, connectAgain: connectAgain) }
  }

  /// The words with which the server refused the credentials last, while there is no connection.
  var refusedCredentials: String? { refusal.withLock(\.words) }

  func opened() {
    guard !isClosed.load(ordering: .acquiring) else { return }
    refusal.withLock { $0.words = nil }
    isConnected.store(true, ordering: .releasing)
    queue.async {
      let address = self.source.withLock(\.address)()
      self.update { $0 = .connected(to: Address.withoutCredentials(address)) }
    }
  }

  /// Notes that the connection is about to be closed; `true` once.
  func beginClosing() -> Bool {
    isConnected.store(false, ordering: .releasing)
    return !isClosed.exchange(true, ordering: .acquiringAndReleasing)
  }

  func disconnected() {
    isConnected.store(false, ordering: .releasing)
    noteReconnecting()
    queue.async { self.didChange.send(false) }
  }

  private func noteReconnecting() {
    let now = ContinuousClock.now
    queue.async {
      self.update { state in
        if case .reconnecting = state { return }
        state = .reconnecting(since: now)
      }
    }
  }

  /// Notes an error of the server or the client.
  ///
  /// - Parameters:
  ///   - text: The words.
  ///   - isOfCredentials: Whether the server refuses the credentials.
  func failed(_ text: String, isOfCredentials: Bool) {
    let text = Address.withoutCredentials(in: text, known: urls)
    if isOfCredentials {
      refusal.withLock { $0.words = text }
      return queue.async { self.didRefuse.send(.unauthenticated(text)) }
    }
    // Another reason takes the place of refused credentials while there is no connection.
    if !isConnected.load(ordering: .acquiring) { refusal.withLock { $0.words = nil } }
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

  /// Notes that the client has closed a connection: by request, or as it gives up, which it does when the server has
  /// refused the credentials twice.
  func clientClosed() {
    if isClosed.load(ordering: .acquiring) { return ended() }
    isConnected.store(false, ordering: .releasing)
    noteReconnecting()
    queue.async { self.source.withLock(\.connectAgain)() }
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
