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
