internal import CNATS
internal import Synchronization
internal import _EventBusLocks

/// A subscription of the client, and its messages until they are taken.
///
/// The callback only appends the message. The client keeps the inbox of messages until its completion callback.
@safe
final class NATSSubscription: LinkSubscription, @unchecked Sendable {  // Reason: the client locks.
  private let handle: OpaquePointer
  private let arrivals: Arrivals
  private let isEnded = Atomic<Bool>(false)
  /// The connection must outlive its subscriptions.
  private let link: NATSLink
  private let subject: String
  private let readsFields: Bool
  /// The number of earlier denials of the connection.
  private let denials: Int

  init(
    _ link: NATSLink,
    _ connection: OpaquePointer,
    _ subject: String,
    group: String?,
    limit: Int,
    sizeLimit: Int,
    readsFields: Bool,
    wake: @escaping @Sendable () -> Void
  ) throws(LinkFailure) {
    self.readsFields = readsFields
    denials = link.denialCount
    self.subject = subject
    let arrivals = Arrivals(limit: limit, sizeLimit: sizeLimit, wake: wake)
    // Reason: released by the completion callback.
    let closure = unsafe Unmanaged.passRetained(arrivals).toOpaque()
    let handler: natsMsgHandler = { _, _, message, closure in
      guard let message = unsafe message, let closure = unsafe closure else { return }
      unsafe Unmanaged<Arrivals>.fromOpaque(closure).takeUnretainedValue()  // Reason: as above.
        .append(ArrivedMessage(handle: message))
    }
    var made: OpaquePointer?
    let status =
      if let group {
        unsafe natsConnection_QueueSubscribe(&made, connection, subject, group, handler, closure)
      } else {
        unsafe natsConnection_Subscribe(&made, connection, subject, handler, closure)
      }
    guard status == NATS_OK, let made = unsafe made else {
      unsafe Unmanaged<Arrivals>.fromOpaque(closure).release()  // Reason: never called.
      throw NATSLink.failure(status)
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
    self.arrivals = arrivals
    self.link = link
  }

  deinit {
    cancel()
    unsafe natsSubscription_Destroy(handle)  // Reason: owned.
  }

  func take(_ most: Int) -> (messages: [LinkMessage], dropped: Int) {
    let (taken, dropped) = arrivals.take(most)
    return (taken.map { $0.message(readsFields: readsFields) }, dropped)
  }

  func confirm(within limit: Duration) async throws(LinkFailure) {
    try await link.confirm(subject, after: denials, within: limit)
  }

  func drain(within limit: Duration) async {
    guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    // Reason for `try?`: the subscription has ended in any case.
    try? await link.request { _ in
      // Reason for both: alive, as this object is.
      let status = unsafe natsSubscription_DrainTimeout(self.handle, limit.milliseconds)
      if status == NATS_OK {
        unsafe natsSubscription_WaitForDrainCompletion(self.handle, limit.milliseconds)
      } else {
        unsafe natsSubscription_Unsubscribe(self.handle)
      }
      return .success(())
    }
  }

  func cancel() {
    guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    unsafe natsSubscription_Unsubscribe(handle)  // Reason: alive.
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
