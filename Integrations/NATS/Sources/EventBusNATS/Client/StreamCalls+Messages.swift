internal import CNATS

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// The stored messages of a stream.
extension StreamCalls {
  // Reason for all: the client copies its arguments; its results are freed here.

  /// The number of the last message of a stream, and the time of its creation in nanoseconds.
  func end(of name: String) throws(LinkFailure) -> (last: UInt64, created: Int64) {
    var known: UnsafeMutablePointer<jsStreamInfo>?
    let outcome = try unsafe call { unsafe js_GetStreamInfo(&known, streams, name, $0, $1) }
    guard outcome.isDone, let known = unsafe known else { throw outcome.failure }
    defer { unsafe jsStreamInfo_Destroy(known) }
    return unsafe (known.pointee.State.LastSeq, known.pointee.Created)
  }

  /// The last stored messages of a subject, the oldest first.
  func recent(
    _ name: String,
    _ subject: String,
    upTo last: UInt64,
    count: Int
  ) throws(LinkFailure) -> [LinkMessage] {
    var messages: [LinkMessage] = []
    for sequence in try recentSequences(name, subject, upTo: last, count: count) {
      if let message = try message(name, sequence) { messages.append(message.message()) }
    }
    return messages
  }

  /// The numbers of the last messages of a subject, the oldest first.
  ///
  /// The server does not search backwards. The search asks for one message after the other in a window before the
  /// end, and continues with windows twice as large until there are enough messages.
  func recentSequences(
    _ stream: String,
    _ subject: String,
    upTo last: UInt64,
    count: Int
  ) throws(LinkFailure) -> [UInt64] {
    guard count > 0, last > 0 else { return [] }
    var found: [UInt64] = []
    var end = last
    var window = UInt64(count)
    while found.count < count, end > 0 {
      let start = end > window ? end - window + 1 : 1
      var inside: [UInt64] = []
      var next = start
      while next <= end, let sequence = try nextSequence(stream, subject, from: next),
        sequence <= end
      {
        inside.append(sequence)
        next = sequence + 1
      }
      found = inside + found
      end = start - 1
      window *= 2
    }
    return found.suffix(count)
  }

  /// The number of the first message of a subject from a number on; `nil` if the server says that there is none.
  private func nextSequence(
    _ stream: String,
    _ subject: String,
    from first: UInt64
  ) throws(LinkFailure) -> UInt64? {
    struct Answer: Decodable {
      struct Message: Decodable { let seq: UInt64 }
      struct Refusal: Decodable {
        let code: Int
        let description: String?
      }
      let message: Message?
      let error: Refusal?
    }
    // An encoded subject needs no escapes in JSON.
    let request = "{\"seq\": \(first), \"next_by_subj\": \"\(subject)\"}"
    var made: OpaquePointer?
    let api = "\(link.options.api).STREAM.MSG.GET.\(stream)"
    let left = try timeLeft()
    let status = unsafe natsConnection_RequestString(&made, connection, api, request, left)
    guard status == NATS_OK, let made = unsafe made else { throw NATSLink.failure(status) }
    let payload = unsafe ArrivedMessage(handle: made).message().payload
    let answer: Answer
    do {
      answer = try JSONDecoder().decode(Answer.self, from: Data(payload))
    } catch {
      throw .other("The server's answer about \(stream) cannot be read: \(error)")
    }
    if let refusal = answer.error {
      if refusal.code == 404 { return nil }
      throw .other("The server did not look into \(stream): \(refusal.description ?? "refused")")
    }
    return answer.message?.seq
  }

  /// A message; `nil` if the server has deleted it.
  private func message(_ stream: String, _ sequence: UInt64) throws(LinkFailure) -> ArrivedMessage?
  {
    var made: OpaquePointer?
    let outcome = try unsafe call { unsafe js_GetMsg(&made, streams, stream, sequence, $0, $1) }
    if outcome.status == NATS_NOT_FOUND { return nil }
    guard outcome.isDone, let made = unsafe made else { throw outcome.failure }
    return unsafe ArrivedMessage(handle: made)
  }
}
