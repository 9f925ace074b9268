internal import CNATS

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#elseif canImport(Glibc)
private import Glibc
#else
#error("Unknown C library: add it here.")
#endif
internal import Synchronization
internal import _EventBusLocks

/// A subscription of the client, and the messages that were not taken yet.
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
  /// How many denials the connection had before.
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

/// The messages of a subscription that were not taken yet.
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

/// A message of the client, which is freed with this object.
@safe
final class ArrivedMessage: @unchecked Sendable {  // Reason: read by one thread at a time.
  private let handle: OpaquePointer

  init(handle: OpaquePointer) { unsafe self.handle = handle }  // Reason: owned from here on.

  deinit { unsafe natsMsg_Destroy(handle) }  // Reason: owned.

  /// The bytes of the payload.
  var size: Int { Int(unsafe natsMsg_GetDataLength(handle)) }  // Reason: alive.

  /// A copy of the message.
  func message(readsFields: Bool = false) -> LinkMessage {
    // Reason for all: the strings and bytes belong to the message, and are copied.
    let subject = unsafe natsMsg_GetSubject(handle)
    let reply = unsafe natsMsg_GetReply(handle)
    let data = unsafe natsMsg_GetData(handle)
    let size = Int(unsafe natsMsg_GetDataLength(handle))
    var text: UnsafePointer<CChar>?
    let status = unsafe natsMsgHeader_Get(handle, WireHeader.name, &text)
    var header: [UInt8]?
    if status == NATS_OK, let text = unsafe text {
      var length = 0
      while unsafe text[length] != 0 { length += 1 }
      header = unsafe Array(UnsafeRawBufferPointer(start: text, count: length))
    }
    return LinkMessage(
      subject: unsafe subject.map { unsafe String(cString: $0) } ?? "",
      reply: unsafe reply.map { unsafe String(cString: $0) },
      header: header,
      fields: readsFields ? fields() : [:],
      payload: size > 0 ? unsafe Array(UnsafeRawBufferPointer(start: data, count: size)) : [],
      hasNoResponders: header == nil && size == 0 ? unsafe natsMsg_IsNoResponders(handle) : false
    )
  }

  /// A copy of all headers, with names in lowercase; of several with one name, the first.
  private func fields() -> [String: String] {
    var keys: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    var count: Int32 = 0
    // Reason for all: the strings belong to the message, the list of keys is freed here.
    guard unsafe natsMsgHeader_Keys(handle, &keys, &count) == NATS_OK, let keys = unsafe keys else {
      return [:]
    }
    defer { unsafe free(keys) }
    var fields: [String: String] = [:]
    for index in 0..<Int(count) {
      var value: UnsafePointer<CChar>?
      guard let key = unsafe keys[index], unsafe natsMsgHeader_Get(handle, key, &value) == NATS_OK,
        let value = unsafe value
      else { continue }
      let name = unsafe String(cString: key).lowercased()
      if fields[name] == nil { fields[name] = unsafe String(cString: value) }
    }
    return fields
  }
}
