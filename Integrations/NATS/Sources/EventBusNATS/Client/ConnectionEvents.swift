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

  /// The reasons why there is no connection.
  private struct Absence {
    /// The words with which the server refused the credentials, until there is a connection again.
    var refusal: String?
    /// The wait for the first connection, until there is one.
    var wait: FirstWait?
  }

  let state = SharedObserved<NATSConnection.State>(.connecting)
  let isConnected = Atomic<Bool>(false)
  /// Whether the connection was closed for good.
  let isClosed = Atomic<Bool>(false)
  let reconnectCount = Atomic<Int>(0)
  let didChange = Signal<Bool>()
  let didRefuse = Signal<LinkRefusal>()
  let denials: Locked<DenialLog>
  /// The queue that calls observers: the client has one thread for the callbacks of all its connections.
  private let queue = DispatchQueue(label: "EventBusNATS.state")
  private let source = Locked(Source())
  private let absence = Locked(Absence())
  /// The addresses, whose credentials appear in no text.
  private let urls: [String]

  init(_ urls: [String], _ options: NATSConnection.Configuration) {
    self.urls = urls
    denials = Locked(DenialLog(api: options.api, inbox: options.inboxPrefix))
  }

  /// Sets the closures that ask the client for the address of the server, which its callbacks must not do, and that
  /// make another connection.
  func setSource(
    address: @escaping @Sendable () -> String,
    connectAgain: @escaping @Sendable () -> Void
  ) {
    source.withLock { $0 = Source(address: address, connectAgain: connectAgain) }
  }

  /// The words with which the server refused the credentials last, while there is no connection.
  var refusedCredentials: String? { absence.withLock(\.refusal) }

  /// The words about the server that is waited for, before the first connection.
  var awaitedServer: String? { absence.withLock { $0.wait?.words } }

  /// Notes that the first connection is waited for, as no server was there.
  func wait(_ error: NATSError) {
    let now = ContinuousClock.now
    absence.withLock { $0.wait = FirstWait(error.detail, at: now) }
    let addresses = urls.map { Address.withoutCredentials($0) }.joined(separator: ", ")
    update { $0 = .waiting(for: addresses, since: now) }
  }

  func opened() {
    guard !isClosed.load(ordering: .acquiring) else { return }
    absence.withLock { $0 = Absence() }
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
        switch state {
        case .reconnecting, .waiting: break
        default: state = .reconnecting(since: now)
        }
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
      absence.withLock { $0.refusal = text }
      return queue.async { self.didRefuse.send(.unauthenticated(text)) }
    }
    // Another reason takes the place of refused credentials while there is no connection.
    if !isConnected.load(ordering: .acquiring) { absence.withLock { $0.refusal = nil } }
    let denial = Denial(text)
    if let denial { denials.withLock { $0.append(denial) } }
    queue.async { self.didRefuse.send(denial.map { .denied($0) } ?? .other(text)) }
  }

  /// Notes that an attempt to connect has failed, and announces it, unless the wait for the first connection has
  /// announced the same.
  func attemptFailed(_ error: NATSError) {
    let isOfCredentials = error.code == .notAuthorized
    let isAnnounced = absence.withLock { absence -> Bool? in
      guard !isOfCredentials else { return nil }
      absence.refusal = nil
      return absence.wait?.failed(error.detail, at: .now)
    }
    guard let isAnnounced else { return failed(error.detail, isOfCredentials: isOfCredentials) }
    guard isAnnounced, let words = awaitedServer else { return }
    queue.async { self.didRefuse.send(.unreachable(words)) }
  }

  /// Notes that there is a connection again, or for the first time after a wait.
  func reconnected() {
    denials.withLock { $0.reconnected() }
    let isFirst = absence.withLock { $0.wait != nil }
    if !isFirst { reconnectCount.add(1, ordering: .relaxed) }
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
