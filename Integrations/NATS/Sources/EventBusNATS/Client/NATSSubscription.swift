internal import CNATS
internal import _EventBusLocks

/// A subscription of the client, and its messages until they are taken.
///
/// The callback only appends the message. The client keeps the inbox of messages until its completion callback.
@safe
final class NATSSubscription: LinkSubscription, @unchecked Sendable {  // Reason: locked.
  private struct State: @unchecked Sendable {  // Reason: used under a lock.
    /// The subscription of the client; `nil` before the first connection.
    var subscription: ClientSubscription?
    /// The number of earlier denials of the link.
    var denials: Int
    var isEnded = false
  }

  private let state: Locked<State>
  private let arrivals: Arrivals
  /// The connection must outlive its subscriptions.
  private let link: NATSLink
  private let subject: String
  private let group: String?
  private let readsFields: Bool

  init(
    _ link: NATSLink,
    _ connection: ClientConnection?,
    _ subject: String,
    group: String?,
    limit: Int,
    sizeLimit: Int,
    readsFields: Bool,
    wake: @escaping @Sendable () -> Void
  ) throws(LinkFailure) {
    self.readsFields = readsFields
    (self.subject, self.group, self.link) = (subject, group, link)
    arrivals = Arrivals(limit: limit, sizeLimit: sizeLimit, wake: wake)
    let denials = link.denialCount
    var made: ClientSubscription?
    if let connection {
      made = try ClientSubscription(connection, subject, group, arrivals, link)
    }
    state = Locked(State(subscription: made, denials: denials))
  }

  deinit {
    cancel()
    link.forget(ObjectIdentifier(self))
  }

  /// Makes the subscription again on another connection; messages that have arrived stay.
  func renew(_ connection: ClientConnection) {
    let isWanted = state.withLock { !$0.isEnded && $0.subscription?.connection !== connection }
    guard isWanted else { return }
    let denials = link.denialCount
    // Reason for `try?`: if the connection has broken, the next one follows.
    guard let made = try? ClientSubscription(connection, subject, group, arrivals, link) else {
      return
    }
    let former = state.withLock { state -> ClientSubscription? in
      if state.isEnded { return made }
      defer { (state.subscription, state.denials) = (made, denials) }
      return state.subscription
    }
    former?.unsubscribe()
  }

  func take(_ most: Int) -> (messages: [LinkMessage], dropped: Int) {
    let (taken, dropped) = arrivals.take(most)
    return (taken.map { $0.message(readsFields: readsFields) }, dropped)
  }

  func confirm(within limit: Duration) async throws(LinkFailure) {
    let denials = state.withLock(\.denials)
    try await link.confirm(subject, after: denials, within: limit)
  }

  func drain(within limit: Duration) async {
    guard let subscription = end() else { return }
    // Reason for `try?`: the subscription has ended in any case.
    try? await link.request { _ in
      subscription.drain(within: limit)
      return .success(())
    }
  }

  func cancel() { end()?.unsubscribe() }

  /// Ends the subscription; the first call returns that of the client.
  private func end() -> ClientSubscription? {
    state.withLock { state in
      defer { state.isEnded = true }
      return state.isEnded ? nil : state.subscription
    }
  }
}

/// A subscription of the client on one connection.
@safe
private final class ClientSubscription: @unchecked Sendable {  // Reason: the client locks.
  private let handle: OpaquePointer
  let connection: ClientConnection

  init(
    _ connection: ClientConnection,
    _ subject: String,
    _ group: String?,
    _ arrivals: Arrivals,
    _ link: NATSLink
  ) throws(LinkFailure) {
    // Reason: released by the completion callback.
    let closure = unsafe Unmanaged.passRetained(arrivals).toOpaque()
    let handler: natsMsgHandler = { _, _, message, closure in
      guard let message = unsafe message, let closure = unsafe closure else { return }
      unsafe Unmanaged<Arrivals>.fromOpaque(closure).takeUnretainedValue()  // Reason: as above.
        .append(ArrivedMessage(handle: message))
    }
    var made: OpaquePointer?
    let client = unsafe connection.handle  // Reason: kept by this object.
    let status =
      if let group {
        unsafe natsConnection_QueueSubscribe(&made, client, subject, group, handler, closure)
      } else {
        unsafe natsConnection_Subscribe(&made, client, subject, handler, closure)
      }
    guard status == NATS_OK, let made = unsafe made else {
      unsafe Unmanaged<Arrivals>.fromOpaque(closure).release()  // Reason: never called.
      throw link.failure(status)
    }
    // The client's own limit would drop the newest.
    unsafe natsSubscription_SetPendingLimits(made, -1, -1)  // Reason: alive.
    unsafe natsSubscription_SetOnCompleteCB(
      made,
      { closure in
        // Reason: the last use by the client.
        unsafe closure.map { unsafe Unmanaged<Arrivals>.fromOpaque($0) }?.release()
      },
      closure
    )
    unsafe handle = made  // Reason: destroyed by deinit.
    self.connection = connection
  }

  deinit {
    unsafe natsSubscription_Destroy(handle)  // Reason: owned.
  }

  func unsubscribe() {
    unsafe natsSubscription_Unsubscribe(handle)  // Reason: alive.
  }

  /// Waits until the messages on their way have arrived.
  func drain(within limit: Duration) {
    // Reason for both: alive, as this object is.
    let status = unsafe natsSubscription_DrainTimeout(handle, limit.milliseconds)
    if status == NATS_OK {
      unsafe natsSubscription_WaitForDrainCompletion(handle, limit.milliseconds)
    } else {
      unsubscribe()
    }
  }
}

/// The messages of a subscription, until they are taken.
private final class Arrivals: Sendable {
  private struct State {
    var messages: BoundedBuffer<ArrivedMessage>
    var reportedDrops = 0
    var isAwake = false
  }

  private let state: Locked<State>
  private let wake: @Sendable () -> Void

  init(limit: Int, sizeLimit: Int, wake: @escaping @Sendable () -> Void) {
    state = Locked(State(messages: BoundedBuffer(limit: limit, sizeLimit: sizeLimit)))
    self.wake = wake
  }

  func append(_ message: ArrivedMessage) {
    let size = message.size
    let (dropped, wakes) = state.withLock { state in
      let dropped = state.messages.append(message, size: size)
      defer { state.isAwake = true }
      return (dropped, !state.isAwake)
    }
    withExtendedLifetime(dropped) {}
    if wakes { wake() }
  }

  func take(_ most: Int) -> (messages: [ArrivedMessage], dropped: Int) {
    state.withLock { state in
      let messages = state.messages.take(most)
      if state.messages.isEmpty { state.isAwake = false }
      let dropped = state.messages.droppedCount - state.reportedDrops
      state.reportedDrops = state.messages.droppedCount
      return (messages, dropped)
    }
  }
}
